"""One connection on a loop of the test's own, where it can be seen what a single turn of the loop does."""

import asyncio
import socket

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.gate.doors import HOOK
from memtrigd.gate.peers import Peer
from memtrigd.serve.dispatch import Caller, Done
from memtrigd.serve.protocol import SHARE, Connection
from tests.talk import Line


class Nobody:
    """A service that nothing ever reaches."""

    def take(self, caller: Caller, request: wire.Request, connection: Connection, done: Done) -> None:
        """Be surprised."""
        raise AssertionError(request)

    def lost(self, caller: Caller, connection: Connection) -> None:
        """Hear that the connection is gone."""

    def fault(self, error: BaseException) -> Refusal:
        """Be surprised."""
        raise AssertionError(error)


def test_a_flood_is_answered_a_share_at_a_time() -> None:
    """Ten thousand empty frames in one read: only a share of them holds the loop; the rest follows by itself."""
    sent = 10_000

    async def flood() -> tuple[int, int]:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        connection = Connection(Nobody(), lambda _: Caller(HOOK, Peer(0)), set())
        await loop.connect_accepted_socket(lambda: connection, ours)
        with Line(theirs) as peer:
            connection.data_received(bytes(wire.PREFIX * sent))
            first = peer.answer()
            one = len(wire.frame(first))
            at_once = 1 + len(theirs.recv(1 << 20, socket.MSG_PEEK)) // one
            rest = await asyncio.to_thread(lambda: [peer.answer() for _ in range(sent - 1)])
            connection.close()
        return at_once, rest.count(first)

    assert asyncio.run(flood()) == (SHARE, sent - 1)
