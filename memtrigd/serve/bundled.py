"""From a bundle's row to what the store keeps, checked: a bundle is a file that anybody may have edited."""

import math
from enum import StrEnum
from typing import Any, Final, TypeVar

import msgspec
from memtrig import wire

from memtrigd.domain import claim as check
from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import Micros, instant
from memtrigd.domain.past import MOST
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Scope, Suppression
from memtrigd.store.interface import Change, Ledger, Version

_E = TypeVar("_E", bound=StrEnum)
_T = TypeVar("_T")

ERASE: Final = "erase"
"""The op after which nothing of a memory is told any more."""
_OURS: Final = frozenset({"bundle", "scrub"})
"""Ops of the journal's own bookkeeping, which no bundle has."""
_FIELDS: Final = frozenset(Memory.__struct_fields__) - {"level", "contested"}
_FIXED: Final = ("id", "key", "space", "content")
_NAMES: Final = ("id", "key", "space")
_MAYBE: Final = ("entity", "agent", "session", "sentiment", "lang", "supersedes", "superseded_by", "contests")


def memory(row: wire.BundledMemory, level: Level) -> Memory:
    """The memory of a row. Raises Refusal where it is none that could have been kept."""
    fields = msgspec.structs.asdict(row)
    del fields["history"]
    return _memory(fields, level)


def life(row: wire.BundledMemory, now: Memory) -> list[Version]:
    """The steps of a memory's life. Raises Refusal where they are none of this memory, or tell of what was erased."""
    if not row.history:
        raise _bad("It has no history: each memory begins with a step.")
    state: dict[str, Any] = {name: getattr(now, name) for name in _FIXED}
    steps: list[Version] = []
    for step in row.history:
        change = _change(step, erasable=now.erased)
        if now.erased and (step.fields or step.reason is not None):
            raise _bad("It was erased, and its history still tells of it.")
        first = not steps and not now.erased
        told = _untimed({**({name: state[name] for name in _FIXED} if first else {}), **step.fields})
        if told.keys() - _FIELDS:
            raise _bad(f"A step changes {sorted(told.keys() - _FIELDS)[0][:40]!r}, which no memory has.")
        state |= told
        known = now if now.erased else _memory(state, now.level, timed=False)
        if any(getattr(known, name) != getattr(now, name) for name in _FIXED):
            raise _bad("A step makes another memory of it.")
        fields = {name: getattr(known, name) for name in told}
        steps.append(Version(seq=0, memory_id=now.id, change=change, fields=fields))
    if now.erased != (steps[-1].change.op == ERASE):
        raise _bad("Its history and its text don't agree on whether it was erased.")
    return steps


def wish(row: wire.BundledWish) -> Suppression:
    """The suppression of a row, without the digest of its text, which is keyed by who keeps it."""
    scope = _one_of(Scope, row.scope, "scope")
    if scope is Scope.ERASED:
        raise _bad("What an erase leaves is of no use elsewhere.")
    return Suppression(
        id=_name(row.id, "id"),
        scope=scope,
        space=_name(row.space, "space"),
        at=instant(row.at),
        key=_maybe(row.key, "key"),
        entity=_maybe(row.entity, "entity"),
        memory_id=_maybe(row.memory_id, "memory_id"),
        reason=_note(row.reason, "reason"),
        lifted_at=_moment(row.lifted_at),
    )


def entry(row: wire.BundledEntry, level: Level) -> Entry:
    """The entry of a row."""
    sort = _one_of(Sort, row.sort, "sort")
    if any(not isinstance(value, str | int | float | None) for value in row.body.values()):
        raise _bad("Its body holds more than texts and numbers.")
    texts = {name: value for name, value in row.body.items() if isinstance(value, str)}
    for name, value in texts.items():
        _same(value, check.text(value, name), name)
    if sort is Sort.INTENT or (sort is Sort.ALIAS and not {"alias", "entity"} <= texts.keys()):
        raise _bad("It is no entry that a bundle has.")
    return Entry(
        id=_name(row.id, "id"),
        sort=sort,
        level=level,
        space=_name(row.space, "space"),
        created=instant(row.created),
        updated=instant(row.updated),
        agent=_maybe(row.agent, "agent"),
        session=_maybe(row.session, "session"),
        name=_maybe(row.name, "name"),
        due=_moment(row.due),
        closed=_moment(row.closed),
        body=row.body,
    )


