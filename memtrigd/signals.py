"""Signals to the daemon, kept from the first that is heeded to the end of the process, over loops that come and go.

A loop's own handlers end with it, and between two loops, while a restored store is put in its place, a signal would
end the process on the spot. So each waits in a socket of our own until a loop reads it.
"""

import asyncio
import signal
import socket
from collections.abc import Callable
from typing import Final, TypeAlias

Act: TypeAlias = Callable[[], object]
STOPPING: Final = (signal.SIGTERM, signal.SIGINT)


class Signals:
    """The signals of this process; for its main thread. ``over`` is true once SIGTERM or SIGINT was read."""

    def __init__(self) -> None:
        self.over = False
        self._near, self._far = socket.socketpair()
        for end in (self._near, self._far):
            end.setblocking(False)

    def heed(self, loop: asyncio.AbstractEventLoop, stop: Act, reload: Act) -> None:
        """Let a loop do what the signals ask for, also about those that came since the last one ended."""
        for number in (*STOPPING, signal.SIGHUP):
            signal.signal(number, _wait)
        signal.set_wakeup_fd(self._far.fileno(), warn_on_full_buffer=False)
        loop.add_reader(self._near, self._read, stop, reload)

    def _read(self, stop: Act, reload: Act) -> None:
        for number in self._near.recv(1 << 12):
            if number in STOPPING:
                self.over = True
                stop()
            elif number == signal.SIGHUP:
                reload()


def _wait(*_: object) -> None:
    """Nothing yet: its number waits in the socket, and has woken the loop."""
