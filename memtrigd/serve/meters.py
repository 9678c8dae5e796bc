"""What the owner can measure: requests as they are answered, and what others add. No content, key or name is in it."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.histograms import SECONDS, Histogram
from memtrigd.domain.levels import Level
from memtrigd.gate.doors import DoorKind
from memtrigd.serve.dispatch import Caller, Done, Reply
from memtrigd.serve.exposition import Family, counter, histogram, text
from memtrigd.store.interface import LevelReader

Look: TypeAlias = Callable[[Mapping[Level, LevelReader]], Iterable[Family]]
"""What there is at the moment, looked up on a lane of reads."""


class Meters:
    """Counts the answers. ``gauges``, asked on the loop whenever somebody looks, give looks at what there is beside."""

    def __init__(self) -> None:
        self.gauges: list[Callable[[], Look]] = []
        self._answers: Counter[tuple[str, str, str]] = Counter()
        self._seconds: dict[str, Histogram] = {}

    def timed(self, caller: Caller, level: Level | None, request: wire.Request, done: Done) -> Done:
        """Count a request once it is answered through what this returns."""
        inner = request.request if isinstance(request, wire.Act) else request
        what, begin = str(type(inner).__struct_config__.tag), time.perf_counter()
        whose = caller.door.kind.value if level is None or caller.door.kind is DoorKind.CONTROL else level.slug

        def answered(reply: Reply) -> None:
            self._answers[what, outcome(reply), whose] += 1
            counted = self._seconds.get(what)
            if counted is None:
                counted = self._seconds[what] = Histogram(SECONDS)
            counted.add(time.perf_counter() - begin)
            done(reply)

        return answered

    def families(self) -> list[Family]:
        """The requests that were answered."""
        answers = ({"request": what, "outcome": became, "from": whose} for what, became, whose in self._answers)
        seconds = (({"request": what}, counted) for what, counted in self._seconds.items())
        return [
            counter(
                "requests_total",
                "Requests answered, by type, outcome (ok or an error's code) and whom from (a level or a door).",
                *zip(answers, self._answers.values(), strict=True),
            ),
            histogram("request_seconds", "From a request's turn to its answer.", *seconds),
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
