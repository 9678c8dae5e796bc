"""What the clients do when the other side breaks, forgets or is slow: what they repeat, and what they never do."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import memtrig
import pytest
from memtrig import (
    DaemonDown,
    NotFound,
    ProtocolError,
    Refused,
    Timeout,
    aio,
    wire,
)

from tests.client.conftest import ANOTHER, SAVED, Peer, Scripted, answer

Connect = Callable[..., Any]
UNKNOWN = wire.Error(code="session_unknown", message="No such session.")
BUSY = wire.Error(code="busy", message="Too much work.", retryable=True)


def lose_the_save(peer: Peer) -> None:
    """Welcome, take a save, and go away without a word."""
    peer.welcome()
    peer.read()


def test_a_lost_acknowledgement_repeats_the_write_under_the_same_key(
    scripted: Scripted, tmp_path: Path, connect: Connect
) -> None:
    """The repeat goes to the same session with the same idempotency key, so that the daemon does it once."""
    seen = []

    def lose(peer: Peer) -> None:
        peer.welcome()
        seen.append(peer.read()[1])

    def serve(peer: Peer) -> None:
        assert peer.welcome().resume == "token-1"
        number, request = peer.read()
        seen.append(request)
        peer.answer(number, SAVED)

    scripted.play(lose, lose, serve)
    with connect(home=str(tmp_path)) as memory:
        assert memory.save("tea", "hot") == SAVED
    assert len(seen) == 3
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0].idempotency_key) == 32


def test_each_write_has_its_own_key(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """Two saves of the same are two requests."""
    keys = set()

    def serve(peer: Peer) -> None:
        peer.welcome()
        for _ in range(2):
            number, request = peer.read()
            keys.add(request.idempotency_key)
            peer.answer(number, SAVED)

    scripted.play(serve)
    with connect(home=str(tmp_path)) as memory:
        memory.save("tea", "hot")
        memory.save("tea", "hot")
    assert len(keys) == 2


def test_half_an_answer_is_none(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """An answer that breaks off is a lost connection, and the request is repeated."""

    def break_off(peer: Peer) -> None:
        peer.welcome()
        peer.socket.sendall(answer(peer.read()[0], SAVED)[:-1])

    def serve(peer: Peer) -> None:
        peer.welcome()
        peer.answer(peer.read()[0], SAVED)

    scripted.play(break_off, serve)
    with connect(home=str(tmp_path)) as memory:
        assert memory.save("tea", "hot") == SAVED


def test_a_forgotten_session_is_followed_by_a_new_one(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """A read is repeated in a new session when the daemon no longer knows the old."""

    def forget(peer: Peer) -> None:
        peer.welcome(UNKNOWN)
        assert peer.ended()

    def serve(peer: Peer) -> None:
        assert peer.welcome(ANOTHER).resume is None
        peer.answer(peer.read()[0], wire.Found(results=[]))

    scripted.play(lose_the_save, forget, serve)
    with connect(home=str(tmp_path)) as memory:
        assert memory.search("tea") == []
        assert memory.session == "s2"


def test_a_write_is_not_repeated_in_another_session(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """The daemon could not tell the repeat from a second write, so the caller is told; then all goes on."""

    def forget(peer: Peer) -> None:
        peer.welcome(UNKNOWN)
        assert peer.ended()

    def serve(peer: Peer) -> None:
        assert peer.welcome(ANOTHER).resume is None
        peer.answer(peer.read()[0], SAVED)

    scripted.play(lose_the_save, forget, serve)
    with connect(home=str(tmp_path)) as memory:
        with pytest.raises(Refused, match="nobody can tell") as caught:
            memory.save("tea", "hot")
        assert (caught.value.code, caught.value.retryable) == ("session_unknown", False)
        assert memory.save("tea", "hot") == SAVED


def test_a_token_from_the_caller_is_not_traded_for_a_new_session(
    scripted: Scripted, tmp_path: Path, connect: Connect
) -> None:
    """Who asks for a session by its token gets that one or an error."""
    scripted.play(lambda peer: peer.welcome(UNKNOWN))
    with pytest.raises(Refused, match="No such session"), connect(home=str(tmp_path), resume="stale"):
        pass


def test_another_session_than_asked_for_is_refused(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """A token that leads to a stranger's session would put memories at the wrong level."""

    def confuse(peer: Peer) -> None:
        peer.welcome(ANOTHER)
        assert peer.ended()

    scripted.play(lose_the_save, confuse)
    with connect(home=str(tmp_path)) as memory, pytest.raises(ProtocolError, match="s1 was asked for; s2"):
        memory.save("tea", "hot")


