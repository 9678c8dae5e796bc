"""review: what waits for an answer, and what is done to memories where they can't be touched."""

from collections.abc import Iterator
from itertools import accumulate, chain, islice
from typing import Final

from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.forgetting import DISPUTED_AT
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.suppression import Scope, Suppression
from memtrigd.search.identical import Sameness
from memtrigd.serve.below import restraints
from memtrigd.serve.ending import ending
from memtrigd.serve.handlers.told import Discretion, discreet
from memtrigd.serve.records import REPLY_BYTES, excerpt, record, size
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelReader

MAX_ITEMS: Final = 500


class Case(Struct, frozen=True):
    """What waits: why, the memory, what stands against it, and a note."""

    about: str
    memory: Memory
    against: Memory | None = None
    note: str | None = None


def review(turn: Turn, request: wire.Review) -> wire.Reviewed:
    """List what waits: proposals, contradictions, disputes, what expires soon; for the owner also what lies elsewhere.

    That is lower copies that say something newer, and lower memories that a level above hides or denies while they
    still stand. An agent is shown its own proposals, and disputes.
    """
    if not 1 <= request.limit <= MAX_ITEMS:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_ITEMS} items.")
    cases = chain(*(_waiting(turn, reader) for reader in turn.view.readers))
    if turn.actor.is_owner:
        denied = chain(*(_denied_in_vain(turn, reader) for reader in turn.view.readers))
        cases = chain(cases, denied, _newer_below(turn), _elsewhere(turn))
    asked = [_item(turn, case) for case in islice(cases, request.limit)]
    items = _in_one_reply(asked)
    return wire.Reviewed(items=items, more=len(asked) - len(items) + sum(1 for _ in cases))


def _waiting(turn: Turn, reader: LevelReader) -> Iterator[Case]:
    spaces, discretion = turn.view.spaces, Discretion(turn)
    for row in reader.select(spaces, [Status.PENDING.value]):
        if discretion.allows(reader, row):
            active = reader.active(row.key, row.space)  # what a yes would oust, whatever it was when this was proposed
            stands = active is not None and active.served(turn.now) and discretion.allows(reader, active)
            holder = active if stands else None
            yield Case("contested" if holder else "pending", row, holder)
    for row in reader.select(spaces, [Status.DISPUTED.value]):
        if discretion.allows(reader, row):
            yield Case("disputed", discreet(turn, row))
    for row in ending(turn, reader):
        yield Case("expiring", row)


def _denied_in_vain(turn: Turn, reader: LevelReader) -> Iterator[Case]:
    """What agents denied more than once and what still stands, for it weighs more than they do."""
    for row in reader.newest(turn.view.spaces, None, None):
        if row.deny_count >= DISPUTED_AT and row.served(turn.now):
            yield Case("disputed", row, note="still served: it is the user's own word, and only agents denied it")


def _newer_below(turn: Turn) -> Iterator[Case]:
    """Memories of which a lower copy in sight says something newer.

    Two levels are compared by walking through the one that has less, and looking each key up in the other.
    """
    seen: set[str] = set()
    for place, upper in enumerate(turn.view.readers):
        for lower in turn.view.readers[place + 1 :]:
            less, more = sorted((upper, lower), key=lambda reader: reader.corpus().documents)
            for row in less.newest(turn.view.spaces, None, None):
                if more.active(row.key, row.space) is None:
                    continue
                won = turn.view.winner(row.key, row.space, turn.now)
                if won is not None and won.newer_lower is not None and won.memory.id not in seen:
                    seen.add(won.memory.id)
                    yield Case("newer_lower", won.memory, won.newer_lower)


def _elsewhere(turn: Turn) -> Iterator[Case]:
    """Memories that still stand at their own level, and that a level in sight above hides or denies."""
    found: dict[str, Memory] = {}
    texts = {reader.level: Sameness(reader) for reader in turn.view.readers}
    for place, reader in enumerate(turn.view.readers):
        lower = {below: texts[below.level] for below in turn.view.readers[place + 1 :]}
        named = (turn.view.find(memory_id) for memory_id in (*reader.masked(), *reader.denied()))
        wished = (row for wish in reader.suppressions() for row in _reached(turn, wish, lower))
        found |= {row.id: row for row in (*named, *wished) if row is not None and row.served(turn.now)}
    for row in sorted(found.values(), key=lambda row: (row.updated, row.id), reverse=True):
        notes = [f"{each.what} at {each.level.name}" for each in restraints(turn.view, row)]
        if notes:
            yield Case("elsewhere", row, note=", ".join(notes))


def _reached(turn: Turn, wish: Suppression, lower: dict[LevelReader, Sameness]) -> Iterator[Memory]:
    """The lower memories that a wish may be about: of its entity, or of its key or its text."""
    about = turn.view.find(wish.memory_id) if wish.memory_id is not None else None
    for reader, sameness in lower.items():
        if wish.scope is Scope.ENTITY:
            yield from reader.select(turn.view.spaces, [Status.ACTIVE.value], entities=turn.view.names_of(wish.entity))
        elif wish.key is not None and (copy := reader.active(wish.key, wish.space)) is not None:
            yield copy
        if about is not None and not about.erased:
            yield from sameness.of(about.content)


def _item(turn: Turn, case: Case) -> wire.Item:
    return wire.Item(
        about=case.about,
        memory=record(case.memory, turn.now),
        against=record(case.against, turn.now) if case.against is not None else None,
        note=case.note,
    )


def _in_one_reply(items: list[wire.Item]) -> list[wire.Item]:
    """Show all by their beginnings if they are too much for one reply; what is still over waits for the next one."""
    if sum(map(_size, items)) > REPLY_BYTES:
        items = [
            replace(item, memory=excerpt(item.memory), against=excerpt(item.against) if item.against else None)
            for item in items
        ]
    sums = accumulate(map(_size, items))
    return [item for item, total in zip(items, sums, strict=True) if total <= REPLY_BYTES]


def _size(item: wire.Item) -> int:
    return size(item.memory) + (size(item.against) if item.against is not None else 0)
