"""Requests one after the other on one connection, some of them under way at a time, so that nobody waits for nothing.

Each is a write with an idempotency key: what a connection broke off is asked again, and written once.
"""

from __future__ import annotations

import time
from collections import deque

from memtrig.ctl import talk
from memtrig.ctl.failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from typing import Any

UNDER_WAY = 3
"""Requests under way: one that is analysed, one that is written, one that comes. With more the daemon would let it
wait for whoever asks little."""


class Pipeline:
    """What ``talk.ask`` does, for many requests; replies come in the order of the requests.

    Whatever goes wrong with one is left to ``talk.ask``, which knows what is worth another try and raises Failure.
    """

    def __init__(self, caller: talk.Caller, timeout: float = talk.TIMEOUT) -> None:
        self._caller = caller
        self._timeout = timeout
        self._connection: socket.socket | None = None
        self._asked: deque[tuple[int, dict[str, Any]]] = deque()
        self._answers: dict[int, dict[str, Any]] = {}
        self._number = 0

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def put(self, request: dict[str, Any]) -> Iterator[talk.Reply]:
        """Send a request once there is room for it, and give the replies that had to be awaited for that.

        It is sent when all of these were taken. Raises Failure.
        """
        while len(self._asked) >= UNDER_WAY:
            yield self._oldest()
        self._number += 1
        frame = talk.framed({"id": self._number, "request": request})
        self._asked.append((self._number, request))
        try:
            if self._connection is None and len(self._asked) == 1:
                self._connection = talk.connected(self._caller.path, self._deadline())
            if self._connection is not None:
                self._connection.sendall(frame)
        except (OSError, Failure):
            self._hear(self._number)  # what was answered before the connection broke
            self._close()

    def rest(self) -> Iterator[talk.Reply]:
        """Give the replies that are still to come. Raises Failure."""
        while self._asked:
            yield self._oldest()

    def _oldest(self) -> talk.Reply:
        """The reply to the oldest request; what has no good answer is asked anew when no other is under way."""
        number, request = self._asked.popleft()
        self._hear(number)
        if number in self._answers:
            try:
                return talk.unwrapped(self._answers.pop(number), self._caller.path)
            except Failure as failure:
                if not failure.retryable:
                    raise
            for later, _ in self._asked:
                self._hear(later)
        self._close()
        return talk.ask(self._caller, request, self._timeout)

    def _hear(self, number: int) -> None:
        """Read answers until that one is there, or the connection is lost."""
        deadline = self._deadline()
        try:
            while number not in self._answers and self._connection is not None:
                answer = talk.answer_on(self._connection, self._caller.path, deadline)
                self._answers[answer.get("id", 0)] = answer
        except OSError:
            self._close()

    def _deadline(self) -> float:
        return time.monotonic() + self._timeout

    def _close(self) -> None:
        """Give the connection up. What is under way is asked anew one by one, in order, before there is a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
