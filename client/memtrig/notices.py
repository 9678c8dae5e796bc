"""Notices: what a daemon tells unasked, on a connection of their own, so that none gets between answers."""

from __future__ import annotations

import socket
import struct
from collections import deque
from contextlib import suppress
from threading import Lock
from time import sleep
from types import TracebackType
from typing import Self

from memtrig import requests, wire
from memtrig.connection import Connection, lost
from memtrig.errors import MemtrigError
from memtrig.frames import astray, outcome
from memtrig.link import Link
from memtrig.retry import Patience

_NO_LIMIT = struct.pack("@ll", 0, 0)


class Hearing(Connection):
    """A connection on which notices come, between answers too."""

    __slots__ = ("_heard",)

    def __init__(self, connected: socket.socket) -> None:
        super().__init__(connected)
        self._heard: deque[wire.Notice] = deque()

    def next(self) -> wire.Notice:
        """Return the next notice, however long it takes. Raises DaemonDown when the connection ends."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _NO_LIMIT)
        self._limit = 0.0
        while not self._heard:
            try:
                data = self._read()
            except OSError as error:
                raise lost(error) from error
            if not data:
                raise lost()
            for answer in self._sorted(self._splitter.feed(data)):
                raise astray(answer)
        return self._heard.popleft()

    def wake(self) -> None:
        """End the wait of another thread, which is then told that the connection is lost."""
        with suppress(OSError):  # the other end may be gone
            self._socket.shutdown(socket.SHUT_RDWR)

    def _receive(self, deadline: float) -> list[wire.Answer]:
        return self._sorted(super()._receive(deadline))

    def _sorted(self, answers: list[wire.Answer]) -> list[wire.Answer]:
        """Keep the notices and return the rest."""
        rest = []
        for answer in answers:
            if answer.id == 0 and isinstance(answer.notice, wire.Notice):
                self._heard.append(answer.notice)
            else:
                rest.append(answer)
        return rest


class Notices:
    """An iterator over notices, which waits for the next one. It ends when it or its memory is closed.

    A lost connection is dialled again, for as long as one call of the memory may take; what still holds is told once
    more then. One thread iterates; any may ``close()``.
    """

    def __init__(self, link: Link, events: tuple[str, ...]) -> None:
        self._hearing: Hearing | None = None
        self._link = link
        self._request = requests.subscribe(events)
        self._closed = False
        self._door = Lock()
        link.companions.add(self)
        self._attach()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> wire.Notice:
        while True:
            hearing = None if self._closed else self._hearing or self._attach()
            if hearing is None:
                self.leave()
                raise StopIteration
            try:
                return hearing.next()
            except MemtrigError as failure:
                self.leave()
                if not (self._closed or failure.retryable):
                    raise

    def close(self) -> None:
        """Hear no more; a thread that waits here goes on at once."""
        with self._door:
            self._closed = True
            if self._hearing is not None:
                self._hearing.wake()

    def start_in_child(self) -> None:
        """Leave the parent's connection alone; the next notice is heard on another."""
        self._door = Lock()
        self.leave()

    def leave(self) -> None:
        """Let go of the connection."""
        hearing, self._hearing = self._hearing, None
        if hearing is not None:
            hearing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
        self.leave()

    def __del__(self) -> None:
        self.leave()  # a loop was left, and nobody can go on with it

    def _attach(self) -> Hearing | None:
        """Connect and subscribe, within the time of a call; return None if this was closed meanwhile."""
        patience = Patience(self._link.timeout)
        while not self._closed:
            try:
                return self._subscribed(patience.deadline)
            except MemtrigError as failure:
                sleep(patience.pause(failure))
        return None

    def _subscribed(self, deadline: float) -> Hearing:
        hearing = self._link.branch(Hearing, deadline)
        try:
            outcome(hearing.exchange(self._request, deadline), wire.Subscribed)
        except BaseException:
            hearing.close()
            raise
        with self._door:
            self._hearing = hearing
            if self._closed:
                hearing.wake()
        return hearing
