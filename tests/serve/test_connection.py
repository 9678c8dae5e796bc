"""One connection on a loop of the test's own, where it can be seen what a single turn of the loop does."""

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL, HOOK
from memtrigd.gate.peers import Peer
from memtrigd.serve.dispatch import Caller, Done, Reply
from memtrigd.serve.protocol import HELD, LONG, Connection
from memtrigd.serve.rota import Rota
from tests.talk import Line


class Nobody:
    """A service that nothing ever reaches. It keeps the faults that it is told of."""

    def __init__(self) -> None:
        self.faults: list[BaseException] = []

    def take(self, caller: Caller, request: wire.Request, connection: Connection, done: Done) -> None:
        """Be surprised."""
        raise AssertionError(request)

    def missing(self, caller: Caller) -> tuple[Level, ...]:
        """Lack nothing."""
        return ()

    def lost(self, caller: Caller, connection: Connection) -> None:
        """Hear that the connection is gone."""

    def fault(self, error: BaseException) -> Refusal:
        """Keep the fault."""
        self.faults.append(error)
        return Refusal("internal", "")


class Patient(Nobody):
    """A service that answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Done] = []

    def take(self, caller: Caller, request: wire.Request, connection: Connection, done: Done) -> None:
        """Keep the question."""
        self.asked.append(done)


def connected(service: Nobody, play: Callable[[Connection, socket.socket], Awaitable[None]]) -> None:
    """Play a scene on the two ends of a connection to the control door."""

    async def scene() -> None:
        ours, theirs = socket.socketpair()
        connection = Connection(service, lambda _: Caller(CONTROL, Peer(0)), set())
        await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, ours)
        with theirs:
            await play(connection, theirs)
            connection.transport.abort()
            await connection.gone.wait()

    asyncio.run(scene())


def test_a_flood_is_answered_a_slice_at_a_time() -> None:
    """Ten thousand empty frames in one read: only some of them hold the loop; the rest follows by itself."""
    sent = 10_000

    async def flood() -> tuple[int, int]:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        connection = Connection(Nobody(), lambda _: Caller(HOOK, Peer(0)), set(), Rota())
        await loop.connect_accepted_socket(lambda: connection, ours)
        with Line(theirs) as peer:
            connection.data_received(bytes(wire.PREFIX * sent))
            first = peer.answer()
            one = len(wire.frame(first))
            at_once = 1 + len(theirs.recv(1 << 20, socket.MSG_PEEK)) // one
            rest = await asyncio.to_thread(lambda: [peer.answer() for _ in range(sent - 1)])
            connection.close()
        return at_once, rest.count(first)

    at_once, rest = asyncio.run(flood())
    assert at_once < sent / 5 and rest == sent - 1


@pytest.mark.parametrize(("error", "logged"), [(PermissionError(), 0), (UnicodeDecodeError("x", b"", 0, 1, ""), 1)])
def test_whom_the_gate_cannot_judge_stays_outside(error: Exception, logged: int) -> None:
    """A stranger and a fault of the gate end alike for the peer; the fault is logged."""
    service = Nobody()

    async def knock() -> bytes:
        def admit(_: asyncio.Transport) -> Caller:
            raise error

        inside: set[Connection] = set()
        ours, theirs = socket.socketpair()
        await asyncio.get_running_loop().connect_accepted_socket(lambda: Connection(service, admit, inside), ours)
        assert not inside
        with theirs:
            theirs.setblocking(False)
            return await asyncio.get_running_loop().sock_recv(theirs, 1)

    assert asyncio.run(knock()) == b""
    assert service.faults == [error] * logged


def test_large_requests_wait_in_the_kernel() -> None:
    """What is read and undone has a bound in bytes; when something is done reading goes on."""
    service = Patient()
    frame = wire.call(1, wire.Act(request=wire.Get(key="k" * (HELD // 4))))

    async def play(connection: Connection, theirs: socket.socket) -> None:
        for number in range(3):
            connection.data_received(frame)
            assert connection.transport.is_reading(), number
        connection.data_received(frame)
        assert not connection.transport.is_reading()
        service.asked[0](Reply(wire.Pong(server="", time="")))
        assert connection.transport.is_reading()

    connected(service, play)


def test_a_descriptor_for_a_peer_that_is_gone_is_closed() -> None:
    """So is the connection; whoever else waits for an answer of the same moment hears nothing of it."""
    service = Patient()
    kept, handed = socket.socketpair()

    async def play(connection: Connection, theirs: socket.socket) -> None:
        connection.data_received(wire.call(1, wire.SessionOpen()))
        theirs.close()
        service.asked[0](Reply(wire.Ended(session="s"), descriptor=handed))
        assert handed.fileno() == -1
        assert connection.transport.is_closing()

    with kept:
        connected(service, play)


def test_a_daemon_that_stops_takes_no_more_from_a_peer_that_catches_up() -> None:
    """A peer that had not read its answers reads them at last: that is no reason to begin its next request."""
    service = Patient()

    async def play(connection: Connection, theirs: socket.socket) -> None:
        theirs.sendall(wire.call(1, wire.Whoami()) + wire.call(2, wire.Whoami()))
        while len(service.asked) < 2:
            await asyncio.sleep(0)
        answer = Reply(wire.Pong(server="x" * (LONG << 6), time=""))
        service.asked[0](answer)
        assert connection.transport.get_write_buffer_size()
        connection.stop_reading()
        theirs.sendall(wire.call(3, wire.Whoami()))
        service.asked[1](answer)
        peer = Line(theirs)
        await asyncio.to_thread(lambda: [peer.answer() for _ in range(2)])
        connection.resume_writing()
        await asyncio.sleep(0)
        assert not connection.transport.is_reading()
        assert len(service.asked) == 2

    connected(service, play)
