"""What the owner can measure: requests as they are answered, and what others add. No content, key or name is in it.

Each request has an id, of this start of the daemon's: its line in the log and its figure here bear the same.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any, Final, TypeAlias

import structlog
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.histograms import SECONDS, Histogram
from memtrigd.domain.levels import Level
from memtrigd.gate.doors import DoorKind
from memtrigd.serve.dispatch import Caller, Done, Reply
from memtrigd.serve.exposition import Family, counter, gauge, histogram, text
from memtrigd.store.interface import LevelReader

SLOW: Final = 1.0
"""Seconds from which on a request has a line in the log, whatever its type."""

_NONE: Final = -1.0, ""
log = structlog.get_logger()

Look: TypeAlias = Callable[[Mapping[Level, LevelReader]], Iterable[Family]]
"""What there is at the moment, looked up on a lane of reads."""


class Meters:
    """Counts the answers. ``gauges``, asked on the loop whenever somebody looks, give looks at what there is beside."""

    def __init__(self) -> None:
        self.gauges: list[Callable[[], Look]] = []
        self.each_logged = False
        """Whether each request has a line in the log, or only those that are slow."""
        self._answers: Counter[tuple[str, str, str]] = Counter()
        self._seconds: dict[str, Histogram] = {}
        self._slowest: dict[str, tuple[float, str]] = {}
        self._start, self._number = os.urandom(3).hex(), count(1)

    def timed(self, caller: Caller, level: Level | None, request: wire.Request, done: Done) -> Done:
        """Give a request its id, and count it once it is answered through what this returns."""
        inner = request.request if isinstance(request, wire.Act) else request
        what, begin = str(type(inner).__struct_config__.tag), time.perf_counter()
        whose = caller.door.kind.value if level is None or caller.door.kind is DoorKind.CONTROL else level.slug

        number = next(self._number)

        def answered(reply: Reply) -> None:
            became, seconds = outcome(reply), time.perf_counter() - begin
            self._answers[what, became, whose] += 1
            counted = self._seconds.get(what)
            if counted is None:
                counted = self._seconds[what] = Histogram(SECONDS)
            counted.add(seconds)
            if seconds >= SLOW or seconds > self._slowest.get(what, _NONE)[0] or self.each_logged:
                self._note(f"{self._start}-{number:x}", what, became, whose, seconds)
            done(reply)

        return answered

    def _note(self, identity: str, what: str, became: str, whose: str, seconds: float) -> None:
        """Keep a request that took longest so far; log it if it was slow, or if each is logged."""
        if seconds > self._slowest.get(what, _NONE)[0]:
            self._slowest[what] = seconds, identity
        say = log.info if seconds >= SLOW else log.debug
        say("request", id=identity, request=what, outcome=became, whose=whose, seconds=round(seconds, 6))

    def families(self) -> list[Family]:
        """The requests that were answered."""
        answers = ({"request": what, "outcome": became, "from": whose} for what, became, whose in self._answers)
        seconds = (({"request": what}, counted) for what, counted in self._seconds.items())
        slowest = (({"request": what, "id": each[1]}, each[0]) for what, each in self._slowest.items())
        return [
            counter(
                "requests_total",
                "Requests answered, by type, outcome (ok or an error's code) and whom from (a level or a door).",
                *zip(answers, self._answers.values(), strict=True),
            ),
            histogram("request_seconds", "From a request's turn to its answer.", *seconds),
            gauge("request_slowest_seconds", "The slowest request of each type, with its id in the log.", *slowest),
        ]

    def look(self) -> Callable[[Mapping[Level, LevelReader]], wire.Exposition]:
        """What to run on a lane of reads to have all figures as text."""
        answers, looks = self.families(), [begin() for begin in self.gauges]

        def run(handles: Mapping[Level, LevelReader]) -> wire.Exposition:
            return wire.Exposition(text=text([*answers, *(each for look in looks for each in look(handles))]))

        return run


def outcome(reply: Reply) -> str:
    """What became of a request: ok, or the code of its error."""
    error: Any = reply.error
    return "ok" if error is None else error.code if isinstance(error, Refusal) else "internal"
