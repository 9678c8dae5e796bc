"""delete: retire the copy of a key at exactly the caller's level. The row is kept; a new save begins a new one."""

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Status
from memtrigd.domain.shadowing import shadows
from memtrigd.serve.below import hide
from memtrigd.serve.mandate import check_deleting
from memtrigd.serve.turn import Turn


def delete(turn: Turn, request: wire.Delete) -> wire.Deleted:
    """Retire a memory, and mask for its readers the older copies that it shadowed.

    Raises ``not_found``, and ``not_yours`` for the user's word where no user is.
    """
    key, view, store = name(request.key, "key"), turn.view, turn.view.writer
    own = next((m for s in view.spaces if (m := store.active(key, s)) is not None and m.served(turn.now)), None)
    if own is None:
        raise _nothing_here(turn, key)
    check_deleting(turn, own)
    rivals = view.rivals(own.space)
    already = view.masks(key, rivals)
    hidden = [
        copy
        for copy in view.copies(key, rivals)
        if copy.id != own.id
        and copy.served(turn.now)
        and shadows(own, copy)
        and not any(mask.hides(copy) for mask in already)
    ]
    store.amend(replace(own, status=Status.FORGOTTEN, reason="deleted"), turn.change("delete", "deleted"))
    for copy in hidden:
        hide(turn, copy, own.space)
    levels = dict.fromkeys(copy.level.name for copy in hidden)
    return wire.Deleted(key=own.key, level=own.level.name, id=own.id, masks=list(levels))


def _nothing_here(turn: Turn, key: str) -> Refusal:
    """Name the level that was asked, and the one whose copy the caller sees."""
    view = turn.view
    seen = next(filter(None, (view.winner(key, space, turn.now) for space in view.spaces)), None)
    hint = (
        f"The copy that you see is at {seen.memory.level.name}: only a session at that level can delete it."
        if seen
        else "A memory is deleted by a session at exactly its level."
    )
    return Refusal("not_found", f"No memory {key!r} is at {view.level.name}.", hint)
