"""The dream cycle: once a night what has faded is written down, what has run out expires, and what waits asks again.

It deletes nothing and promotes nothing. It works in slices, so that nobody waits for it, and what it changes in a
memory's status bears its own session, by which the whole night can be undone.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import structlog
from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.clockwork.jobs import Job
from memtrigd.domain.forgetting import materialised
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import DAY, Micros
from memtrigd.store.interface import Change, Hands
from memtrigd.store.writer import WriterLane

SLICE: Final = 200
"""Rows of one transaction: a few milliseconds, then the writes of clients come in between."""
CAP: Final = 0.05
"""Share of a level's active memories whose status a cycle may change without being asked to."""
FREE: Final = 20
"""Changes that need no asking however small the level: 5 % of thirty memories is one."""
ASKS_AGAIN: Final = 7 * DAY
"""How long a proposal waits until it is counted as asking again."""

log = structlog.get_logger()


class Night(Struct):
    """A cycle at one level: how far it is and what it did, or would do if it is ``dry``."""

    level: Level
    now: Micros
    dry: bool
    total: int = 0
    number: int = 0
    materialised: int = 0
    expired: int = 0
    asked_again: int = 0
    conflicts: list[str] = []
    stopped: bool = False

    @property
    def session(self) -> str:
        """The session that the night's changes bear."""
        return f"dream-{self.level.slug}-{self.now}"

    def told(self) -> wire.Dreamt:
        """What the night came to."""
        return wire.Dreamt(
            level=self.level.name,
            materialised=self.materialised,
            expired=self.expired,
            asked_again=self.asked_again,
            conflicts=self.conflicts,
            stopped=self.stopped,
            dry_run=self.dry,
        )


Woken: TypeAlias = Callable[[wire.Dreamt | Exception], None]


class Dreamer:
    """Runs cycles in slices through the writer's lane."""

    def __init__(self, writers: WriterLane, clock: Callable[[], Micros]) -> None:
        self._writers = writers
        self._clock = clock

    def dream(self, level: Level, dry: bool, woken: Woken) -> None:
        """Run a cycle at a level; ``woken`` hears of it on the loop's thread, slices later."""
        night = Night(level, self._clock(), dry)

        def measured(outcome: Any) -> None:
            if isinstance(outcome, Exception):
                woken(outcome)
            elif night.stopped:
                woken(night.told())
            else:
                self._slice(night, woken)

        self._writers.submit(level, lambda hands: _measure(hands, night), measured)

    def _slice(self, night: Night, woken: Woken) -> None:
        def done(more: Any) -> None:
            if isinstance(more, Exception):
                woken(more)
            elif more:
                self._slice(night, woken)
            else:
                woken(night.told())

        self._writers.submit(night.level, lambda hands: _work(hands, night), done)


def nightly(dreamer: Dreamer) -> Job:
    """The job of every night: a cycle at each level."""

    def run(now: Micros) -> None:
        for level in Level:
            dreamer.dream(level, False, _logged)

    return Job("dream", DAY, run)


def _logged(outcome: wire.Dreamt | Exception) -> None:
    if isinstance(outcome, Exception):
        log.error("no_dream", kind=type(outcome).__name__)
    else:
        log.info("dreamt", classification=outcome.level, count=outcome.expired)


def _measure(hands: Hands, night: Night) -> None:
    """Count what would expire, and stop before a cycle that changes too much: a wrong clock must not empty a store."""
    assert hands.writer is not None
    store = hands.writer
    night.total = store.counts().get(Status.ACTIVE.value, 0)
    due = sum(1 for _ in store.select(store.spaces(), [Status.ACTIVE.value], expires_before=night.now + 1))
    if due > max(FREE, CAP * night.total):
        night.expired, night.stopped = due, True


def _work(hands: Hands, night: Night) -> bool:
    """Do one slice; tell whether there is more."""
    assert hands.writer is not None
    rows = hands.writer.after(night.number, SLICE)
    for number, memory in rows:
        night.number = number
        _settle(hands, night, memory)
    return len(rows) == SLICE


def _settle(hands: Hands, night: Night, memory: Memory) -> None:
    assert hands.writer is not None
    if memory.contested:
        night.conflicts.append(memory.id)
    if memory.status is Status.PENDING:
        night.asked_again += night.now - memory.updated >= ASKS_AGAIN
    elif memory.expires_at is not None and memory.expires_at <= night.now:
        night.expired += 1
        if not night.dry:
            change = Change(op="expired", actor="dream", session=night.session, at=night.now, reason="expired")
            hands.writer.amend(replace(memory, status=Status.EXPIRED, reason="expired", contested=False), change)
    elif not memory.core:
        fresh = materialised(memory, night.now)
        if fresh is not memory:
            night.materialised += 1
            if not night.dry:
                hands.writer.stamp(fresh)
