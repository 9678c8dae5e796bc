"""get: the copy of one key that the caller sees."""

from memtrig import wire

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.shadowing import Winner
from memtrigd.serve.records import record
from memtrigd.serve.turn import Turn


def get(turn: Turn, request: wire.Get) -> wire.Got:
    """Return the winner among the visible copies, with what it stands against. Raises ``not_found``."""
    key = name(request.key, "key")
    found = _look(turn, key)
    if found is None:
        with turn.view.snapshot():  # a save may have come in between: look again, at one state, before saying no
            found = _look(turn, key)
            if found is None:
                raise missing(turn, key)
    turn.recall(found.memory)
    return wire.Got(memory=record(found.memory, turn.now, found, turn.view.worth(found.memory, turn.now)))


def _look(turn: Turn, key: str) -> Winner | None:
    view = turn.view
    spaces = view.spaces if view.every_space else view.spaces[:1]
    return next(filter(None, (view.winner(key, space, turn.now) for space in spaces)), None)


def missing(turn: Turn, key: str) -> Refusal:
    """Say that a key is not there, and that a delete at a visible level hides an older copy where that is so."""
    view = turn.view
    masks = view.masks(key, view.spaces)
    copies = [copy for copy in view.copies(key, view.spaces) if copy.served(turn.now)]
    hidden = next(((mask, copy) for copy in copies for mask in masks if mask.hides(copy)), None)
    if hidden is None:
        above = "" if view.level is Level.RESTRICTED else "; a session at a higher level may see more"
        hint = f"`list` shows the keys there are{above}."
        return Refusal("not_found", f"No memory {key!r} is visible at {view.level.name}.", hint)
    mask, copy = hidden
    return Refusal(
        "not_found",
        f"The memory {key!r} was deleted at {mask.level.name}; that hides the copy at {copy.level.name}.",
        "Save the key again to give it a new content, or open a session at the lower level to see the old copy.",
    )
