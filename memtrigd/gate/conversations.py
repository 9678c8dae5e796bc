"""What hooks call the conversations of their hosts, for the sessions of these that have no name of their own for it."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from memtrigd.gate.peers import Process

CONVERSATIONS: Final = 256
"""That are known at a time."""


class Conversations:
    """Each with the processes above the hook that named it last, its parent first. The newest is last."""

    def __init__(self) -> None:
        self._above: OrderedDict[str, Sequence[Process]] = OrderedDict()

    def __contains__(self, conversation: object) -> bool:
        return conversation in self._above

    def name(self, conversation: str, ancestors: Sequence[Process]) -> None:
        """Know a conversation. Where there are too many, one of the same host goes, or else of its nearest kin."""
        self._above[conversation] = ancestors
        self._above.move_to_end(conversation)
        if len(self._above) > CONVERSATIONS:
            others = list(self._above)[:-1]  # the oldest of the nearest: nobody pushes out a stranger's by naming many
            del self._above[max(others, key=lambda label: len({*self._above[label]} & {*ancestors}))]

    def over(self, conversation: str) -> None:
        """Know a conversation no longer."""
        self._above.pop(conversation, None)

    def of(self, host: Process) -> str | None:
        """The one that a host's own hooks named last; one of a host that it runs under it counts less."""
        named = [(above.index(host), label) for label, above in self._above.items() if host in above]
        return min(reversed(named), key=lambda each: each[0])[1] if named else None
