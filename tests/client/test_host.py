"""The descriptor of a session: exactly one, taken once, never left open."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from memtrig import ProtocolError, Refused, host, wire

from .conftest import ANOTHER, SAVED, WELCOME, Peer, Scripted, answer

UNKNOWN = wire.Error(code="session_unknown", message="No such session.")


def wait_for_end(peer: Peer) -> None:
    """The host's own connection, which these stories don't use."""
    assert peer.ended()


def hand(welcome: wire.Welcome, *ends: socket.socket) -> Callable[[Peer], None]:
    """Answer session.open with ``welcome`` and these sockets."""

    def act(peer: Peer) -> None:
        number, request = peer.read()
        assert isinstance(request, wire.SessionOpen)
        socket.send_fds(peer.socket, [answer(number, welcome)], [end.fileno() for end in ends])
        assert peer.ended()

    return act


def descriptors() -> int:
    """How many descriptors this process has."""
    return len(os.listdir("/proc/self/fd"))


def test_a_session_speaks_over_the_descriptor_it_was_handed(scripted_control: Scripted, tmp_path: Path) -> None:
    """No path is opened and no hello is said; programs that the host starts don't inherit the descriptor."""
    ours, theirs = socket.socketpair()

    def serve(peer: Peer) -> None:
        hand(WELCOME, theirs)(peer)
        theirs.close()
        agent = Peer(ours)
        number, request = agent.read()
        assert isinstance(request, wire.Save)
        agent.answer(number, SAVED)
        assert agent.ended()
        ours.close()

    scripted_control.play(serve)
    door = host.SessionDoor(host.homes.find(str(tmp_path)).control_socket, wire.SessionOpen(agent="a"))
    link = host.Link(door, host.Ticket(None, renewable=False), 5)
    with host.Memory(link) as memory:
        link.open()
        handed = link._connection._socket  # type: ignore[union-attr]
        assert not handed.get_inheritable()
        assert memory.save("tea", "hot") == SAVED
        assert memory.session == "s1"


@pytest.mark.parametrize("count", [0, 2])
def test_any_other_number_of_descriptors_is_refused_and_none_stays_open(
    scripted_control: Scripted, tmp_path: Path, count: int
) -> None:
    """What was handed over by mistake is closed."""
    pairs = [socket.socketpair() for _ in range(count)]
    ends = [end for pair in pairs for end in pair]
    scripted_control.play(hand(WELCOME, *ends[:count]))
    before = descriptors()
    door = host.SessionDoor(host.homes.find(str(tmp_path)).control_socket, wire.SessionOpen(agent="a"))
    with pytest.raises(ProtocolError, match=f"{count} descriptors"):
        door.open(None, float("inf"))
    scripted_control.close()
    for end in ends:
        end.close()
    assert descriptors() <= before
