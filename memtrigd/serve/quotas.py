"""Quotas at work: the pace before a save is queued, what it adds at the end of its transaction. The owner has none.

How much an agent has is counted in the store at first, and again, at most every RECOUNT, once what was saved since
would be over the limit: what was forgotten meanwhile makes room.
"""

from typing import Final

from memtrig import wire
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.domain.quotas import Pace, Quota, fits, over
from memtrigd.gate.policy import Permit
from memtrigd.serve.turn import Turn

RECOUNT: Final[Micros] = 1_000_000
"""Microseconds between two counts of what an agent has."""


ADDED: Final = frozenset({"new", "pending", "contested"})
"""Outcomes of a save after which there is one memory more."""
UNCHANGED: Final = frozenset({"known", "echo", "confirmed"})
"""Those after which there is no more text."""


class _Kept(Struct):
    memories: int
    size: int
    counted: Micros


class Quotas:
    """The quota in force, and by level and agent what counts against it; nothing is shared between levels."""

    def __init__(self, quota: Quota | None = None) -> None:
        self.quota = quota or Quota()
        self._paces: dict[tuple[Level, str | None], Pace] = {}
        self._kept: dict[tuple[Level, str | None], _Kept] = {}

    def admit(self, leave: Permit, request: object, now: Micros) -> None:
        """Count a save of an agent, on the loop. Raises Refusal ``quota``, retryable, for one too soon."""
        if leave.actor.is_owner or not isinstance(request, wire.Save):
            return
        a_minute = self.quota.of(leave.actor.agent).saves_per_minute
        if a_minute is not None:
            place = leave.level, leave.actor.agent
            self._paces.setdefault(place, Pace(a_minute, now)).take(a_minute, now, leave.level)

    def count(self, turn: Turn, request: object, saved: object) -> None:
        """Count what a save has added, in its transaction. Raises Refusal ``quota``, which undoes it, for too much."""
        if turn.actor.is_owner or not (isinstance(request, wire.Save) and isinstance(saved, wire.Saved)):
            return
        limits, level = self.quota.of(turn.actor.agent), turn.view.level
        if limits.memories is None and limits.bytes is None:
            return
        place = level, turn.actor.agent
        kept = self._kept.get(place)
        added, more = int(saved.outcome in ADDED), len(request.content.encode()) * (saved.outcome not in UNCHANGED)
        after = None if kept is None else _Kept(kept.memories + added, kept.size + more, kept.counted)
        settled = after is not None and (fits(limits, after.memories, after.size) or not _is_due(after, turn, added))
        if after is None or not settled:
            after = _Kept(*turn.view.writer.kept_by(turn.actor.agent), turn.now)
        if not fits(limits, after.memories, after.size):
            self._kept[place] = _Kept(after.memories - added, after.size - more, after.counted)
            raise over(limits, level)
        self._kept[place] = after


def _is_due(kept: _Kept, turn: Turn, added: int) -> bool:
    """Tell whether to count anew: what replaces another memory may fit though it looks as if it did not."""
    return not added or not 0 <= turn.now - kept.counted < RECOUNT
