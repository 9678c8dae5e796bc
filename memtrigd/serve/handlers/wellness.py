"""wellness: how the user is, day by day."""

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve.turn import Turn


def add(turn: Turn, request: wire.WellnessAdd) -> wire.WellnessNoted:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")


def listing(turn: Turn, request: wire.WellnessList) -> wire.WellnessTold:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")
