"""Accepting: who comes in through which door becomes a connection with a caller. Strangers stay outside."""

import asyncio
import contextlib
import socket
from functools import partial
from typing import Final

from memtrigd.gate import peers
from memtrigd.gate.doors import HANDED, Door, DoorKind
from memtrigd.gate.listeners import BACKLOG
from memtrigd.gate.peers import Peer
from memtrigd.gate.sessions import Sessions
from memtrigd.serve.behind import Service
from memtrigd.serve.dispatch import Caller
from memtrigd.serve.protocol import Connection
from memtrigd.serve.rota import Rota
from memtrigd.store.interface_control import SessionRow

FAREWELL: Final = 1.0
"""Seconds that peers have at the end to take the answers that were given."""


class Acceptor:
    """Opens the doors, and knows the connections that are inside."""

    service: Service

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._servers: list[asyncio.Server] = []
        self._inside: set[Connection] = set()
        self._rota = Rota()
        self._adopting: set[asyncio.Task[object]] = set()

    async def open(self, sockets: dict[Door, socket.socket]) -> None:
        """Begin to accept at every door."""
        loop = asyncio.get_running_loop()
        for door, listener in sockets.items():
            factory = partial(Connection, self.service, partial(_admit, door), self._inside, self._rota)
            # create_unix_server would unlink the path at the end (Python 3.13), even that of a passed socket
            self._servers.append(await loop.create_server(factory, sock=listener, backlog=BACKLOG))

    def __len__(self) -> int:
        return len(self._inside)

    def adopt(self, ours: socket.socket, row: SessionRow, peer: Peer) -> None:
        """Serve the daemon's end of a pair whose other end goes to a host. The session counts as connected at once."""
        caller = Caller(HANDED, peer, row.id)
        connection = Connection(self.service, lambda _: caller, self._inside, self._rota)
        self._sessions.attach(row, peer.process, connection.close)
        loop = asyncio.get_running_loop()
        task = loop.create_task(loop.connect_accepted_socket(lambda: connection, ours))
        self._adopting.add(task)
        task.add_done_callback(self._adopting.discard)

    def close(self) -> None:
        """Accept nobody more and read no more requests; what is under way will be answered."""
        for server in self._servers:
            server.close()
        for connection in self._inside:
            connection.stop_reading()

    async def abandon(self) -> None:
        """Close the connections that are left, after what they still have to send; don't wait for it for long."""
        left = list(self._inside)
        for connection in left:
            connection.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL):
                for connection in left:
                    await connection.gone.wait()


def _admit(door: Door, transport: asyncio.Transport) -> Caller:
    """Make a caller of whoever connected at a door. Raises PermissionError for another user's process."""
    sock: socket.socket = transport.get_extra_info("socket")
    peer = peers.of(sock)
    if peer.uid != peers.own_uid():
        raise PermissionError
    if door.kind in (DoorKind.CONTROL, DoorKind.HOOK):
        peer = peers.with_ancestors(peer)  # while its parents still live
    return Caller(door, peer)
