"""Lanes: threads that work through what is queued, batch by batch, and hand the outcomes back."""

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store.interface import Asker, LevelReader
from memtrigd.store.precedence import PATIENCE, Precedence
from memtrigd.store.queueing import DAEMON, Done, FairQueue, Job, Outcome

GRACE: Final = 1.0
"""Seconds that queued reads have left when the daemon stops."""
LOOK: Final = 0.002
"""Seconds after which a lane looks anew whether its jobs may go on."""

Deliver: TypeAlias = Callable[[list[tuple[Done, Outcome]]], None]
"""Takes outcomes that are there together, in the lane's thread; the daemon's loop then tells each one."""


def stopping() -> Refusal:
    """The answer to jobs that come too late or after the disk failed."""
    return Refusal(
        "stopping",
        "The daemon is stopping; the request may or may not have been written.",
        "Send it again with the same idempotency key when the daemon is back.",
        retryable=True,
    )


class Lane:
    """One thread and its queue. Subclasses say what ``perform`` does with a batch of at most ``most`` jobs."""

    most = 1

    def __init__(
        self, name: str, deliver: Deliver, precedence: Precedence | None = None, *, control_first: bool = False
    ) -> None:
        self.name = name
        self.deliver = deliver
        self._queue = FairQueue(control_first=control_first)
        self._yields = (precedence or Precedence()).yields
        self._closed = False
        self._patience = math.inf
        """Until when jobs that are held may still be."""
        self._gate = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def __len__(self) -> int:
        return len(self._queue)

    def start(self) -> None:
        """Begin to work; what was queued before is not lost."""
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a job, from any thread. After ``stop`` its outcome is ``stopping``, delivered within this call."""
        with self._gate:
            if not self._closed:
                self._queue.put(job)
                self._gate.notify()
                return
        self.deliver([(job.done, stopping())])

    def put_back(self, jobs: Sequence[Job]) -> None:
        """Queue jobs of a batch again, before all others and in this order of their askers. For ``perform``."""
        with self._gate:
            self._queue.put_back(jobs)

    def stop(self) -> None:
        """Take no more jobs, finish those that are queued, and end the thread; returns when it has ended."""
        with self._gate:
            self._closed = True
            self._gate.notify()
        self._thread.join()

    def perform(self, batch: Sequence[Job]) -> None:
        """Run the jobs of a batch and deliver the outcome of each."""
        raise NotImplementedError

    def _work(self) -> None:
        while batch := self._next():
            self.perform(batch)

    def _next(self) -> list[Job]:
        """Wait for jobs and take those whose turn it is; none once the lane is stopped and its queue is empty.

        Jobs that have to let others go before are taken after PATIENCE all the same.
        """
        with self._gate:
            while not self._queue and not self._closed:
                self._gate.wait()
            while not self._closed and time.monotonic() < self._patience:
                taken = self._queue.take(self.most, self._yields)
                self._patience = min(self._patience, time.monotonic() + PATIENCE) if self._queue else math.inf
                if taken:
                    return taken
                self._gate.wait(LOOK)
            self._patience = math.inf
            return self._queue.take(self.most)


Handles: TypeAlias = Mapping[Level, LevelReader]


class ReadLane(Lane):
    """Runs reads on one thread, beside the loop and the writer."""

    def __init__(
        self, name: str, open_handles: Callable[[], Handles], deliver: Deliver, precedence: Precedence | None = None
    ) -> None:
        self._handles = open_handles()
        self._until = math.inf
        super().__init__(name, deliver, precedence)

    def stop(self) -> None:
        """Stop; reads that have not begun within GRACE are answered ``stopping``: a retry costs them nothing."""
        self._until = time.monotonic() + GRACE
        super().stop()

    def submit(self, run: Callable[[Handles], Any], done: Done, asker: Asker = DAEMON) -> None:
        """Run ``run`` with the lane's handles; ``done`` gets what it returned or raised. ``asker`` waits its turn."""
        self.put(Job(run, done, asker=asker))

    def perform(self, batch: Sequence[Job]) -> None:
        """Run the jobs one by one, and deliver each outcome as it is there."""
        for job in batch:
            self.deliver([(job.done, self._outcome(job))])

    def _outcome(self, job: Job) -> Outcome:
        """What the job returned; an error is the outcome of the job that raised it."""
        if time.monotonic() > self._until:
            return stopping()
        try:
            return job.run(self._handles)
        except Exception as error:
            return error
