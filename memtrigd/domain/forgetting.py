"""How importance fades and grows: pure functions of time, so that it does not matter how often anybody looks."""

from typing import Final

from msgspec.structs import replace

from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import DAY, Micros

DAILY_RETENTION: Final = 0.995
"""Share of importance left after a day without recall (second seed, section 4): a half-life of 138.3 days."""
REINFORCEMENT: Final = 0.3
"""Share of what is missing to 1 that a recall gives back. Weekly recalls keep a memory above 0.89."""
DENIAL: Final = 0.1
"""What is left of the importance of a memory that the user denies, core or not."""
DISPUTED_AT: Final = 2
"""The denial that takes a memory out of service until somebody decides."""


def faded(importance: float, since: Micros, now: Micros) -> float:
    """Return importance × 0.995 ** days since ``since``: composes over any split of time; a clock set back is none."""
    days = max(0, now - since) / DAY
    return float(importance * DAILY_RETENTION**days)


def effective_importance(memory: Memory, now: Micros) -> float:
    """Return what a memory's importance is now. Core memories don't fade."""
    return memory.importance if memory.core else faded(memory.importance, memory.importance_at, now)


def materialised(memory: Memory, now: Micros) -> Memory:
    """Write the effective importance down as of now. Any number of runs in any order gives the same curve.

    A clock that was set back moves nothing: writing down an earlier time would fade the days in between twice.
    """
    if now <= memory.importance_at:
        return memory
    return replace(memory, importance=effective_importance(memory, now), importance_at=now)


def reinforced(memory: Memory, now: Micros) -> Memory:
    """Return a memory after a recall: stamped, and stronger if it is the first recall of its (UTC) day.

    importance += 0.3 × (1 − importance), which never passes 1.
    """
    again = memory.last_recalled is not None and memory.last_recalled // DAY >= now // DAY
    if not again:
        memory = materialised(memory, now)
        memory = replace(memory, importance=memory.importance + REINFORCEMENT * (1 - memory.importance))
    return replace(memory, last_recalled=max(now, memory.last_recalled or now), recall_count=memory.recall_count + 1)


def denied(memory: Memory, now: Micros) -> Memory:
    """Return a memory after the user denied it: a tenth of its importance, core or not, and counted."""
    memory = materialised(memory, now)
    return replace(memory, importance=memory.importance * DENIAL, deny_count=memory.deny_count + 1)
