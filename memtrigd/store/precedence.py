"""Precedence: who asks little goes before who asks much, in every lane, for a bounded time.

Turns alone don't do it: while a quiet agent's request is in one lane, a flood's keep the other lanes busy, and all
threads share one interpreter.
"""

import time
from collections.abc import Hashable
from typing import Final

FEW: Final = 3
"""Requests under way with which a process asks little: a host with some agents, each of which awaits its answer."""
LINGER: Final = 0.005
"""Seconds in which whoever got an answer is likely to ask again, so that others still wait: "anticipatory scheduling",
as Iyer and Druschel (2001) called it for disks."""
PATIENCE: Final = 0.02
"""Seconds that a lane's next jobs wait at most for others: so nobody starves, however many ask little."""


class Precedence:
    """Knows how many requests each process has under way. Changed on one thread, asked from all."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, int] = {}
        self._quiet = 0
        self._until = 0.0

    def begin(self, process: Hashable) -> None:
        """Count a request in; the daemon's own, of process None, count for nothing."""
        if process is None:
            return
        count = self._under_way.get(process, 0) + 1
        self._under_way[process] = count
        self._quiet += (count == 1) - (count == FEW + 1)

    def end(self, process: Hashable) -> None:
        """Count a request out."""
        if process is None:
            return
        count = self._under_way.pop(process) - 1
        if count:
            self._under_way[process] = count
        self._quiet += (count == FEW) - (count == 0)
        if count < FEW:
            self._until = time.monotonic() + LINGER

    def yields(self, process: Hashable) -> bool:
        """Tell whether jobs of a process should wait now: somebody asks little, and this one much, or it is None.

        None is the daemon: nobody waits for what it does of its own accord.
        """
        much = process is None or self._under_way.get(process, 0) > FEW
        return much and (self._quiet > 0 or time.monotonic() < self._until)
