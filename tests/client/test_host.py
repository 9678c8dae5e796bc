"""The descriptor of a session: exactly one, taken once, never left open."""

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from memtrig import ProtocolError, Refused, host, wire

from tests.client.conftest import ANOTHER, SAVED, WELCOME, Peer, Scripted, answer

UNKNOWN = wire.Error(code="session_unknown", message="No such session.")


def hand_over(welcome: wire.Welcome, *ends: socket.socket, resume: str | None = None) -> Callable[[Peer], None]:
    """Answer session.open with ``welcome`` and these sockets, and let go of them."""

    def act(peer: Peer) -> None:
        number, request = peer.read()
        assert isinstance(request, wire.SessionOpen)
        assert request.resume == resume
        socket.send_fds(peer.socket, [answer(number, welcome)], [end.fileno() for end in ends])
        for end in ends:
            end.close()
        assert peer.ended()

    return act


def refuse(peer: Peer) -> None:
    """Know no session."""
    peer.answer(peer.read()[0], UNKNOWN)


def test_a_session_comes_back_over_a_new_descriptor(scripted_control: Scripted, tmp_path: Path) -> None:
    """A lost connection is replaced through the control socket, with the token; no hello is said."""
    first, handed = socket.socketpair()
    second, handed_later = socket.socketpair()
    keys = []

    def lose(peer: Peer) -> None:
        hand_over(WELCOME, handed)(peer)
        with first:
            keys.append(Peer(first).read()[1].idempotency_key)

    def serve(peer: Peer) -> None:
        hand_over(WELCOME, handed_later, resume="token-1")(peer)
        with second:
            number, request = Peer(second).read()
            keys.append(request.idempotency_key)
            Peer(second).answer(number, SAVED)

    scripted_control.play(Peer.ended, lose, serve)
    with host.connect(str(tmp_path)) as control, control.open_session("a", "public") as memory:
        assert memory.save("tea", "hot") == SAVED
    scripted_control.close()
    assert keys[0] == keys[1]


@pytest.mark.parametrize("later", [refuse, "another"])
def test_a_session_of_a_host_is_never_replaced_by_another(
    scripted_control: Scripted, tmp_path: Path, later: object
) -> None:
    """Its level was the host's choice: a session that the daemon lost is an error, again and again."""
    ours, handed = socket.socketpair()
    theirs, stranger = socket.socketpair()
    ours.close()
    act = hand_over(ANOTHER, stranger, resume="token-1") if later == "another" else refuse
    scripted_control.play(Peer.ended, hand_over(WELCOME, handed), act, refuse)
    with host.connect(str(tmp_path)) as control, control.open_session("a", "public") as memory:
        for expected in (ProtocolError if later == "another" else Refused, Refused):
            with pytest.raises(expected):
                memory.get("tea")
    theirs.close()
    stranger.close()


@pytest.mark.parametrize("count", [0, 2])
def test_any_other_number_of_descriptors_is_refused_and_none_stays_open(
    scripted_control: Scripted, tmp_path: Path, count: int
) -> None:
    """What was handed over by mistake is closed: the other end sees it."""
    pairs = [socket.socketpair() for _ in range(count)]
    scripted_control.play(Peer.ended, hand_over(WELCOME, *(handed for _, handed in pairs)))
    with host.connect(str(tmp_path)) as control, pytest.raises(ProtocolError, match=f"{count} descriptors"):
        control.open_session("a", "public")
    scripted_control.close()
    for ours, _ in pairs:
        with ours:
            assert ours.recv(1) == b""


def test_a_descriptor_that_is_no_socket_is_refused(scripted_control: Scripted, tmp_path: Path) -> None:
    """A memory speaks over nothing else."""
    reader, writer = os.pipe()

    def hand_a_pipe(peer: Peer) -> None:
        socket.send_fds(peer.socket, [answer(peer.read()[0], WELCOME)], [writer])
        os.close(writer)
        assert peer.ended()

    scripted_control.play(Peer.ended, hand_a_pipe)
    with host.connect(str(tmp_path)) as control, pytest.raises(ProtocolError, match="no socket"):
        control.open_session("a", "public")
    scripted_control.close()
    assert os.read(reader, 1) == b""  # nobody holds the other end
    os.close(reader)


def test_programs_that_the_host_starts_do_not_inherit_the_session(scripted_control: Scripted, tmp_path: Path) -> None:
    """The descriptor is closed on exec, or a tool could speak at its agent's level."""
    ours, handed = socket.socketpair()
    scripted_control.play(Peer.ended, hand_over(WELCOME, handed))
    with host.connect(str(tmp_path)) as control:
        memory = control.open_session("a", "public")
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False)
        memory.close()
        ours.settimeout(5)
        assert ours.recv(1) == b""  # the child lives and holds no end of it
    child.communicate(timeout=5)
    ours.close()
