"""A tick a minute looks which jobs are due. The last runs are in control.db, so five days asleep cost one run each."""

from collections.abc import Callable, Sequence
from datetime import UTC
from typing import Final, Protocol

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from memtrigd.clockwork.jobs import Job, due
from memtrigd.domain.moments import Micros

TICK: Final = 60
"""Seconds between looks. A timer of the event loop stops while the machine sleeps; a short one is late by little."""


class LastRuns(Protocol):
    """Where the time of a job's last run is kept."""

    def read(self, job: str) -> Micros | None:
        """The last run, None where there was none."""

    def keep(self, job: str, at: Micros) -> None:
        """Keep a run."""


class Clockwork:
    """Starts jobs on the loop's thread when they are due."""

    def __init__(self, jobs: Sequence[Job], runs: LastRuns, clock: Callable[[], Micros]) -> None:
        self._jobs = jobs
        self._runs = runs
        self._clock = clock
        self._scheduler = AsyncIOScheduler(
            timezone=UTC,  # no hour that comes twice or never
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )

    def start(self) -> None:
        """Begin to tick, the first time at once."""
        self._scheduler.add_job(self._tick, "interval", seconds=TICK)
        self._scheduler.start()
        self.tick()

    def every(self, seconds: float, act: Callable[[], None]) -> None:
        """Do something small every so many seconds, for as long as the daemon runs."""

        async def on_the_loop() -> None:
            act()

        self._scheduler.add_job(on_the_loop, "interval", seconds=seconds)

    def stop(self) -> None:
        """Tick no more."""
        self._scheduler.shutdown(wait=False)

    def tick(self) -> None:
        """Start what is due."""
        now = self._clock()
        for job in self._jobs:
            if due(now, self._runs.read(job.name), job.every):
                job.run(now)
                self._runs.keep(job.name, now)

    async def _tick(self) -> None:
        self.tick()
