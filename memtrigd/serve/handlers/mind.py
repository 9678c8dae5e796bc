"""recall, stats and review: what comes to mind, how memory fades, and what waits for an answer."""

import heapq
from collections import Counter
from collections.abc import Iterator
from typing import Final

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.forgetting import effective_importance
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import DAY
from memtrigd.domain.recall import suggest
from memtrigd.serve.records import record
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelReader

EXPIRES_SOON: Final = 3 * DAY
WEAKEST: Final = 5
MAX_IDEAS: Final = 10
MAX_ITEMS: Final = 500


def recall(turn: Turn, request: wire.Recall) -> wire.Recalled:
    """Suggest up to ``limit`` memories to bring up, each with its reason."""
    if not 1 <= request.limit <= MAX_IDEAS:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_IDEAS} ideas.")
    ideas = suggest(_served(turn), turn.now, request.limit)
    return wire.Recalled(
        ideas=[
            wire.Idea(
                memory=record(idea.memory, turn.now),
                channel=idea.channel,
                reason=idea.reason,
                score=round(idea.score, 4),
            )
            for idea in ideas
        ]
    )


def stats(turn: Turn, request: wire.Stats) -> wire.Statistics:
    """Counts by level, and over all levels in sight the weakest and the longest untouched memories."""
    served = list(_served(turn))
    fading = [memory for memory in served if not memory.core]
    weakest = heapq.nsmallest(WEAKEST, fading, key=lambda m: (effective_importance(m, turn.now), m.updated, m.id))
    stalest = heapq.nsmallest(WEAKEST, served, key=lambda m: (m.last_recalled or m.updated, m.updated, m.id))
    return wire.Statistics(
        levels=[_curve(turn, reader, [m for m in served if m.level == reader.level]) for reader in turn.view.readers],
        weakest=[record(memory, turn.now) for memory in weakest],
        stalest=[record(memory, turn.now) for memory in stalest],
    )


def review(turn: Turn, request: wire.Review) -> wire.Reviewed:
    """List what waits for an answer: proposals, contradictions, disputes, what expires soon, newer lower copies."""
    if not 1 <= request.limit <= MAX_ITEMS:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_ITEMS} items.")
    items = [item for reader in turn.view.readers for item in _waiting(turn, reader)]
    items += _newer_below(turn)
    return wire.Reviewed(items=items[: request.limit], more=max(0, len(items) - request.limit))


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


def _waiting(turn: Turn, reader: LevelReader) -> Iterator[wire.Item]:
    spaces, owner = turn.view.spaces, turn.actor.is_owner
    for row in reader.select(spaces, [Status.PENDING.value]):
        if owner or row.session == turn.actor.session:
            against = reader.by_id(row.contests) if row.contests else None
            yield wire.Item(
                about="contested" if against else "pending",
                memory=record(row, turn.now),
                against=record(against, turn.now) if against else None,
            )
    for row in reader.select(spaces, [Status.DISPUTED.value]):
        yield wire.Item(about="disputed", memory=record(row, turn.now))
    for row in reader.select(spaces, [Status.ACTIVE.value], expires_before=turn.now + EXPIRES_SOON):
        if row.served(turn.now) and turn.view.serves(row, turn.now):
            yield wire.Item(about="expiring", memory=record(row, turn.now))


def _newer_below(turn: Turn) -> list[wire.Item]:
    """Memories of which a visible lower copy says something newer."""
    if not turn.actor.is_owner:
        return []
    found = []
    for memory in _served(turn):
        won = turn.view.serves(memory, turn.now)
        if won is not None and won.newer_lower is not None:
            newer = record(won.newer_lower, turn.now)
            found.append(wire.Item(about="newer_lower", memory=record(memory, turn.now), against=newer))
    return found
