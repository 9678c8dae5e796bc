"""erase: what was said is gone, byte by byte, and is not learnt again."""

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve.turn import Turn


def erase(turn: Turn, request: wire.Erase) -> wire.Erased:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")
