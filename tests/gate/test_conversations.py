"""The conversations that hooks name: many of one host push out that host's own, and nobody else's."""

from memtrigd.gate.conversations import CONVERSATIONS, Conversations
from memtrigd.gate.peers import Process

INIT, PUBLIC_HOST, SECRET_HOST = Process(1, 1), Process(10, 5), Process(20, 6)


def test_a_host_that_names_many_loses_its_own() -> None:
    """The stranger's is the oldest of all, and stays; of the host's own the newest are known."""
    known = Conversations()
    known.name("theirs", [Process(11, 7), PUBLIC_HOST, INIT])
    for number in range(2 * CONVERSATIONS):
        known.name(f"mine-{number}", [Process(100 + number, 9), SECRET_HOST, INIT])
    assert known.of(PUBLIC_HOST) == "theirs"
    assert known.of(SECRET_HOST) == f"mine-{2 * CONVERSATIONS - 1}"
    assert "mine-0" not in known
    known.over("theirs")
    assert known.of(PUBLIC_HOST) is None
