"""wellness: how the user is, day by day."""

import msgspec
from memtrig import wire

from memtrigd.domain import wellness as rules
from memtrigd.domain.claim import MAX_NOTE, MAX_TAG, name, text
from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.moments import to_iso
from memtrigd.serve.entries import Body, made, within_a_reply
from memtrigd.serve.turn import Turn


def add(turn: Turn, request: wire.WellnessAdd) -> wire.WellnessNoted:
    """Keep a note of the day that it is now, at the caller's own level. Raises ``bad_value``, ``too_large``."""
    quality = request.sleep_quality
    body: Body = {
        "date": rules.day(turn.now, turn.zone),
        "mood": name(request.mood, "mood", MAX_TAG),
        "sleep_hours": rules.sleep(request.sleep_hours),
        "sleep_quality": None if quality is None else name(quality, "sleep quality", MAX_TAG),
        "note": None if request.note is None else text(request.note, "note", MAX_NOTE),
    }
    note = made(turn, Sort.WELLNESS, body)
    turn.view.writer.keep(note, turn.change("wellness"))
    return wire.WellnessNoted(noted=_shown(note))


def listing(turn: Turn, request: wire.WellnessList) -> wire.WellnessTold:
    """List the notes of the last days that the caller sees, the newest first."""
    first = rules.first_day(turn.now, request.days, turn.zone)
    notes = [
        note
        for reader in turn.view.readers
        for note in reader.entries(Sort.WELLNESS)
        if str(note.body["date"]) >= first and turn.view.sees(note.space)
    ]
    notes.sort(key=lambda note: (note.created, note.id), reverse=True)
    told = within_a_reply(_shown(note) for note in notes)
    return wire.WellnessTold(
        notes=told, more=len(notes) - len(told), mean_sleep=rules.mean(shown.sleep_hours for shown in told)
    )


def _shown(note: Entry) -> wire.Wellness:
    told = msgspec.convert(note.body, _Body)
    return wire.Wellness(
        id=note.id,
        date=told.date,
        mood=told.mood,
        level=note.level.name,
        recorded=to_iso(note.created),
        sleep_hours=told.sleep_hours,
        sleep_quality=told.sleep_quality,
        note=told.note,
        agent=note.agent,
    )


class _Body(msgspec.Struct):
    date: str
    mood: str
    sleep_hours: float | None = None
    sleep_quality: str | None = None
    note: str | None = None
