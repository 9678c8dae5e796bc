"""How importance fades: a pure function of time, so that it does not matter how often anybody looks."""

from typing import Final

from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import DAY, Micros

DAILY_RETENTION: Final = 0.995
"""Share of importance left after a day without recall (second seed, section 4): a half-life of 138.3 days."""


def effective_importance(memory: Memory, now: Micros) -> float:
    """Return importance × 0.995 ** days since importance_at; core does not fade, a clock set back adds nothing."""
    if memory.core:
        return memory.importance
    days = max(0, now - memory.importance_at) / DAY
    return float(memory.importance * DAILY_RETENTION**days)
