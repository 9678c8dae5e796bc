"""For the policy layer of a host: open sessions for agents, raise their level, end them. It speaks as the owner.

>>> from memtrig import host
>>> with host.connect() as control:
...     memory = control.open_session(agent="browser", level="public", ceiling="confidential")
...     raised = control.raise_session(memory.session, "confidential", reason="it opened the tax folder")
...     memory.save("tax", "The return is due in July.").level
...     ended = control.end(memory.session)
'CONFIDENTIAL'
>>> memory.close()
"""

from __future__ import annotations

import os
import socket
from types import TracebackType
from typing import Self

from memtrig import homes, wire
from memtrig.api import Memory
from memtrig.connection import READ, Connection, dial
from memtrig.errors import ProtocolError
from memtrig.frames import outcome
from memtrig.link import C, Link
from memtrig.notices import Notices
from memtrig.retry import Ticket

_STRAYS = 8
"""Descriptors taken up in one read, to be closed if nobody asked for them; the kernel closes what is over."""


def connect(home: str | None = None, *, timeout: float = 10.0) -> Host:
    """Connect to the control socket. Raises DaemonDown at once if there is no daemon."""
    path = homes.find(home).control_socket
    link = Link(ControlDoor(path), Ticket(None, renewable=False), timeout)
    link.open()
    return Host(path, link, timeout)


class Host:
    """The owner's word over sessions. Use it as a context manager, or ``close()`` it; memories that it opened stay."""

    def __init__(self, path: str, link: Link, timeout: float) -> None:
        self._path = path
        self._link = link
        self._timeout = timeout

    def open_session(
        self,
        agent: str | None,
        level: str,
        ceiling: str | None = None,
        *,
        conversation: str | None = None,
        space: str | None = None,
        resume: str | None = None,
        unattended: bool = False,
        untrusted: bool = False,
    ) -> Memory:
        """Open a session for an agent at ``level``, to be raised to ``ceiling`` at most; return its memory.

        The memory speaks over a descriptor that the daemon hands over, and after a lost connection it asks the
        control socket for another one to the same session, at the level that then holds. It never goes on in another
        session: where the daemon doesn't know its own any more it raises Refused ``session_unknown``.
        ``resume`` is the token of a session that was opened here before; what it was opened with still holds then.
        ``unattended``: a timer or trigger drives the agent, so no user is there whom it could quote.
        ``untrusted``: it reads what strangers wrote, as after ``distrust``.
        """
        order = wire.SessionOpen(
            agent=agent,
            level=level,
            ceiling=ceiling,
            conversation=conversation,
            space=space,
            unattended=unattended,
            untrusted=untrusted,
        )
        link = Link(SessionDoor(self._path, order), Ticket(resume, renewable=False), self._timeout)
        link.open()
        return Memory(link)

    def raise_session(self, session: str, level: str, reason: str) -> wire.Raised:
        """Raise a session to ``level``, which is on disk when this returns. Never down, never over its ceiling."""
        return self._link.call(wire.SessionRaise(session=session, level=level, reason=reason), wire.Raised)[0]

    def distrust(self, session: str) -> wire.Untrusted:
        """Say that a session read what strangers wrote: what it saves waits for the owner from now on, for good."""
        return self._link.call(wire.SessionUntrusted(session=session), wire.Untrusted)[0]

    def sessions(self, *, all: bool = False, limit: int = 500) -> wire.Sessions:
        """Return the sessions that are connected, or with ``all`` every one that is kept.

        They are in ``sessions``, the newest ``limit`` of them first to last; ``more`` is how many there are beside.
        """
        return self._link.call(wire.SessionList(all=all, limit=limit), wire.Sessions)[0]

    def end(self, session: str) -> wire.Ended:
        """End a session: its connections close and its token is void."""
        return self._link.call(wire.SessionEnd(session=session), wire.Ended)[0]

    def notices(self, *events: str) -> Notices:
        """Return an iterator over what is to be known, of every level: see ``Memory.notices``."""
        return Notices(self._link, events)

    def close(self) -> None:
        """Close the connection to the control socket."""
        self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class ControlDoor:
    """The owner's socket: it knows its caller by uid, so there is no hello.

    Plain reads take up no descriptors: should one come here, the kernel closes it.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def open(self, make: type[C], resume: str | None, deadline: float) -> tuple[C, None]:
        """Connect."""
        return make(dial(self._path)), None


class SessionDoor:
    """The way to a session that a host opened: a fresh control connection, used once, hands over a descriptor."""

    def __init__(self, path: str, order: wire.SessionOpen) -> None:
        self._path = path
        self._order = order

    def open(self, make: type[C], resume: str | None, deadline: float) -> tuple[C, wire.Welcome]:
        """Open the session, or re-attach to the one of the token."""
        order = self._order if resume is None else wire.SessionOpen(resume=resume)
        control = HandingConnection(dial(self._path))
        try:
            welcome = outcome(control.exchange(order, deadline), wire.Welcome)
            return make(control.take()), welcome
        finally:
            control.close()


class HandingConnection(Connection):
    """A connection that also receives descriptors (SCM_RIGHTS), which never outlive it unless they are taken."""

    __slots__ = ("_descriptors",)

    def __init__(self, connected: socket.socket) -> None:
        super().__init__(connected)
        self._descriptors: list[int] = []

    def take(self) -> socket.socket:
        """Return the socket that came with the answer. Raises ProtocolError unless it was exactly one."""
        if len(self._descriptors) != 1:
            raise ProtocolError(
                "protocol_error", f"{len(self._descriptors)} descriptors came with the session, not one."
            )
        try:
            handed = socket.socket(fileno=self._descriptors[0])
        except OSError as error:
            raise ProtocolError("protocol_error", f"The descriptor of the session is no socket: {error}.") from None
        self._descriptors.clear()
        return handed

    def close(self) -> None:
        """Close this end and every descriptor that nobody took."""
        super().close()
        while self._descriptors:
            os.close(self._descriptors.pop())

    def _read(self) -> bytes:
        data, descriptors, _, _ = socket.recv_fds(self._socket, READ, _STRAYS)
        self._descriptors += descriptors
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        return data
