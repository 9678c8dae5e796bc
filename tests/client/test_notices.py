"""Notices at the clients: on a connection of their own, in order, through lost connections, until they are closed."""

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import memtrig
import pytest
from memtrig import MemtrigError, ProtocolError, Refused, aio, wire

from tests.client.conftest import SAVED, Peer, Scripted, answer

DUE = wire.Notice(about="promise_due", level="INTERNAL", at="2026-11-30T08:00:00+00:00", id="p1", text="球根を買う")
WAITING = wire.Notice(about="proposal_waiting", level="INTERNAL", at="2026-11-30T08:00:01+00:00", count=3)


def told(*notices: wire.Notice) -> bytes:
    """Frame notices."""
    return b"".join(wire.frame(wire.Answer(id=0, notice=notice)) for notice in notices)


def subscribed(peer: Peer, *notices: wire.Notice) -> list[str]:
    """Welcome a second connection of the session, take its subscription and send notices; return what it is to."""
    assert peer.welcome().resume == "token-1"
    number, request = peer.read()
    assert isinstance(request, wire.Subscribe)
    peer.socket.sendall(answer(number, wire.Subscribed(to=request.to)) + told(*notices))
    return request.to


def collect(connection: str, home: Path, events: tuple[str, ...], count: int) -> list[wire.Notice]:
    """Hear so many notices by either client."""
    if connection == "sync":
        with memtrig.connect(home=str(home)) as memory, memory.notices(*events) as notices:
            return [next(notices) for _ in range(count)]

    async def hear() -> list[wire.Notice]:
        async with aio.connect(home=str(home)) as memory, memory.notices(*events) as notices:
            return [await anext(notices) for _ in range(count)]

    return asyncio.run(hear())


BOTH = pytest.mark.parametrize("client", ["sync", "aio"])


@BOTH
def test_notices_come_in_order_on_a_connection_of_the_same_session(
    scripted: Scripted, tmp_path: Path, client: str
) -> None:
    """What comes in one read with the answer to the subscription is not lost, nor what comes in single bytes."""

    def serve(peer: Peer) -> None:
        assert subscribed(peer, DUE, WAITING) == ["promise_due", "proposal_waiting"]
        for byte in told(DUE):
            peer.socket.sendall(bytes([byte]))
        assert peer.ended()

    scripted.play(Peer.welcome, serve)
    heard = collect(client, tmp_path, ("promise_due", "proposal_waiting"), 3)
    assert heard == [DUE, WAITING, DUE]


@BOTH
def test_no_event_named_is_all_of_them(scripted: Scripted, tmp_path: Path, client: str) -> None:
    """And a notice that overtakes the answer to the subscription is kept."""

    def serve(peer: Peer) -> None:
        peer.welcome()
        number, request = peer.read()
        assert request.to == ["promise_due", "memory_expiring", "proposal_waiting"]
        peer.socket.sendall(told(WAITING) + answer(number, wire.Subscribed(to=request.to)))

    scripted.play(Peer.welcome, serve)
    assert collect(client, tmp_path, (), 1) == [WAITING]


@BOTH
def test_an_event_that_does_not_exist_is_told_before_anything_is_sent(
    scripted: Scripted, tmp_path: Path, client: str
) -> None:
    """With those that do."""
    scripted.play(Peer.welcome)
    with pytest.raises(ValueError, match="no notices of rain; there are of promise_due, memory_expiring"):
        collect(client, tmp_path, ("rain",), 1)


@BOTH
def test_a_lost_connection_is_dialled_again(scripted: Scripted, tmp_path: Path, client: str) -> None:
    """The session and the subscription are the same; what was heard before the loss is there."""
    scripted.play(
        Peer.welcome,
        lambda peer: subscribed(peer, DUE),
        lambda peer: peer.welcome(),
        lambda peer: subscribed(peer, DUE),
    )
    assert collect(client, tmp_path, ("promise_due",), 2) == [DUE, DUE]


@BOTH
def test_a_refusal_is_raised(scripted: Scripted, tmp_path: Path, client: str) -> None:
    """A daemon that is older than its client does not know the request."""

    def refuse(peer: Peer) -> None:
        peer.welcome()
        peer.answer(peer.read()[0], wire.Error(code="not_here", message="There is no subscribe here."))

    scripted.play(Peer.welcome, refuse)
    with pytest.raises(Refused, match="no subscribe here"):
        collect(client, tmp_path, (), 1)


@BOTH
def test_an_answer_among_notices_is_a_protocol_error(scripted: Scripted, tmp_path: Path, client: str) -> None:
    """Nobody asked for it."""

    def lie(peer: Peer) -> None:
        subscribed(peer)
        peer.socket.sendall(answer(9, SAVED))
        assert peer.ended()

    scripted.play(Peer.welcome, lie)
    with pytest.raises(ProtocolError, match="request 9, which was never made"):
        collect(client, tmp_path, (), 1)


def test_a_notice_where_nobody_subscribed_is_a_protocol_error(
    scripted: Scripted, tmp_path: Path, connect: Callable[..., Any]
) -> None:
    """It must not be taken for the answer to a request."""

    def lie(peer: Peer) -> None:
        peer.welcome()
        peer.read()
        peer.socket.sendall(told(DUE))
        assert peer.ended()

    scripted.play(lie)
    with connect(home=str(tmp_path)) as memory, pytest.raises(ProtocolError, match="request 0"):
        memory.save("tea", "hot")