def event(row: wire.BundledEvent) -> tuple[Change, str | None]:
    """The event of a row, and what it is about."""
    return _change(row, erasable=True), _maybe(row.about, "about")


def mask(row: wire.BundledMask, level: Level) -> Mask:
    """The mask of a row."""
    return Mask(_name(row.memory_id, "memory_id"), _count(row.seen_count), level, _name(row.space, "space"))


def ledger(row: wire.BundledLedger) -> Ledger:
    """The ledger page of a row."""
    return Ledger(
        memory_id=_name(row.memory_id, "memory_id"),
        importance=_share(row.importance, "importance"),
        importance_at=instant(row.importance_at),
        last_recalled=_moment(row.last_recalled),
        recall_count=_count(row.recall_count),
        deny_count=_count(row.deny_count),
    )


def _memory(fields: dict[str, Any], level: Level, *, timed: bool = True) -> Memory:
    """Make a memory of its fields, times as they are on the wire or, not ``timed``, in microseconds."""
    try:
        made = msgspec.convert({**(_untimed(fields) if timed else fields), "level": level}, Memory)
    except msgspec.ValidationError as error:
        raise _bad(f"{str(error)[:300]}.") from None
    for name in _NAMES:
        _name(getattr(made, name), name)
    for name in _MAYBE:
        _maybe(getattr(made, name), name)
    for name in ("context", "quote", "reason"):
        _note(getattr(made, name), name)
    for name in ("tags", "emotion_tags"):
        _same(getattr(made, name), check.tags(getattr(made, name)), name)
    check.confidence(made.confidence)
    _share(made.importance, "importance")
    for count in (made.recall_count, made.seen_count, made.deny_count):
        _count(count)
    if made.erased and (made.status is not Status.FORGOTTEN or made.reason != "erased"):
        raise _bad("It has no content.")
    if not made.erased:
        _same(made.content, check.text(made.content, "content"), "content")
    return made


def _untimed(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: instant(value) if name in wire.TIMES and isinstance(value, str) else value
        for name, value in fields.items()
    }


def _change(row: wire.BundledStep | wire.BundledEvent, *, erasable: bool) -> Change:
    op = check.name(row.op, "op", 64)
    if op in _OURS or (op == ERASE and not erasable):
        raise _bad(f"No bundle has a step {op!r} here.")
    return Change(
        op=_same(row.op, op, "op"),
        actor=_name(row.actor, "actor"),
        session=_maybe(row.session, "session"),
        at=instant(row.at),
        reason=_note(row.reason, "reason"),
    )


def _name(text: str, field: str) -> str:
    return _same(text, check.name(text, field), field)


def _maybe(text: str | None, field: str) -> str | None:
    return None if text is None else _name(text, field)


def _note(text: str | None, field: str) -> str | None:
    return None if text is None else _same(text, check.text(text, field, check.MAX_NOTE), field)


def _moment(text: str | None) -> Micros | None:
    return None if text is None else instant(text)


def _same(given: _T, checked: _T, field: str) -> _T:
    """What is kept is in order: what would have to be put in order was never kept."""
    if given != checked:
        raise _bad(f"The {field} is not as it would be kept.")
    return given


def _share(value: float, field: str) -> float:
    if not (math.isfinite(value) and 0.0 <= value <= 1.0):
        raise _bad(f"The {field} {value} is not between 0 and 1.")
    return value


def _count(value: int) -> int:
    if not 0 <= value < MOST:
        raise _bad("A count is out of range.")
    return value


def _one_of(among: type[_E], text: str, field: str) -> _E:
    try:
        return among(text)
    except ValueError:
        raise _bad(f"There is no {field} {text[:40]!r}.") from None


def _bad(says: str) -> Refusal:
    return Refusal("bad_value", says, "docs/migration.md says what a bundle holds.")
