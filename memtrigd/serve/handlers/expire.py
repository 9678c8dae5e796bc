"""expire: what has run out leaves service now, and what soon will is told."""

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve.turn import Turn


def expire(turn: Turn, request: wire.Expire) -> wire.Expired:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")
