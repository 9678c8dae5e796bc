"""get: the copy of one key that the caller sees, or the memory of one id."""

from memtrig import wire

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.shadowing import Winner
from memtrigd.serve.records import record
from memtrigd.serve.turn import Turn


def get(turn: Turn, request: wire.Get) -> wire.Got:
    """Return the winner among the visible copies, with what it stands against. Raises ``not_found``."""
    if (request.key is None) == (request.id is None):
        raise Refusal("bad_request", "Name the memory by its key or by its id.", "Give exactly one of them.")
    named = name(request.id or "", "id") if request.key is None else name(request.key, "key")
    look = _by_id if request.key is None else _look
    found = look(turn, named)
    if found is None:
        with turn.view.snapshot():  # a save may have come in between: look again, at one state, before saying no
            found = look(turn, named)
            if found is None:
                raise missing(turn, named) if request.id is None else _gone(turn)
    turn.recall(found.memory)
    return wire.Got(memory=record(found.memory, turn.now, found, turn.view.worth(found.memory, turn.now)))


def _look(turn: Turn, key: str) -> Winner | None:
    view = turn.view
    spaces = view.spaces if view.every_space else view.spaces[:1]
    return next(filter(None, (view.winner(key, space, turn.now) for space in spaces)), None)


def _by_id(turn: Turn, memory_id: str) -> Winner | None:
    row = turn.view.find(memory_id)
    return None if row is None else turn.view.serves(row, turn.now)


def _gone(turn: Turn) -> Refusal:
    """Say that an id is not there, whatever was once: a copy above that hides it, a later version, a wish."""
    message = f"No memory with this id is visible at {turn.view.level.name} now."
    return Refusal("not_found", message, "It may have been replaced: get it by its key, or search again.")


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
