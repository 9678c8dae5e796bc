"""wellness: how the user is, day by day."""

from typing import Final

import msgspec
from memtrig import wire

from memtrigd.domain import wellness as rules
from memtrigd.domain.claim import MAX_NOTE, MAX_TAG, name, text
from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.serve.records import REPLY_BYTES
from memtrigd.serve.turn import Turn

MAX_NOTES: Final = 1000


def add(turn: Turn, request: wire.WellnessAdd) -> wire.WellnessNoted:
    """Keep a note at the caller's own level. A mood is required."""
    note = Entry(
        id=turn.new_id(),
        sort=Sort.WELLNESS,
        level=turn.view.level,
        space=turn.view.own_space,
        created=turn.now,
        updated=turn.now,
        agent=turn.actor.agent,
        session=turn.actor.session,
        body={
            "mood": name(request.mood, "mood", MAX_TAG),
            "sleep_hours": rules.sleep(request.sleep_hours),
            "sleep_quality": None if request.sleep_quality is None else name(request.sleep_quality, "quality", MAX_TAG),
            "note": None if request.note is None else text(request.note, "note", MAX_NOTE),
        },
    )
    turn.view.writer.keep(note, turn.change("wellness"))
    return wire.WellnessNoted(noted=_shown(turn, note))


def listing(turn: Turn, request: wire.WellnessList) -> wire.WellnessTold:
    """List the notes of the last days that the caller sees, the newest first."""
    if not 1 <= request.days <= rules.LONGEST_LOOK:
        raise Refusal("bad_value", f"days is {request.days}.", f"Ask for 1 to {rules.LONGEST_LOOK} days.")
    since = turn.now - request.days * DAY
    notes = [
        note
        for reader in turn.view.readers
        for note in reader.entries(Sort.WELLNESS)
        if note.created > since and note.space in turn.view.spaces
    ]
    notes.sort(key=lambda note: (note.created, note.id), reverse=True)
    told, room = [], REPLY_BYTES
    for shown in (_shown(turn, note) for note in notes[:MAX_NOTES]):
        room -= len(msgspec.msgpack.encode(shown))
        if room < 0:
            break
        told.append(shown)
    return wire.WellnessTold(
        notes=told, more=len(notes) - len(told), mean_sleep=rules.mean(shown.sleep_hours for shown in told)
    )


def _shown(turn: Turn, note: Entry) -> wire.Wellness:
    told = msgspec.convert(note.body, _Body)
    return wire.Wellness(
        id=note.id,
        date=rules.day(note.created, turn.zone),
        mood=told.mood,
        level=note.level.name,
        recorded=to_iso(note.created),
        sleep_hours=told.sleep_hours,
        sleep_quality=told.sleep_quality,
        note=told.note,
        agent=note.agent,
    )


class _Body(msgspec.Struct):
    mood: str
    sleep_hours: float | None = None
    sleep_quality: str | None = None
    note: str | None = None
