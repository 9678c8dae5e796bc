"""The hook socket: a host's hook comes in for its sessions, tells what the user says, and when it is over.

What the user says is heard so that a quote can be told from an invention.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from memtrig import wire

from memtrigd.domain.claim import name, text
from memtrigd.domain.levels import Level
from memtrigd.domain.speech import KEPT_CHARACTERS, uttered
from memtrigd.domain.trust import Hearing
from memtrigd.gate.ears import Ears
from memtrigd.gate.peers import Peer, Process
from memtrigd.gate.sessions import Sessions
from memtrigd.store.interface import Hands

FromHook: TypeAlias = wire.HookOpen | wire.Heard | wire.HookEnd
Keep: TypeAlias = Callable[[Callable[[Hands], None]], None]


def hear(peer: Peer, request: FromHook, sessions: Sessions, ears: Ears, keep: Keep) -> wire.Noted | wire.Adopted:
    """Answer a hook; ``keep`` writes what is to outlive the daemon."""
    above = peer.ancestors or ()
    match request:
        case wire.HookOpen():
            return _opened(above, request, sessions)
        case wire.HookEnd():
            return _ended(above, request, sessions, ears)
        case wire.Heard():
            return _heard(above, request, sessions, ears, keep)


def _opened(above: Sequence[Process], request: wire.HookOpen, sessions: Sessions) -> wire.Adopted:
    """Let a hook in. Its sessions are those of the host that it runs under; it can't ask for others, or for a level."""
    if request.conversation is not None:
        sessions.converse(above, name(request.conversation, "conversation"))
    row = sessions.adopted(above)
    level = Level.PUBLIC if row is None else row.level
    return wire.Adopted(sessions=len(sessions.of_host(above)), level=level.name)


def _ended(above: Sequence[Process], request: wire.HookEnd, sessions: Sessions, ears: Ears) -> wire.Noted:
    """End a conversation, if it is the present one: its words are forgotten, its sessions stay and may hear others."""
    conversation = None if request.conversation is None else name(request.conversation, "conversation")
    over = sessions.part(above, conversation)
    for row in over:
        ears.over(row.id)
    return wire.Noted(sessions=len(over))


def _heard(above: Sequence[Process], request: wire.Heard, sessions: Sessions, ears: Ears, keep: Keep) -> wire.Noted:
    """Let every session of the hook's host hear the words. From the first on it is a session with a feed, for good.

    An unattended session hears nothing: what its host's user says elsewhere was not said to it.
    """
    words = text(request.text, "text")
    listening = [row for row in sessions.of_host(above) if row.hearing is not Hearing.UNATTENDED]
    said = uttered(words[:KEPT_CHARACTERS])  # one for all of them: there may be dozens, and each keeps fifty
    for row in listening:
        ears.hear(row.id, row.level, said)
        if row.hearing is Hearing.NONE:
            sessions.hears(row.id)
            keep(_keeper(row.id))
    return wire.Noted(sessions=len(listening))


def _keeper(session: str) -> Callable[[Hands], None]:
    return lambda hands: hands.control.hear(session, Hearing.FEED)
