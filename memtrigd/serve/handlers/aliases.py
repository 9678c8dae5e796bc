"""alias: other names of an entity, exact, and only the owner's."""

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve.turn import Turn


def add(turn: Turn, request: wire.AliasAdd) -> wire.Aliases:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")


def remove(turn: Turn, request: wire.AliasRemove) -> wire.Aliases:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")


def listing(turn: Turn, request: wire.AliasList) -> wire.Aliases:
    """Not built yet."""
    raise Refusal("internal", "Not built yet.")
