"""get: the copy of one key that the caller sees."""

from memtrig import wire

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.serve.records import record
from memtrigd.serve.turn import Turn


def get(turn: Turn, request: wire.Get) -> wire.Got:
    """Return the winner among the visible copies, with what it stands against. Raises ``not_found``."""
    key, view = name(request.key, "key"), turn.view
    for space in view.spaces if view.every_space else view.spaces[:1]:
        found = view.winner(key, space, turn.now)
        if found is not None:
            turn.recall(found.memory)
            worth = view.worth(found.memory, turn.now)
            return wire.Got(memory=record(found.memory, turn.now, found, worth))
    raise missing(turn, key)


def missing(turn: Turn, key: str) -> Refusal:
    """Say that a key is not there, and that a delete at a visible level hides an older copy where that is so."""
    view = turn.view
    copies = [m for m in view.copies(key, view.spaces) if m.served(turn.now)]
    if not copies:
        return Refusal(
            "not_found",
            f"No memory {key!r} is visible at {view.level.name}.",
            "`list` shows the keys there are; a session at a higher level may see more.",
        )
    mask = view.masks(key, view.spaces)[0]
    return Refusal(
        "not_found",
        f"The memory {key!r} was deleted at {mask.level.name}; that hides the copy at {copies[0].level.name}.",
        "Save the key again to give it a new content, or open a session at the lower level to see the old copy.",
    )
