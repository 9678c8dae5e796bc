"""What an import brings beside memories: other names, wishes to forget, promises, notes of well-being.

Each comes once: what is here already, or was and has been removed, done or lifted since, stays as the user left it.
"""

from datetime import date, tzinfo

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain import aliases as naming
from memtrigd.domain import promises, wellness
from memtrigd.domain.claim import MAX_NOTE, MAX_TAG, name, text
from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Status, canonical
from memtrigd.domain.moments import Micros, from_iso
from memtrigd.domain.secrets import redacted
from memtrigd.serve import screening
from memtrigd.serve.entries import Body, made
from memtrigd.serve.handlers import aliases
from memtrigd.serve.turn import Turn
from memtrigd.serve.wishing import keep_entity_wish

NEW, KNOWN = "new", "known"


def checked(entry: wire.ImportEntry, zone: tzinfo, *, redact: bool) -> wire.ImportEntry:
    """The entry as it may be kept, with no store at hand. Raises Refusal for what can't be, credentials too."""
    said = {field: value for field, value in _fields(entry).items() if isinstance(value, str)}
    if redact:
        entry = replace(entry, **{field: redacted(value) for field, value in said.items()})
    else:
        screening.check(**said)
    match entry:
        case wire.ImportAlias():
            return replace(entry, alias=name(entry.alias, "alias"), entity=name(entry.entity, "entity"))
        case wire.ImportWish():
            _check_times(zone, entry.at)
            return replace(entry, entity=name(entry.entity, "entity"), reason=_note(entry.reason, "reason"))
        case wire.ImportPromise():
            _check_times(zone, entry.created, entry.done_at)
            if entry.deadline is not None:
                promises.deadline(entry.deadline, zone)
            return replace(entry, text=text(entry.text, "text", MAX_NOTE), entity=_name(entry.entity, "entity"))
        case wire.ImportWellness():
            _check_times(zone, entry.recorded)
            wellness.sleep(entry.sleep_hours)
            return replace(
                entry,
                date=_day(entry.date),
                mood=name(entry.mood, "mood", MAX_TAG),
                sleep_quality=_name(entry.sleep_quality, "sleep quality", MAX_TAG),
                note=_note(entry.note, "note"),
            )


def take(turn: Turn, entry: wire.ImportEntry, *, dry_run: bool) -> str:
    """Take a checked entry at the act's level, and say whether it is ``new`` or ``known``."""
    match entry:
        case wire.ImportAlias():
            made_of = _alias(turn, entry)
        case wire.ImportWish():
            return _wish(turn, entry, dry_run=dry_run)
        case wire.ImportPromise():
            made_of = _promise(turn, entry)
        case wire.ImportWellness():
            made_of = _noted(turn, entry)
    if made_of is None:
        return KNOWN
    if not dry_run:
        turn.view.writer.keep(made_of, turn.change(made_of.sort.value))
    return NEW


def _alias(turn: Turn, entry: wire.ImportAlias) -> Entry | None:
    known = turn.view.writer.entries(Sort.ALIAS, closed=True, name=canonical(entry.alias))
    if any(canonical(str(each.body["entity"])) == canonical(entry.entity) for each in known):
        return None
    standing = [each for reader in turn.view.readers for each in reader.entries(Sort.ALIAS)]
    naming.check(entry.alias, entry.entity, [(str(each.body["alias"]), str(each.body["entity"])) for each in standing])
    aliases.check_room(turn)
    return made(turn, Sort.ALIAS, {"alias": entry.alias, "entity": entry.entity}, name=canonical(entry.alias))


def _wish(turn: Turn, entry: wire.ImportWish, *, dry_run: bool) -> str:
    """Keep a wish about an entity. A file puts nothing away that is served here: then it is refused."""
    store = turn.view.writer
    if any(store.was_wished(each) for each in turn.view.names_of(entry.entity)):
        return KNOWN
    names, active = turn.view.names_of(entry.entity), [Status.ACTIVE.value]
    for reader in turn.view.readers:
        if any(row.served(turn.now) for row in reader.select(turn.view.spaces, active, entities=names)):
            raise Refusal(
                "not_yours",
                f"Memories about {entry.entity[:60]!r} are served here, and a file puts none of them away.",
                "If it shall be so, say `memtrigctl forget --entity`.",
            )
    if not dry_run:
        at = None if entry.at is None else min(turn.now, from_iso(entry.at, turn.zone))
        keep_entity_wish(turn, entry.entity, entry.reason, at)
    return NEW


def _promise(turn: Turn, entry: wire.ImportPromise) -> Entry | None:
    store = turn.view.writer
    due = None if entry.deadline is None else promises.deadline(entry.deadline, turn.zone)
    words = store.digest(canonical(entry.text)).hex()
    known = store.entries(Sort.PROMISE, closed=True, name=words)
    if any(each.space == turn.view.own_space and due in (None, each.due) for each in known):
        return None
    body: Body = {"text": entry.text, "entity": entry.entity}
    promise = made(turn, Sort.PROMISE, body, due=due, name=words)
    created, done = _past(turn, entry.created), _past(turn, entry.done_at)
    began = turn.now if created is None else created
    return replace(promise, created=began, updated=began if done is None else done, closed=done)


def _noted(turn: Turn, entry: wire.ImportWellness) -> Entry | None:
    body: Body = {
        "date": entry.date,
        "mood": entry.mood,
        "sleep_hours": entry.sleep_hours,
        "sleep_quality": entry.sleep_quality,
        "note": entry.note,
    }
    own = (each for each in turn.view.writer.entries(Sort.WELLNESS, closed=True) if each.space == turn.view.own_space)
    if any({**each.body, "withdrawn": None} == {**body, "withdrawn": None} for each in own):
        return None
    recorded = _past(turn, entry.recorded)
    began = min(turn.now, from_iso(entry.date, turn.zone)) if recorded is None else recorded
    return replace(made(turn, Sort.WELLNESS, body), created=began, updated=began)


def _fields(entry: wire.ImportEntry) -> dict[str, object]:
    return {field: getattr(entry, field) for field in entry.__struct_fields__}


def _past(turn: Turn, told: str | None) -> Micros | None:
    return None if told is None else min(turn.now, from_iso(told, turn.zone))


def _check_times(zone: tzinfo, *times: str | None) -> None:
    for each in times:
        if each is not None:
            from_iso(each, zone)


def _day(told: str) -> str:
    try:
        return date.fromisoformat(told.strip()).isoformat()
    except ValueError:
        raise Refusal("bad_time", f"{told[:40]!r} is no day.", "Write it as 2026-11-30.") from None


def _name(value: str | None, field: str, limit: int | None = None) -> str | None:
    if value is None:
        return None
    return name(value, field) if limit is None else name(value, field, limit)


def _note(value: str | None, field: str) -> str | None:
    return None if value is None else text(value, field, MAX_NOTE)
