"""week: what agents learned, guessed, contested and forgot lately."""

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve.turn import Turn


def week(turn: Turn, request: wire.Week) -> wire.Weekly:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")
