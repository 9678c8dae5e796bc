"""recall, stats and review: what comes to mind, how memory fades, and what waits for an answer."""

import heapq
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, chain, islice
from typing import Final, TypeAlias

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.forgetting import effective_importance
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import DAY
from memtrigd.domain.recall import suggest
from memtrigd.serve.handlers.told import Discretion, discreet
from memtrigd.serve.records import REPLY_BYTES, excerpt, fitting, record, size
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelReader

EXPIRES_SOON: Final = 3 * DAY
WEAKEST: Final = 5
MAX_IDEAS: Final = 10
MAX_ITEMS: Final = 500

_Case: TypeAlias = tuple[str, Memory, Memory | None]
"""What waits: the reason why, the memory, and what stands against it."""


def recall(turn: Turn, request: wire.Recall) -> wire.Recalled:
    """Suggest up to ``limit`` memories to bring up, each with its reason."""
    if not 1 <= request.limit <= MAX_IDEAS:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_IDEAS} ideas.")
    ideas = suggest(_served(turn), turn.now, request.limit)
    shown = fitting(record(idea.memory, turn.now) for idea in ideas)
    return wire.Recalled(
        ideas=[
            wire.Idea(memory=memory, channel=idea.channel, reason=idea.reason, score=round(idea.score, 4))
            for idea, memory in zip(ideas, shown, strict=True)
        ]
    )


def stats(turn: Turn, request: wire.Stats) -> wire.Statistics:
    """Counts by level, and over all levels in sight the weakest and the longest untouched memories."""
    served = list(_served(turn))
    fading = [memory for memory in served if not memory.core]
    weakest = heapq.nsmallest(WEAKEST, fading, key=lambda m: (effective_importance(m, turn.now), m.updated, m.id))
    stalest = heapq.nsmallest(WEAKEST, served, key=lambda m: (m.last_recalled or m.updated, m.updated, m.id))
    shown = fitting(record(memory, turn.now) for memory in (*weakest, *stalest))
    return wire.Statistics(
        levels=[_curve(turn, reader, [m for m in served if m.level == reader.level]) for reader in turn.view.readers],
        weakest=shown[: len(weakest)],
        stalest=shown[len(weakest) :],
    )


def review(turn: Turn, request: wire.Review) -> wire.Reviewed:
    """List what waits for an answer: proposals, contradictions, disputes, what expires soon, newer lower copies."""
    if not 1 <= request.limit <= MAX_ITEMS:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_ITEMS} items.")
    cases = chain(*(_waiting(turn, reader) for reader in turn.view.readers), _newer_below(turn))
    asked = [_item(turn, case) for case in islice(cases, request.limit)]
    items = _in_one_reply(asked)
    return wire.Reviewed(items=items, more=len(asked) - len(items) + sum(1 for _ in cases))


def _served(turn: Turn) -> Iterator[Memory]:
    """Every memory that the caller sees, as it counts for them."""
    for reader in turn.view.readers:
        for memory in reader.newest(turn.view.spaces, None, None):
            if turn.view.serves(memory, turn.now):
                yield turn.view.seen(memory, turn.now)


def _curve(turn: Turn, reader: LevelReader, served: list[Memory]) -> wire.Curve:
    fading = [effective_importance(memory, turn.now) for memory in served if not memory.core]
    return wire.Curve(
        level=reader.level.name,
        statuses=reader.counts() if turn.actor.is_owner else {Status.ACTIVE.value: len(served)},
        kinds=dict(sorted(Counter(memory.kind.value for memory in served).items())),
        core=sum(memory.core for memory in served),
        mean_importance=round(sum(fading) / len(fading), 4) if fading else None,
    )


def _waiting(turn: Turn, reader: LevelReader) -> Iterator[_Case]:
    spaces, discretion = turn.view.spaces, Discretion(turn)
    for row in reader.select(spaces, [Status.PENDING.value]):
        if discretion.allows(reader, row):
            active = reader.active(row.key, row.space)  # what a yes would oust, whatever it was when this was proposed
            stands = active is not None and active.served(turn.now) and discretion.allows(reader, active)
            holder = active if stands else None
            yield ("contested" if holder else "pending"), row, holder
    for row in reader.select(spaces, [Status.DISPUTED.value]):
        if discretion.allows(reader, row):
            yield "disputed", discreet(turn, row), None
    for row in reader.select(spaces, [Status.ACTIVE.value], expires_before=turn.now + EXPIRES_SOON):
        if row.served(turn.now) and turn.view.serves(row, turn.now):
            yield "expiring", row, None


def _newer_below(turn: Turn) -> Iterator[_Case]:
    """Memories of which a visible lower copy says something newer."""
    for memory in _served(turn) if turn.actor.is_owner else ():
        won = turn.view.serves(memory, turn.now)
        if won is not None and won.newer_lower is not None:
            yield "newer_lower", memory, won.newer_lower


def _item(turn: Turn, case: _Case) -> wire.Item:
    about, memory, against = case
    return wire.Item(
        about=about,
        memory=record(memory, turn.now),
        against=record(against, turn.now) if against is not None else None,
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
