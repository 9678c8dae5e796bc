"""recall and stats: what comes to mind, and how memory fades."""

import heapq
from collections import Counter
from typing import Final

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.forgetting import effective_importance
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.recall import suggest
from memtrigd.gate.survey import survey
from memtrigd.serve.records import fitting, record
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelReader

WEAKEST: Final = 5
MAX_IDEAS: Final = 10


def recall(turn: Turn, request: wire.Recall) -> wire.Recalled:
    """Suggest up to ``limit`` memories to bring up, each with its reason."""
    if not 1 <= request.limit <= MAX_IDEAS:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_IDEAS} ideas.")
    ideas = suggest(survey(turn.view, turn.now), turn.now, request.limit)
    shown = fitting(record(idea.memory, turn.now) for idea in ideas)
    return wire.Recalled(
        ideas=[
            wire.Idea(memory=memory, channel=idea.channel, reason=idea.reason, score=round(idea.score, 4))
            for idea, memory in zip(ideas, shown, strict=True)
        ]
    )


def stats(turn: Turn, request: wire.Stats) -> wire.Statistics:
    """Counts by level, and over all levels in sight the weakest and the longest untouched memories."""
    served = list(survey(turn.view, turn.now))
    fading = [memory for memory in served if not memory.core]
    weakest = heapq.nsmallest(WEAKEST, fading, key=lambda m: (effective_importance(m, turn.now), m.updated, m.id))
    stalest = heapq.nsmallest(WEAKEST, served, key=lambda m: (m.last_recalled or m.updated, m.updated, m.id))
    shown = fitting(record(memory, turn.now) for memory in (*weakest, *stalest))
    return wire.Statistics(
        levels=[_curve(turn, reader, [m for m in served if m.level == reader.level]) for reader in turn.view.readers],
        weakest=shown[: len(weakest)],
        stalest=shown[len(weakest) :],
    )


def _curve(turn: Turn, reader: LevelReader, served: list[Memory]) -> wire.Curve:
    fading = [effective_importance(memory, turn.now) for memory in served if not memory.core]
    return wire.Curve(
        level=reader.level.name,
        statuses=reader.counts() if turn.actor.is_owner else {Status.ACTIVE.value: len(served)},
        kinds=dict(sorted(Counter(memory.kind.value for memory in served).items())),
        core=sum(memory.core for memory in served),
        mean_importance=round(sum(fading) / len(fading), 4) if fading else None,
    )
