"""What is due is started, and counts as done only then."""

import pytest

from memtrigd.clockwork.jobs import Job
from memtrigd.clockwork.scheduler import Clockwork
from memtrigd.domain.moments import DAY, Micros


class Kept:
    """The last runs, in a dictionary."""

    def __init__(self) -> None:
        self.runs: dict[str, Micros] = {}

    def read(self, job: str) -> Micros | None:
        """The last run."""
        return self.runs.get(job)

    def keep(self, job: str, at: Micros) -> None:
        """Keep a run."""
        self.runs[job] = at


def test_a_job_runs_once_a_day_however_often_it_is_looked_at() -> None:
    """Five days asleep cost one run."""
    times, ran = [0, 1, DAY - 1, DAY, DAY + 1, 6 * DAY, 6 * DAY + 1], list[Micros]()
    clock = iter(times)
    clockwork = Clockwork([Job("daily", DAY, ran.append)], Kept(), lambda: next(clock))
    for _ in times:
        clockwork.tick()
    assert ran == [0, DAY, 6 * DAY]


def test_a_run_that_did_not_start_was_none() -> None:
    """It is tried again at the next look."""
    kept, ran = Kept(), list[Micros]()

    def run(now: Micros) -> None:
        ran.append(now)
        if len(ran) == 1:
            raise OSError

    clock = iter([5, 6])
    clockwork = Clockwork([Job("daily", DAY, run)], kept, lambda: next(clock))
    with pytest.raises(OSError):
        clockwork.tick()
    assert kept.runs == {}
    clockwork.tick()
    assert (ran, kept.runs) == ([5, 6], {"daily": 6})
