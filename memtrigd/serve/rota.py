"""The rota: whose connection goes on next, so that on the one loop nobody waits for all that somebody else sends.

Who has not had a turn in this round of the loop has it at once. All others wait in a line of processes, and in each
round one of them has a slice of time: between two slices the loop looks who else is there.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from typing import Final, Protocol, TypeAlias

SLICE: Final = 0.0005
"""Seconds of one turn; what is begun is finished."""

Act: TypeAlias = Callable[[], None]


class Turns(Protocol):
    """Gives turns."""

    def turn(self, process: Hashable, act: Act) -> None:
        """Call ``act``, once, now or when it is the turn of ``process``."""

    def over(self) -> bool:
        """Tell whether the turn that is under way should come to its end."""

    def end(self) -> None:
        """Let nobody else of the process go on in this turn: what it set going is still to come."""


class AtOnce:
    """Turns without end, for connections that share no loop."""

    def turn(self, process: Hashable, act: Act) -> None:
        """Call ``act`` now."""
        act()

    def over(self) -> bool:
        """Never."""
        return False

    def end(self) -> None:
        """There is no end."""


class Rota:
    """The turns on the running loop."""

    def __init__(self) -> None:
        self._served: set[Hashable] = set()
        self._lines: OrderedDict[Hashable, deque[Act]] = OrderedDict()
        self._scheduled = False
        self._until = 0.0

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def turn(self, process: Hashable, act: Act) -> None:
        """Call ``act`` now, or where the process had a turn in this round, when it has its next."""
        self._go_round()
        if process in self._served or process in self._lines:
            self._lines.setdefault(process, deque()).append(act)
            return
        self._served.add(process)
        self._until = time.perf_counter() + SLICE
        act()

    def over(self) -> bool:
        """Tell whether the slice is used up."""
        return time.perf_counter() >= self._until

    def end(self) -> None:
        """Use the slice up."""
        self._until = 0.0

    def _go_round(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._round)

    def _round(self) -> None:
        """Give a slice to the process whose turn it is."""
        self._scheduled = False
        self._served.clear()
        if not self._lines:
            return
        process, acts = self._lines.popitem(last=False)
        self._served.add(process)
        self._until = time.perf_counter() + SLICE
        try:
            while acts:
                acts.popleft()()
                if self.over():
                    break
        finally:
            if acts:
                self._lines.setdefault(process, deque()).extendleft(reversed(acts))
            if self._lines:
                self._go_round()
