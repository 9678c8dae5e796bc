"""Lanes: threads that work through what is queued, batch by batch, and hand the outcomes back."""

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeAlias

from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store.interface import LevelReader

GRACE: Final = 1.0
"""Seconds that queued reads have left when the daemon stops."""
BATCH: Final = 256
"""Jobs that share a transaction at most: the first of them waits for all."""

Outcome: TypeAlias = Any
"""What became of a job: the value that it returned or the exception that it raised."""


Done: TypeAlias = Callable[[Outcome], None]
"""Whom to tell of a job's outcome."""
Deliver: TypeAlias = Callable[[list[tuple[Done, Outcome]]], None]
"""Takes outcomes that are there together, in the lane's thread; the daemon's loop then tells each one."""


class Job(Struct, frozen=True):
    """``run`` gets the lane's handles, in the lane. ``level`` is what the writer writes, None for control.db.

    The writer lets no job overtake an earlier one of its ``line``: a session, or None for whoever has none.
    """

    run: Callable[[Any], Any]
    done: Done
    level: Level | None = None
    line: str | None = None
    alone: bool = False
    """Outside any transaction, after all that came before it and before all that comes after."""


def stopping() -> Refusal:
    """The answer to jobs that come too late or after the disk failed."""
    return Refusal(
        "stopping",
        "The daemon is stopping; the request may or may not have been written.",
        "Send it again with the same idempotency key when the daemon is back.",
        retryable=True,
    )


class Lane:
    """One thread and its queue. Subclasses say what ``perform`` does with a batch."""

    def __init__(self, name: str, deliver: Deliver) -> None:
        self.deliver = deliver
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._closed = False
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Begin to work; what was queued before is not lost."""
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a job, from any thread. After ``stop`` its outcome is ``stopping``, delivered within this call."""
        with self._gate:
            if not self._closed:
                self._queue.put(job)
                return
        self.deliver([(job.done, stopping())])

    def stop(self) -> None:
        """Take no more jobs, finish those that are queued, and end the thread; returns when it has ended."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def perform(self, batch: Sequence[Job]) -> None:
        """Run the jobs of a batch and deliver the outcome of each."""
        raise NotImplementedError

    def _work(self) -> None:
        while (first := self._queue.get()) is not None:
            batch, last = self._drain(first)
            self.perform(batch)
            if last:
                return

    def _drain(self, first: Job) -> tuple[list[Job], bool]:
        """Take what is queued by now; tell whether the end was among it."""
        batch = [first]
        while len(batch) < BATCH:
            try:
                job = self._queue.get_nowait()
            except Empty:
                break
            if job is None:
                return batch, True
            batch.append(job)
        return batch, False


Handles: TypeAlias = Mapping[Level, LevelReader]


class ReadLane(Lane):
    """Runs reads on one thread, beside the loop and the writer."""

    def __init__(self, name: str, open_handles: Callable[[], Handles], deliver: Deliver) -> None:
        self._handles = open_handles()
        self._until = math.inf
        super().__init__(name, deliver)

    def stop(self) -> None:
        """Stop; reads that have not begun within GRACE are answered ``stopping``: a retry costs them nothing."""
        self._until = time.monotonic() + GRACE
        super().stop()

    def submit(self, run: Callable[[Handles], Any], done: Done) -> None:
        """Run ``run`` with the lane's handles; ``done`` gets what it returned or raised."""
        self.put(Job(run, done))

    def perform(self, batch: Sequence[Job]) -> None:
        """Run the jobs one by one, and deliver each outcome as it is there: the next job may be a slow one."""
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
