"""Rounds of scrubs: whoever waits for the same level's shares one, and others write between its steps."""

from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from memtrigd.domain.levels import Level
from memtrigd.store.interface import Upkeep
from memtrigd.store.queueing import Done

_MORE: Final = object()


class Alone(Protocol):
    """Runs a function alone on the writer's thread, and tells of its outcome."""

    def __call__(self, level: Level, run: Callable[[Upkeep], Any], done: Done) -> None:
        """Run ``run`` outside any transaction."""


class Rounds:
    """The scrubs of one writer. What calls and what is told runs on one thread."""

    def __init__(self, alone: Alone) -> None:
        self._alone = alone
        self._waiting: dict[Level, list[Done]] = {}
        self._under_way: set[Level] = set()

    def scrub(self, level: Level, done: Done) -> None:
        """Scrub a level's file; ``done`` gets None once nothing remains of what was deleted before this call.

        So a round that is under way is none for who comes now: it may have passed what they are about.
        """
        self._waiting.setdefault(level, []).append(done)
        if level not in self._under_way:
            self._begin(level)

    def _begin(self, level: Level) -> None:
        self._under_way.add(level)
        told = self._waiting.pop(level)
        work: Iterator[None] | None = None

        def step(upkeep: Upkeep) -> object:
            nonlocal work
            work = upkeep.scrub() if work is None else work
            return next(work, _MORE) is None

        def stepped(outcome: Any) -> None:
            if outcome is True:
                self._alone(level, step, stepped)
                return
            self._under_way.remove(level)
            if level in self._waiting:
                self._begin(level)
            for done in told:
                done(outcome or None)

        self._alone(level, step, stepped)
