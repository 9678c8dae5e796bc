"""The owner's seat belt: an agent that can start programs shall not become the owner by starting memtrigctl.

A belt, not a wall: a process that leaves its parents (a double fork) slips it. docs/security.md says so.
"""

from collections.abc import Collection

from memtrigd.domain.errors import Refusal
from memtrigd.gate.peers import Peer, Process


def buckle(peer: Peer, holders: Collection[Process], own_session_verb: bool) -> None:
    """Refuse a control request whose process descends from one that holds a session.

    ``holders`` are the processes with a connected session. ``own_session_verb``: the policy layer of a host, which may
    itself run under an agent, asks for one of the sessions that it opened.
    """
    if own_session_verb:
        return
    if peer.ancestors is None and holders:
        raise Refusal(
            "owner_from_agent",
            "The process that connected is gone, so nobody can tell whether it ran under an agent.",
            "Connect and ask from the same process, or set seat_belt = false under [owner].",
        )
    above = next((process for process in peer.ancestors or () if process in holders), None)
    if above is None:
        return
    raise Refusal(
        "owner_from_agent",
        f"This runs under process {above.pid}, which holds an agent's session; the owner's verbs are not for agents.",
        "Run it in a terminal of your own, add --as LEVEL to act as the agent, or set seat_belt = false under [owner].",
    )
