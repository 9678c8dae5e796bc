"""vacuum, selfcheck, recover, init: the upkeep of a level, as far as anybody may ask for it."""

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve.turn import Turn


def vacuum(turn: Turn, request: wire.Vacuum) -> wire.Vacuumed:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")


def selfcheck(turn: Turn, request: wire.Selfcheck) -> wire.Checked:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")


def recover(turn: Turn, request: wire.Recover) -> wire.Recovered:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")


def init(turn: Turn, request: wire.Init) -> wire.Initialised:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")
