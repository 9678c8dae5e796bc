"""heard: what a host's hook tells of the user's own words, so that a quote can be told from an invention."""

from collections.abc import Callable

from memtrig import wire

from memtrigd.domain.claim import text
from memtrigd.domain.trust import Hearing
from memtrigd.gate.ears import Ears
from memtrigd.gate.peers import Peer
from memtrigd.gate.sessions import Sessions
from memtrigd.store.interface import Hands


def heard(
    peer: Peer, request: wire.Heard, sessions: Sessions, ears: Ears, keep: Callable[[Callable[[Hands], None]], None]
) -> wire.Noted:
    """Let every session of the hook's host hear the words. From the first on it is a session with a feed, for good.

    An unattended session hears nothing: what its host's user says elsewhere was not said to it.
    """
    words = text(request.text, "text")
    listening = [row for row in sessions.of_host(peer.ancestors or ()) if row.hearing is not Hearing.UNATTENDED]
    for row in listening:
        ears.hear(row.id, words)
        if row.hearing is Hearing.NONE:
            sessions.hears(row.id)
            keep(_keeper(row.id))
    return wire.Noted(sessions=len(listening))


def _keeper(session: str) -> Callable[[Hands], None]:
    return lambda hands: hands.control.hear(session, Hearing.FEED)
