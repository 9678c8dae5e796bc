"""why-not: which rules hide a memory from a session."""

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve.turn import Turn


def why_not(turn: Turn, request: wire.WhyNot) -> wire.Hidden:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")
