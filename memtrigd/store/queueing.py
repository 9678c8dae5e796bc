"""A queue in which nobody's jobs wait behind all of somebody else's: processes take turns, and in each its sessions."""

import math
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.store.interface import Asker

Outcome: TypeAlias = Any
"""What became of a job: the value that it returned or the exception that it raised."""
Done: TypeAlias = Callable[[Outcome], None]
"""Whom to tell of a job's outcome."""


DAEMON: Final[Asker] = (None, None)


class Job(Struct):
    """``run`` gets the lane's handles, in the lane. ``level`` is what the writer writes, None for control.db.

    The writer lets no job overtake an earlier one of its ``line``: a session, or None for whoever has none.
    """

    run: Callable[[Any], Any]
    done: Done
    level: Level | None = None
    line: str | None = None
    alone: bool = False
    """Outside any transaction, after all that came before it and before all that comes after."""
    asker: Asker = DAEMON
    number: int = 0
    """The place in the order in which jobs came, which the queue gives."""


class FairQueue:
    """Jobs in turns: the next job is of the process that was served longest ago. An asker's own stay in their order.

    With ``control_first``, for the writer, jobs of control.db come before all others, and none passes one that came
    before it: a session is there before what it writes, and a raise before what is written above.
    """

    def __init__(self, *, control_first: bool = False) -> None:
        self._control_first = control_first
        self._came = 0
        self._size = 0
        self._first: deque[Job] = deque()
        self._alone: deque[Job] = deque()
        self._turns: OrderedDict[Hashable, OrderedDict[str | None, deque[Job]]] = OrderedDict()

    def __len__(self) -> int:
        return self._size

    def put(self, job: Job) -> None:
        """Add a job."""
        self._came += 1
        self._size += 1
        job.number = self._came
        if job.alone:
            self._alone.append(job)
        elif self._control_first and job.level is None:
            self._first.append(job)
        else:
            process, session = job.asker
            self._turns.setdefault(process, OrderedDict()).setdefault(session, deque()).append(job)

    def take(self, most: int, yields: Callable[[Hashable], bool] = lambda _: False) -> list[Job]:
        """Take up to ``most`` jobs in the order of turns; one that is to be alone is taken alone.

        Jobs of processes that ``yields`` tells to wait are left. None if the queue is empty, or all have to wait.
        """
        until = self._alone[0].number if self._alone else math.inf
        taken: list[Job] = []
        while self._first and len(taken) < most and self._first[0].number < until:
            taken.append(self._first.popleft())
        if self._first:
            until = min(until, self._first[0].number)
        passed, waits = 0, False
        while len(taken) < most and passed < len(self._turns):
            process = next(iter(self._turns))
            waits |= (wait := yields(process))
            job = self._of(process, until) if not wait else None
            passed = passed + 1 if job is None else 0
            if job is not None:
                taken.append(job)
            if process in self._turns:
                self._turns.move_to_end(process)
        if not taken and self._alone and not waits:
            taken.append(self._alone.popleft())
        self._size -= len(taken)
        return taken

    def put_back(self, jobs: Sequence[Job]) -> None:
        """Let jobs that were taken wait again, each before all of its asker's; their askers come first, in this order.

        So whoever had to wait for a commit that took long is served at the next one, and nobody's jobs change places.
        """
        self._size += len(jobs)
        for job in sorted(jobs, key=lambda job: job.number, reverse=True):
            if self._control_first and job.level is None:
                self._first.appendleft(job)
            else:
                process, session = job.asker
                self._turns.setdefault(process, OrderedDict()).setdefault(session, deque()).appendleft(job)
        for process, session in reversed(dict.fromkeys(job.asker for job in jobs)):
            if session in self._turns.get(process, ()):
                self._turns.move_to_end(process, last=False)
                self._turns[process].move_to_end(session, last=False)

    def _of(self, process: Hashable, until: float) -> Job | None:
        """Take a process's next job, one that came before ``until``, of the session whose turn it is."""
        sessions = self._turns[process]
        for session in tuple(sessions):
            waiting = sessions[session]
            if waiting[0].number >= until:
                continue
            job = waiting.popleft()
            sessions.move_to_end(session)
            if not waiting:
                del sessions[session]
            if not sessions:
                del self._turns[process]
            return job
        return None
