"""promise: what the user was promised, until when, and whether it was kept."""

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve.turn import Turn


def add(turn: Turn, request: wire.PromiseAdd) -> wire.Promised:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")


def done(turn: Turn, request: wire.PromiseDone) -> wire.Promised:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")


def listing(turn: Turn, request: wire.PromiseList) -> wire.Promises:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")


def check(turn: Turn, request: wire.PromiseCheck) -> wire.Promises:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")