def test_errors_that_pass_are_waited_out(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """A busy daemon is asked again."""

    def serve(peer: Peer) -> None:
        peer.welcome()
        for reply in (BUSY, BUSY, SAVED):
            peer.answer(peer.read()[0], reply)

    scripted.play(serve)
    with connect(home=str(tmp_path)) as memory:
        assert memory.save("tea", "hot") == SAVED


def test_errors_that_pass_are_raised_when_the_time_is_up(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """The caller learns what stood in the way, not only that time ran out."""

    def serve(peer: Peer) -> None:
        peer.welcome()
        while True:
            try:
                peer.answer(peer.read()[0], BUSY)
            except (AssertionError, OSError):  # the client gave up
                return

    scripted.play(serve)
    with connect(home=str(tmp_path), timeout=0.5) as memory, pytest.raises(Refused) as caught:
        memory.save("tea", "hot")
    assert (caught.value.code, caught.value.retryable) == ("busy", True)


def test_other_errors_are_raised_at_once(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """They are asked once, and a missing memory has its own type."""

    def serve(peer: Peer) -> None:
        peer.welcome()
        peer.answer(peer.read()[0], wire.Error(code="bad_kind", message="There is no kind 'x'.", hint="Ten."))
        peer.answer(peer.read()[0], wire.Error(code="not_found", message="Nothing at INTERNAL."))
        assert peer.ended()

    scripted.play(serve)
    with connect(home=str(tmp_path)) as memory:
        with pytest.raises(Refused) as caught:
            memory.save("tea", "hot", kind="x")
        assert (caught.value.code, str(caught.value)) == ("bad_kind", "There is no kind 'x'. Ten.")
        with pytest.raises(NotFound):
            memory.delete("tea")


def test_silence_is_a_time_out(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """A call ends in time though the daemon never answers."""
    scripted.play(lambda peer: (peer.welcome(), peer.read(), peer.ended()))
    with connect(home=str(tmp_path), timeout=0.1) as memory:
        started = time.monotonic()
        with pytest.raises(Timeout):
            memory.save("tea", "hot")
        assert 0.09 < time.monotonic() - started < 2


def test_after_a_time_out_the_blocking_client_speaks_on_a_new_connection(scripted: Scripted, tmp_path: Path) -> None:
    """The old one would bring the late answer to the next request."""

    def answer_too_late(peer: Peer) -> None:
        peer.welcome()
        number, _ = peer.read()
        assert peer.ended()
        with contextlib.suppress(BrokenPipeError):
            peer.answer(number, wire.Saved(id="m0", key="late", level="PUBLIC", status="active", outcome="new"))

    def serve(peer: Peer) -> None:
        assert peer.welcome().resume == "token-1"
        peer.answer(peer.read()[0], SAVED)

    scripted.play(answer_too_late, serve)
    with memtrig.connect(home=str(tmp_path), timeout=0.2) as memory:
        with pytest.raises(Timeout):
            memory.save("late", "cold")
        assert memory.save("tea", "hot") == SAVED


def test_a_large_request_that_nobody_reads_is_a_time_out(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """Sending is bounded like receiving."""
    over = threading.Event()
    scripted.play(lambda peer: (peer.welcome(), over.wait(10)))
    with connect(home=str(tmp_path), timeout=0.2) as memory:
        try:
            with pytest.raises(Timeout):
                memory.save("tea", "hot" * 2_000_000)
        finally:
            over.set()


def test_a_late_answer_reaches_nobody(scripted: Scripted, tmp_path: Path) -> None:
    """With asyncio a timed-out request leaves the connection to the others, and its answer is dropped by its id."""

    def serve(peer: Peer) -> None:
        peer.welcome()
        late, _ = peer.read()
        number, _ = peer.read()
        peer.answer(late, wire.Error(code="not_found", message="too late"))
        peer.answer(number, SAVED)

    async def story() -> wire.Saved:
        async with aio.connect(home=str(tmp_path)) as memory:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await memory.delete("tea")
            return await memory.save("tea", "hot")

    scripted.play(serve)
    assert asyncio.run(story()) == SAVED


def test_what_was_in_flight_when_the_connection_broke_is_repeated_on_one_new_connection(
    scripted: Scripted, tmp_path: Path
) -> None:
    """Ten tasks that lose their connection dial once."""

    def lose(peer: Peer) -> None:
        peer.welcome()
        for _ in range(10):
            peer.read()

    def serve(peer: Peer) -> None:
        peer.welcome()
        for _ in range(10):
            peer.answer(peer.read()[0], SAVED)
        assert peer.ended()

    async def story() -> list[wire.Saved]:
        async with aio.connect(home=str(tmp_path)) as memory:
            return await asyncio.gather(*(memory.save(str(n), "x") for n in range(10)))

    scripted.play(lose, serve)
    assert asyncio.run(story()) == [SAVED] * 10


def test_a_daemon_that_does_not_come_back_is_down(scripted: Scripted, tmp_path: Path, connect: Connect) -> None:
    """A call waits for a daemon that went away, within its time-out, then says that it's down."""
    scripted.play(lambda peer: peer.welcome())
    with connect(home=str(tmp_path), timeout=0.2) as memory:
        scripted.close()
        with pytest.raises(DaemonDown):
            memory.save("tea", "hot")
