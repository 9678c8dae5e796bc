"""What the clients do when the other side lies or is not there. Both are told the same."""

import asyncio
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from memtrig import (
    DaemonDown,
    IncompleteView,
    MemtrigError,
    ProtocolError,
    Refused,
    aio,
    homes,
    wire,
)

from tests.client.conftest import SAVED, Peer, Scripted, answer

Connect = Callable[..., Any]


@pytest.mark.parametrize(
    ("nonsense", "why"),
    [
        (b"\x00\x00\x00\x03abc", "can't be read"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "was announced"),
        (b"\xff\xff\xff\xff", "4,294,967,295"),
        (b"\x00\x00\x00\x00", "0 bytes"),
        (answer(77, SAVED), "request 77, which was never made"),
        (answer(0, wire.Error(code="bad_frame", message="No request.")), "It says: No request."),
        (answer(2, wire.Pong(server="x", time="now")), "Pong, not Saved"),
        (wire.frame(wire.Answer(id=2)), "not Saved"),
    ],
)
def test_nonsense_is_a_protocol_error_and_ends_the_connection(
    scripted: Scripted, tmp_path: Path, connect: Connect, nonsense: bytes, why: str
) -> None:
    """No bytes are taken for the answer to a request unless they are; the next call starts afresh and succeeds."""

    def lie(peer: Peer) -> None:
        peer.welcome()
        peer.read()
        peer.socket.sendall(nonsense)
        assert peer.ended()

    def serve(peer: Peer) -> None:
        assert peer.welcome().resume == "token-1"
        peer.answer(peer.read()[0], SAVED)

    scripted.play(lie, serve)
    with connect(home=str(tmp_path)) as memory:
        with pytest.raises(ProtocolError, match=why):
            memory.save("tea", "hot")
        assert memory.save("tea", "hot").key == "tea"


def test_an_answer_in_single_bytes_is_put_together(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """Where the kernel cuts the stream means nothing."""

    def drip(peer: Peer) -> None:
        peer.welcome()
        for byte in answer(peer.read()[0], SAVED):
            peer.socket.sendall(bytes([byte]))

    scripted.play(drip)
    with connect(home=str(tmp_path)) as memory:
        assert memory.save("tea", "hot") == SAVED


def test_answers_find_their_requests_whatever_their_order(scripted: Scripted, tmp_path: Path) -> None:
    """Ten requests in flight, answered backwards."""

    def serve(peer: Peer) -> None:
        peer.welcome()
        for number, request in reversed([peer.read() for _ in range(10)]):
            peer.answer(number, wire.Saved(id="m", key=request.key, level="PUBLIC", status="active", outcome="new"))

    async def story() -> list[str]:
        async with aio.connect(home=str(tmp_path)) as memory:
            return [saved.key for saved in await asyncio.gather(*(memory.save(str(n), "x") for n in range(10)))]

    scripted.play(serve)
    assert asyncio.run(story()) == [str(n) for n in range(10)]


def test_an_incomplete_answer_says_so(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """Levels that could not be consulted are named by a warning and by the memory."""

    def serve(peer: Peer) -> None:
        peer.welcome()
        peer.answer(peer.read()[0], wire.Found(results=[]), ("CONFIDENTIAL",))
        peer.answer(peer.read()[0], wire.Found(results=[]))

    scripted.play(serve)
    with connect(home=str(tmp_path)) as memory:
        with pytest.warns(IncompleteView, match="CONFIDENTIAL"):
            memory.search("tea")
        assert memory.incomplete == ("CONFIDENTIAL",)
        memory.search("tea")
        assert memory.incomplete == ()


def test_a_list_is_incomplete_if_one_of_its_pages_is(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """A level that comes back between two pages does not make the first whole."""

    def serve(peer: Peer) -> None:
        peer.welcome()
        peer.answer(peer.read()[0], wire.Listed(memories=[], next_cursor="c"), ("PUBLIC",))
        number, request = peer.read()
        assert request.cursor == "c"
        peer.answer(number, wire.Listed(memories=[]))

    scripted.play(serve)
    with connect(home=str(tmp_path)) as memory, pytest.warns(IncompleteView):
        assert memory.list() == []
        assert memory.incomplete == ("PUBLIC",)


def test_what_can_not_be_sent_is_refused_before_anything_is(
    scripted: Scripted, tmp_path: Path, connect: Connect
) -> None:
    """An unknown field, a lone surrogate and a request over the limit of a frame don't reach the daemon (BR-077)."""

    def serve(peer: Peer) -> None:
        peer.welcome()
        assert peer.ended()

    scripted.play(serve)
    with connect(home=str(tmp_path)) as memory:
        with pytest.raises(TypeError, match="no field level"):
            memory.save("tea", "hot", level="public")
        with pytest.raises(Refused, match=r"U\+DC8F") as surrogate:
            memory.save("tea", "abc\udc8f")
        assert surrogate.value.code == "bad_value"
        with pytest.raises(Refused, match="limit of a frame") as large:
            memory.save("tea", "x" * (wire.MAX_FRAME + 1))
        assert large.value.code == "too_large"


def test_no_daemon_is_said_at_once_with_the_way_out(tmp_path: Path, connect: Connect) -> None:
    """A missing socket names its path and what to type; nobody waits ten seconds for that."""
    started = time.monotonic()
    with pytest.raises(DaemonDown) as caught, connect(home=str(tmp_path)):
        pass
    assert time.monotonic() - started < 2
    assert str(tmp_path / "run" / "level" / "internal.sock") in str(caught.value)
    assert str(caught.value).endswith("Start it by typing: memtrigd")


def test_a_socket_left_by_a_crash_is_no_daemon(tmp_path: Path, connect: Connect) -> None:
    """ECONNREFUSED is told like a missing socket."""
    path = Path(homes.find(str(tmp_path)).level_socket("internal"))
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with pytest.raises(DaemonDown, match="refused"), connect(home=str(tmp_path)):
        pass


def test_a_path_too_long_for_a_socket_is_told(tmp_path: Path, connect: Connect) -> None:
    """No wait and no trace of the standard library's OSError."""
    with pytest.raises(DaemonDown, match="too long") as caught, connect(home=str(tmp_path / ("x" * 120))):
        pass
    assert not caught.value.retryable


def test_a_closed_memory_does_not_open_again(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """A call after close() is an error, not a new connection."""
    scripted.play(lambda peer: peer.welcome())
    with connect(home=str(tmp_path)) as memory:
        memory.close()
        with pytest.raises(MemtrigError, match="was closed"):
            memory.whoami()