def test_requests_and_notices_go_their_own_ways(scripted: Scripted, tmp_path: Path) -> None:
    """A call is answered while another thread waits for a notice."""
    asked = threading.Event()

    def first(peer: Peer) -> None:
        peer.welcome()
        peer.answer(peer.read()[0], SAVED)
        asked.set()

    def second(peer: Peer) -> None:
        subscribed(peer)
        assert asked.wait(10)
        peer.socket.sendall(told(DUE))

    scripted.play(first, second)
    with memtrig.connect(home=str(tmp_path)) as memory, memory.notices() as notices:
        heard: list[wire.Notice] = []
        waiting = threading.Thread(target=lambda: heard.append(next(notices)))
        waiting.start()
        assert memory.save("tea", "hot") == SAVED
        waiting.join(10)
        assert heard == [DUE]


@pytest.mark.parametrize("what", ["notices", "memory"])
def test_closing_ends_the_wait_of_another_thread(scripted: Scripted, tmp_path: Path, what: str) -> None:
    """The loop over notices is left, without an error, when they or their memory are closed."""

    def serve(peer: Peer) -> None:
        subscribed(peer, DUE)
        assert peer.ended()

    scripted.play(Peer.welcome, serve)
    memory = memtrig.connect(home=str(tmp_path))
    notices = memory.notices()
    heard: list[wire.Notice] = []
    first = threading.Event()

    def listen() -> None:
        for notice in notices:
            heard.append(notice)
            first.set()

    listening = threading.Thread(target=listen)
    listening.start()
    assert first.wait(10)
    (notices if what == "notices" else memory).close()
    listening.join(10)
    assert not listening.is_alive()
    assert heard == [DUE]
    memory.close()
    with pytest.raises(MemtrigError, match="closed"):
        memory.notices()


@pytest.mark.parametrize("what", ["notices", "memory"])
def test_closing_ends_the_wait_of_another_task(scripted: Scripted, tmp_path: Path, what: str) -> None:
    """Likewise on an event loop."""

    def serve(peer: Peer) -> None:
        subscribed(peer, DUE)
        assert peer.ended()

    scripted.play(Peer.welcome, serve)

    async def listen() -> list[wire.Notice]:
        async with aio.connect(home=str(tmp_path)) as memory:
            notices = memory.notices()
            heard: list[wire.Notice] = []
            first = asyncio.Event()

            async def loop() -> None:
                async for notice in notices:
                    heard.append(notice)
                    first.set()

            task = asyncio.create_task(loop())
            await first.wait()
            if what == "notices":
                notices.close()
            else:
                await memory.close()
            await asyncio.wait_for(task, 10)
            return heard

    assert asyncio.run(listen()) == [DUE]


@BOTH
def test_a_loop_that_is_left_leaves_no_connection(scripted: Scripted, tmp_path: Path, client: str) -> None:
    """Nobody needs to close what nobody holds."""
    left = threading.Event()

    def serve(peer: Peer) -> None:
        subscribed(peer, DUE)
        assert peer.ended()
        left.set()

    async def listen() -> None:
        async with aio.connect(home=str(tmp_path)) as memory:
            async for _ in memory.notices():
                break
            assert await asyncio.to_thread(left.wait, 10)

    scripted.play(Peer.welcome, serve)
    if client == "aio":
        asyncio.run(listen())
        return
    with memtrig.connect(home=str(tmp_path)) as memory:
        for _ in memory.notices():
            break
        assert left.wait(10)


def test_a_flood_stays_in_the_socket(scripted: Scripted, tmp_path: Path) -> None:
    """Who does not fetch notices does not fill its own memory with them; all of them are heard in the end."""
    flood = 30_000  # some megabytes: more than any buffer on the way
    blocked = threading.Event()

    def serve(peer: Peer) -> None:
        subscribed(peer)
        data = memoryview(told(DUE) * flood)
        peer.socket.setblocking(False)
        sent = 0
        while sent < len(data):
            try:
                sent += peer.socket.send(data[sent:])
            except BlockingIOError:
                blocked.set()
                peer.socket.settimeout(10)
        peer.socket.settimeout(10)
        assert peer.ended()

    scripted.play(Peer.welcome, serve)

    async def hear() -> int:
        async with aio.connect(home=str(tmp_path)) as memory, memory.notices() as notices:
            await asyncio.to_thread(blocked.wait, 10)
            return len([await anext(notices) for _ in range(flood)])

    assert asyncio.run(hear()) == flood
    assert blocked.is_set()


def test_a_forked_child_hears_on_a_connection_of_its_own(scripted: Scripted, tmp_path: Path) -> None:
    """Two processes on one connection would each miss what the other reads; the parent's holds."""
    forked = threading.Event()

    def parents(peer: Peer) -> None:
        subscribed(peer, DUE)
        assert forked.wait(10)
        peer.socket.sendall(told(WAITING))

    scripted.play(Peer.welcome, parents, lambda peer: subscribed(peer, DUE))
    with memtrig.connect(home=str(tmp_path)) as memory, memory.notices() as notices:
        assert next(notices) == DUE
        child = os.fork()
        if child == 0:
            os._exit(0 if next(notices) == DUE else 1)
        assert os.waitpid(child, 0)[1] == 0
        forked.set()
        assert next(notices) == WAITING
