"""pin: the owner freezes a memory against every agent, or lets it go again."""

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.serve.handlers.settle import addressed, settled
from memtrigd.serve.turn import Turn


def pin(turn: Turn, request: wire.Pin) -> wire.Settled:
    """Set the pin of a served memory at exactly the caller's level. Once more is no change."""
    row = addressed(turn, request.key, request.id)
    if row.level is not turn.view.level:
        raise Refusal(
            "not_found",
            f"No such memory lies at {turn.view.level.name}.",
            f"It lies at {row.level.name}: say --level {row.level.name.lower()}.",
        )
    frozen = replace(row, pinned=not request.off)
    if frozen.pinned is not row.pinned:
        turn.view.writer.amend(frozen, turn.change("unpin" if request.off else "pin"))
    return settled(frozen)
