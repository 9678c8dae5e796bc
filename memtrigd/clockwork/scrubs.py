"""Old credentials are found and taken out while the daemon runs: a walk that only reads, then one small write after
the other, and at the end of each level a file in which nothing of them remains.

That a level is under way stands in control.db, which names no content: a start after a crash goes on with it.
"""

import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import structlog
from memtrig import wire

from memtrigd.clockwork import scrubbing
from memtrigd.clockwork.scrubbing import Act, Pace, Readers, Report
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import Micros
from memtrigd.store.audit import SCRUB
from memtrigd.store.interface import Change, Hands, LevelReader
from memtrigd.store.lanes import ReadLane, stopping
from memtrigd.store.writer import WriterLane

PREFIX: Final = "scrub."
"""Of the settings that say which levels are under way, and whether with what the owner forced."""
SLICE: Final = 0.005
"""Seconds of work between two rests."""

Told: TypeAlias = Callable[[Any], None]
"""Gets a result or an exception, on the loop's thread."""
Step: TypeAlias = Callable[[Told], object]
"""Something that is done elsewhere, and whose outcome comes back."""
Work: TypeAlias = Generator[Step, Any, wire.SecretsScrubbed]

log = structlog.get_logger()


class Scrubs:
    """One at a time: reads in a lane with others that take long, and writes in slices with pauses as long as these.

    ``holding`` names what has a copy of a level, ``later`` does something after some seconds on the loop's thread, and
    ``listeners`` are told of each level that changed.
    """

    def __init__(  # noqa: PLR0917 - the daemon's parts, each of its own type
        self,
        lane: ReadLane,
        writers: WriterLane,
        unavailable: Mapping[Level, Refusal],
        clock: Callable[[], Micros],
        holding: Callable[[Level], Sequence[tuple[str, Micros]]],
        later: Callable[[float, Callable[[], None]], object],
        listeners: Sequence[Callable[[Level], None]],
    ) -> None:
        self._lane = lane
        self._writers = writers
        self._unavailable = unavailable
        self._clock = clock
        self._holding = holding
        self._later = later
        self._listeners = listeners
        self._ending = threading.Event()
        self._busy = False

    def stop(self) -> None:
        """End what is under way: the next start goes on with it."""
        self._ending.set()

    def scrub(self, request: wire.SecretsScrub, told: Told) -> None:
        """Find credentials, and take them out unless it is a dry run. Raises Refusal ``bad_level`` or ``busy``."""
        levels = list(Level) if request.level is None else [parse_level(request.level)]
        if self._busy:
            raise Refusal("busy", "Credentials are being looked for already.", "Ask again later.", retryable=True)
        self._go(self._all(levels, request, frozenset()), told)

    def resume(self, kept: Mapping[str, str]) -> None:
        """Go on with what the last stop cut off; ``kept`` are the settings that name the levels."""
        levels = [level for level in Level if PREFIX + level.slug in kept]
        if levels:
            forced = any(kept[PREFIX + level.slug] == "forced" for level in levels)
            self._go(self._all(levels, wire.SecretsScrub(forced=forced), frozenset(levels)), _logged)

    def _go(self, work: Work, told: Told) -> None:
        self._busy = True

        def over(outcome: Any) -> None:
            self._busy = False
            told(outcome)

        _drive(work, over, None)

    def _all(self, levels: Sequence[Level], request: wire.SecretsScrub, begun: frozenset[Level]) -> Work:
        report, skipped = Report(request.forced), []
        for level in levels:
            if level in self._unavailable:
                skipped.append(level.name)
            else:
                yield from self._at(level, request, report, begun=level in begun)
        backups = [name for level, since in report.since.items() for name, at in self._holding(level) if at >= since]
        return wire.SecretsScrubbed(
            count=report.count,
            scrubbed=0 if request.dry_run else report.scrubbed,
            found=report.found,
            more=report.count - len(report.found),
            dry_run=request.dry_run,
            backups=list(dict.fromkeys(backups)),
            skipped=skipped,
        )

    def _at(
        self, level: Level, request: wire.SecretsScrub, report: Report, *, begun: bool
    ) -> Generator[Step, Any, None]:
        """Find and take out at one level: first from memories, then from what follows them; then the file anew."""
        for look in (scrubbing.in_memories, scrubbing.in_the_rest):
            acts = yield self._reading(level, partial(look, level=level, report=report))
            if request.dry_run or not acts:
                continue
            if not begun:
                begun = True
                how = "forced" if request.forced else "plain"
                yield self._noting(partial(_begin, PREFIX + level.slug, how))
            for act in acts:
                yield self._writing(level, act)
        if begun:
            yield partial(self._writers.scrub, level)
            yield self._noting(lambda hands: hands.control.drop_setting(PREFIX + level.slug))
            for listener in self._listeners:
                listener(level)

    def _reading(self, level: Level, look: Callable[..., list[Act]]) -> Step:
        def run(handles: Mapping[Level, LevelReader]) -> list[Act]:
            sight: Readers = {each: handles[each] for each in level.and_below() if each in handles}
            return look(sight, pace=self._pace())

        return partial(self._lane.submit, run)

    def _noting(self, run: Callable[[Hands], None]) -> Step:
        return partial(self._writers.submit, None, run)

    def _writing(self, level: Level, act: Act) -> Step:
        """One transaction, and before the next a pause as long as it took: so others' writes go first."""
        began, change = time.monotonic(), Change(op=SCRUB, actor="owner", session=None, at=self._clock())

        def run(hands: Hands) -> None:
            nonlocal began
            began = time.monotonic()  # what waited before it was others' work
            if self._ending.is_set():
                raise stopping()
            assert hands.writer is not None  # a job at a level
            act(hands.writer, change)

        def step(told: Told) -> None:
            def done(outcome: Any) -> None:
                self._later(time.monotonic() - began, partial(told, outcome))

            self._writers.submit(level, run, done)

        return step

    def _pace(self) -> Pace:
        began = time.monotonic()

        def rest() -> None:
            nonlocal began
            worked = time.monotonic() - began
            if worked >= SLICE or self._ending.is_set():
                if self._ending.wait(min(worked, 10 * SLICE)):
                    raise stopping()
                began = time.monotonic()

        return rest


def _drive(work: Work, over: Told, outcome: Any) -> None:
    """Let the work have the outcome of its last step, and begin the next; at its end tell what it came to."""
    try:
        step = work.throw(outcome) if isinstance(outcome, Exception) else work.send(outcome)
        step(partial(_drive, work, over))
    except StopIteration as end:
        over(end.value)
    except Exception as error:
        over(error)


def _begin(setting: str, how: str, hands: Hands) -> None:
    hands.control.set_setting(setting, how)


def _logged(outcome: Any) -> None:
    if isinstance(outcome, Exception):
        log.error("not_scrubbed", kind=type(outcome).__name__)
    else:
        log.info("scrubbed", count=outcome.scrubbed)
