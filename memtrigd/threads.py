"""The threads beside the loop: the one writer, and lanes that read, so that no long read delays a short one."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol

from memtrigd.analysis.apart import Analysis
from memtrigd.domain.levels import Level
from memtrigd.embedder.messages import Model
from memtrigd.search.indexes import Indexes
from memtrigd.serve import faults
from memtrigd.serve.rota import SLICE
from memtrigd.store.lanes import Deliver, Lane, ReadLane
from memtrigd.store.precedence import Precedence
from memtrigd.store.queueing import Done, Outcome
from memtrigd.store.vault import Vault
from memtrigd.store.writer import WriterLane


class Warm(Protocol):
    """Has the indexes loaded, and with a model its vectors too."""

    def __call__(self, model: Model | None = None) -> None:
        """From any thread, and without waiting for it."""


class Analysts(ReadLane):
    """The thread that has large texts analysed."""

    def __init__(self, deliver: Deliver, precedence: Precedence) -> None:
        self.analysis = Analysis()
        super().__init__("memtrigd-analyst", dict, deliver, precedence)

    def stop(self) -> None:
        """Stop, without waiting for the process that analyses."""
        self.analysis.end()
        super().stop()
        self.analysis.close()


class Threads:
    """Every lane of a daemon. What they bring is handed out on ``loop``; ``poisoned`` hears of a disk that failed."""

    def __init__(
        self, vault: Vault, loop: asyncio.AbstractEventLoop, poisoned: Callable[[BaseException], None]
    ) -> None:
        deliver, self.precedence = Outcomes(loop).deliver, Precedence()
        self.writers = WriterLane(vault, deliver, poisoned, self.precedence)
        self.readers = ReadLane("memtrigd-reader", vault.readers, deliver, self.precedence)
        self.walkers = ReadLane("memtrigd-walker", vault.readers, deliver, self.precedence)
        self.searchers = ReadLane("memtrigd-searcher", vault.readers, deliver, self.precedence)
        self.scrubbers = ReadLane("memtrigd-scrubber", vault.readers, deliver, self.precedence)
        self.analysts = Analysts(deliver, self.precedence)
        self.copyists = ReadLane("memtrigd-backup", dict, deliver, self.precedence)
        self.verifiers = ReadLane("memtrigd-auditor", dict, deliver, self.precedence)
        self.doctors = ReadLane("memtrigd-doctor", dict, deliver, self.precedence)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """All of them, the writer first."""
        slow = self.copyists, self.verifiers, self.scrubbers, self.doctors
        return (self.writers, self.readers, self.walkers, self.searchers, self.analysts, *slow)

    def start(self) -> None:
        """Begin to work."""
        for lane in self.lanes:
            lane.start()

    def in_searches(self, act: Callable[[Level], None]) -> Callable[[Level], None]:
        """What has ``act`` called where searches are made, from any thread and without waiting for it."""

        def queue(level: Level) -> None:
            self.searchers.submit(lambda _: act(level), faults.of_job)

        return queue

    def warming(self, indexes: Indexes) -> Warm:
        """What has every level's index loaded where searches are made."""

        def queue(model: Model | None = None) -> None:
            self.searchers.submit(partial(indexes.warm, model=model), faults.of_job)

        return queue

    async def stop(self, last: Callable[[], None]) -> None:
        """Stop those that read, the slow ones first, then run ``last``, whose writes are the last, and stop the writer.

        Returns when every outcome was handed out.
        """
        _, *reading = self.lanes
        for lane in reversed(reading):
            await asyncio.to_thread(lane.stop)
        last()
        await asyncio.to_thread(self.writers.stop)
        await asyncio.sleep(0)  # the last answers, handed to the loop by the lanes


class Outcomes:
    """What the lanes bring to the loop, told in turn: after a slice of time the loop first sees who else is there."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._untold: deque[tuple[Done, Outcome]] = deque()

    def deliver(self, outcomes: list[tuple[Done, Outcome]]) -> None:
        """Bring a lane's batch to the loop, in one hop, from its thread."""
        self._loop.call_soon_threadsafe(self.take, outcomes)

    def take(self, outcomes: list[tuple[Done, Outcome]]) -> None:
        """Tell a batch, behind those that are told; on the loop."""
        waited = bool(self._untold)
        self._untold += outcomes
        if not waited:
            self._tell()

    def _tell(self) -> None:
        """Tell each of its outcome. One that fails keeps nobody else from theirs."""
        until = time.perf_counter() + SLICE
        while self._untold:
            done, outcome = self._untold.popleft()
            try:
                done(outcome)
            except Exception as error:
                faults.record(error)
            if self._untold and time.perf_counter() >= until:
                self._loop.call_soon(self._tell)
                return
