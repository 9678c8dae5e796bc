"""A connection that comes back: dialled when needed, re-attached to its session, requests repeated until answered."""

from __future__ import annotations

import os
import weakref
from threading import Lock
from time import sleep
from typing import Protocol, TypeVar

import msgspec

from memtrig import wire
from memtrig.connection import Connection, closed, dial, late
from memtrig.errors import MemtrigError, Refused
from memtrig.frames import R, outcome
from memtrig.retry import Patience, Ticket

C = TypeVar("C", bound=Connection)


class Door(Protocol):
    """A way to a fresh connection, of the class asked for."""

    def open(self, make: type[C], resume: str | None, deadline: float) -> tuple[C, wire.Welcome | None]:
        """Connect; where there are sessions, re-attach to the one of the token, or start one."""


class Companion(Protocol):
    """What lives beside a link, on a connection of its own to the same session."""

    def close(self) -> None:
        """End with the link, which any thread may close."""

    def start_in_child(self) -> None:
        """Leave the parent's connection alone: this is a forked child."""


class LevelDoor:
    """The socket of a level: hello comes first."""

    def __init__(self, path: str, hello: wire.Hello) -> None:
        self._path = path
        self._hello = hello

    def open(self, make: type[C], resume: str | None, deadline: float) -> tuple[C, wire.Welcome]:
        """Connect and say hello."""
        connection = make(dial(self._path))
        try:
            hello = msgspec.structs.replace(self._hello, resume=resume)
            return connection, outcome(connection.exchange(hello, deadline), wire.Welcome)
        except BaseException:
            connection.close()
            raise


class Link:
    """Carries one request at a time over a connection that it renews. Threads take turns.

    In a forked child it starts with a connection of its own, to the same session.
    """

    def __init__(self, door: Door, ticket: Ticket, timeout: float) -> None:
        if not timeout > 0:
            raise ValueError(f"the timeout must be over 0 seconds, not {timeout}")
        self.ticket = ticket
        self._door = door
        self.timeout = timeout
        self.companions: weakref.WeakSet[Companion] = weakref.WeakSet()
        self._connection: Connection | None = None
        self._closed = False
        self._turn = Lock()
        _links.add(self)

    def open(self) -> None:
        """Connect now. Unlike a call, which waits for a daemon that went away, this fails at once if there is none."""
        patience = Patience(self.timeout)
        with self._turn:
            while self._connection is None:
                try:
                    self._connect(None, patience)
                except MemtrigError as failure:
                    if failure.code == "daemon_down":
                        raise
                    sleep(patience.pause(failure))

    def call(self, request: wire.Request, kind: type[R]) -> tuple[R, list[str]]:
        """Return the result and the levels that it lacks. Raises the errors of memtrig.errors."""
        patience = Patience(self.timeout)
        if not self._turn.acquire(timeout=self.timeout):
            raise late()
        try:
            while True:
                try:
                    return self._attempt(request, kind, patience)
                except MemtrigError as failure:
                    sleep(patience.pause(failure))
        finally:
            self._turn.release()

    def branch(self, make: type[C], deadline: float) -> C:
        """Return a further connection to the session, for the caller to keep."""
        if self._closed:
            raise closed()
        if self.ticket.renewable and self.ticket.resume is None:
            self.call(wire.Ping(), wire.Pong)  # the session was lost: there is another after this
        return self._door.open(make, self.ticket.resume, deadline)[0]

    def close(self) -> None:
        """Close the connection for good, and those of companions; the session stays for who has its token."""
        self._closed = True
        for companion in [*self.companions]:
            companion.close()
        with self._turn:
            self._drop()

    def _attempt(self, request: wire.Request, kind: type[R], patience: Patience) -> tuple[R, list[str]]:
        try:
            connection = self._connection or self._connect(request, patience)
            answer = connection.exchange(request, patience.deadline)
            return outcome(answer, kind), answer.incomplete
        except Refused:
            raise
        except BaseException:  # a time-out or Ctrl-C too: an answer that comes late must find nobody
            self._drop()
            raise

    def _connect(self, request: wire.Request | None, patience: Patience) -> Connection:
        if self._closed:
            raise closed()
        try:
            connection, welcome = self._door.open(Connection, self.ticket.resume, patience.deadline)
        except Refused as refusal:
            self.ticket.give_up(refusal, request, patience)
            connection, welcome = self._door.open(Connection, None, patience.deadline)
        self._connection = connection
        if welcome is not None:
            self.ticket.accept(welcome)
        return connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _start_in_child(self) -> None:
        """Leave the parent's connection alone: two processes on one would read each other's answers."""
        self._turn = Lock()
        self._drop()
        for companion in [*self.companions]:
            companion.start_in_child()


_links: weakref.WeakSet[Link] = weakref.WeakSet()


def _after_fork() -> None:
    for link in _links:
        link._start_in_child()


os.register_at_fork(after_in_child=_after_fork)
