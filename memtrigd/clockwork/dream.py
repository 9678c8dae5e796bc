"""The dream cycle: once a night what has faded is written down, what has run out expires, and what waits asks again.

It deletes nothing and promotes nothing. It works in slices, one at a time whatever the levels, so that nobody waits
for it, and what it changes in a memory's status bears its own session, by which the whole night can be undone.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

import structlog
from memtrig import wire
from msgspec import Struct, field

from memtrigd.clockwork.diary import Diary
from memtrigd.clockwork.jobs import Job
from memtrigd.clockwork.night import Night, Timer, measure, merge, walk
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, Micros
from memtrigd.store.interface import Hands
from memtrigd.store.writer import WriterLane

log = structlog.get_logger()

Woken: TypeAlias = Callable[[wire.Dreamt | Exception], None]
Later: TypeAlias = Callable[[float, Callable[[], None]], object]
"""Does something after some seconds, on the loop's thread."""


class Sleeper(Struct, eq=False):
    """A night under way: which steps are left, each slice by slice, and who waits for the end."""

    night: Night
    woken: list[Woken]
    steps: list[Callable[[Hands, Night, Timer], bool]] = field(default_factory=lambda: [measure, walk, merge])


class Dreamer:
    """Runs cycles in slices through the writer's lane: one slice, a pause as long as it took, then the next level's.

    So writes that came meanwhile go first, and however many levels dream, the writer has half of its time for them.
    """

    def __init__(
        self,
        writers: WriterLane,
        clock: Callable[[], Micros],
        diary: Diary,
        later: Later,
        timer: Timer = time.perf_counter,
    ) -> None:
        self._writers = writers
        self._clock = clock
        self._diary = diary
        self._later = later
        self._timer = timer
        self._sleepers: deque[Sleeper] = deque()
        self._busy = False

    def dream(self, level: Level, decay: wire.Decay, woken: Woken) -> None:
        """Run a cycle at a level; ``woken`` hears of it on the loop's thread, slices later.

        Who asks for what is under way already gets the same answer: there is never more to do than once all levels. A
        cycle of another day, by a clock that was set, is another.
        """
        for sleeper in self._sleepers:
            night, now = sleeper.night, self._clock()
            same = (night.level, night.dry, night.confirm) == (level, decay.dry_run, decay.confirm)
            if same and abs(now - night.now) < DAY:
                sleeper.woken.append(woken)
                return
        self._sleepers.append(Sleeper(Night(level, self._clock(), decay.dry_run, decay.confirm), [woken]))
        if not self._busy:
            self._turn()

    def figures(self) -> dict[Level, wire.Dream]:
        """For each level the cycle that is under way, or the last one."""
        under_way = {s.night.level: s.night.figures(under_way=True) for s in self._sleepers if not s.night.dry}
        return {**self._diary.last, **under_way}

    def _turn(self) -> None:
        """Let the night that waits longest do a slice."""
        self._busy = bool(self._sleepers)
        if not self._busy:
            return
        sleeper, began = self._sleepers[0], self._timer()

        def run(hands: Hands) -> bool:
            nonlocal began
            began = self._timer()  # what waited before it was others' work
            return sleeper.steps[0](hands, sleeper.night, self._timer)

        def done(outcome: Any) -> None:
            took = self._timer() - began
            sleeper.night.took(took)
            self._sleepers.rotate(-1)
            if outcome is False:
                del sleeper.steps[0]
            if isinstance(outcome, Exception):
                self._wake(sleeper, outcome)
            elif sleeper.night.stopped or not sleeper.steps:
                self._wake(sleeper, sleeper.night.told())
            self._later(took, self._turn)

        self._writers.submit(sleeper.night.level, run, done)

    def _wake(self, sleeper: Sleeper, outcome: wire.Dreamt | Exception) -> None:
        self._sleepers.remove(sleeper)
        if not sleeper.night.dry:
            self._diary.keep(sleeper.night.level, sleeper.night.figures(failed=isinstance(outcome, Exception)))
        for woken in sleeper.woken:
            woken(outcome)


def nightly(dreamer: Dreamer) -> Job:
    """The job of every night: a cycle at each level."""

    def run(now: Micros) -> None:
        for level in Level:
            dreamer.dream(level, wire.Decay(), _logged)

    return Job("dream", DAY, run)


def _logged(outcome: wire.Dreamt | Exception) -> None:
    if isinstance(outcome, Exception):
        log.error("no_dream", kind=type(outcome).__name__)
    else:
        log.info("dreamt", classification=outcome.level, count=outcome.expired)
