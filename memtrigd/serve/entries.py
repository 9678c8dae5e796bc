"""Entries in a turn: where they are made, how many of them fit a reply, and how a session's are taken back."""

from collections.abc import Iterable
from typing import Final, TypeAlias, TypeVar

import msgspec
from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import canonical
from memtrigd.domain.moments import Micros
from memtrigd.gate.view import View
from memtrigd.serve.records import REPLY_BYTES
from memtrigd.serve.turn import Turn

Shown = TypeVar("Shown")
Body: TypeAlias = dict[str, str | float | bool | None]

_TAKEN_BACK: Final = (Sort.PROMISE, Sort.WELLNESS, Sort.CLOSING)


def made(
    turn: Turn, sort: Sort, body: Body, *, name: str | None = None, due: Micros | None = None, space: str | None = None
) -> Entry:
    """Make an entry of the caller's own level, by the caller, now; in the caller's own space unless said otherwise."""
    return Entry(
        id=turn.new_id(),
        sort=sort,
        level=turn.view.level,
        space=turn.view.own_space if space is None else space,
        created=turn.now,
        updated=turn.now,
        agent=turn.actor.agent,
        session=turn.actor.session,
        name=name,
        due=due,
        body=body,
    )


def within_a_reply(shown: Iterable[Shown]) -> list[Shown]:
    """Those of the first that one reply has room for."""
    kept, room = list[Shown](), REPLY_BYTES
    for each in shown:
        room -= len(msgspec.msgpack.encode(each))
        if room < 0:
            break
        kept.append(each)
    return kept


def level_of(request: wire.Write, view: View) -> Level | None:
    """The level where an owner's act on an entry runs that names none: the highest that has what it is about."""
    match request:
        case wire.PromiseDone(undone=True):  # where it was closed for the readers, else where it lies
            there = [r for r in view.readers if r.entries(Sort.CLOSING, name=request.id)]
            there += [r for r in view.readers if r.entry(request.id) is not None]
        case wire.PromiseDone():
            there = [r for r in view.readers if r.entry(request.id) is not None]
        case wire.AliasRemove():
            there = [r for r in view.readers if r.entries(Sort.ALIAS, name=canonical(request.alias))]
        case _:
            there = []
    return there[0].level if there else None


def take_back_entries(turn: Turn, session: str, *, dry_run: bool) -> int:
    """Take back what a session kept at the caller's level, and open what it closed; or only count it.

    What it made is closed and kept. A promise of its that somebody else has marked as kept since stays so.
    """
    store = turn.view.writer
    own = [replace(each, closed=turn.now, body={**each.body, "withdrawn": True}) for each in _standing(turn, session)]
    closed = [
        replace(each, closed=None, body={**each.body, "done_by": None})
        for each in store.entries(Sort.PROMISE, closed=True)
        if each.session != session and each.closed is not None and each.body.get("done_by") == session
    ]
    if not dry_run:
        for entry in (*own, *closed):
            store.keep(replace(entry, updated=turn.now), turn.change("undo"))
    return len(own) + len(closed)


def _standing(turn: Turn, session: str) -> list[Entry]:
    """What a session made that stands as it left it."""
    return [
        entry
        for entry in turn.view.writer.session_entries(session)
        if entry.sort in _TAKEN_BACK
        and not entry.body.get("withdrawn")
        and (entry.closed is None or entry.body.get("done_by") == session)
    ]
