"""Rounds of scrubs: shared by those who came before they began, and by nobody else."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store.interface import Upkeep
from memtrigd.store.queueing import Done
from memtrigd.store.rounds import Rounds


class Desk:
    """A writer whose jobs wait until they are let through; each scrub takes some steps, or fails after these."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Level, Callable[[Upkeep], Any], Done]] = []
        self.begun: list[Level] = []
        self.error: Exception | None = None

    def alone(self, level: Level, run: Callable[[Upkeep], Any], done: Done) -> None:
        """Queue a job."""
        self.jobs.append((level, run, done))

    def work(self, jobs: int) -> None:
        """Do the next jobs as the lane does."""
        for _ in range(jobs):
            level, run, done = self.jobs.pop(0)
            try:
                outcome = run(self.upkeep(level))
            except Exception as error:
                outcome = error
            done(outcome)

    def upkeep(self, level: Level) -> Any:
        """The upkeep of a level."""

        class Three:
            def scrub(_) -> Iterator[None]:
                self.begun.append(level)
                yield
                yield
                if self.error is not None:
                    raise self.error

        return Three()


@pytest.fixture
def desk() -> Desk:
    """The writer."""
    return Desk()


def test_who_waits_shares_a_round_and_who_comes_meanwhile_the_next(desk: Desk) -> None:
    """Nobody is told by a round that may have passed what they are about; each step is a job of its own."""
    told: list[tuple[str, object]] = []
    rounds = Rounds(desk.alone)
    for name in "abcd":
        rounds.scrub(Level.PUBLIC, lambda outcome, name=name: told.append((name, outcome)))
    assert len(desk.jobs) == 1
    desk.work(2)
    rounds.scrub(Level.PUBLIC, lambda outcome: told.append(("e", outcome)))
    assert told == []
    desk.work(1)
    assert told == [("a", None)]
    desk.work(3)
    assert told == [(name, None) for name in "abcde"] and desk.begun == [Level.PUBLIC] * 2 and not desk.jobs


def test_levels_do_not_wait_for_one_another(desk: Desk) -> None:
    """Their steps take turns."""
    told: list[Level] = []
    rounds = Rounds(desk.alone)
    for level in (Level.PUBLIC, Level.RESTRICTED):
        rounds.scrub(level, lambda _, level=level: told.append(level))
    desk.work(5)
    assert told == [Level.PUBLIC]
    desk.work(1)
    assert told == [Level.PUBLIC, Level.RESTRICTED]


def test_a_refusal_is_told_to_all_of_its_round_and_the_next_goes_on(desk: Desk) -> None:
    """Whoever waits for another round is not told of it."""
    told: list[object] = []
    rounds = Rounds(desk.alone)
    desk.error = Refusal("store_locked", "No.", retryable=True)
    rounds.scrub(Level.PUBLIC, told.append)
    rounds.scrub(Level.PUBLIC, told.append)
    desk.work(3)
    assert told == [desk.error]
    desk.error = None
    desk.work(3)
    assert told[1:] == [None]
