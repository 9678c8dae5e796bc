"""Wishes to forget, kept and lifted; what a session does about one is noted, so that it can be undone."""

from memtrigd.domain.memory import Memory, Status, canonical
from memtrigd.domain.suppression import Scope, Suppression, same_entity
from memtrigd.serve.turn import Turn


def keep_wish(turn: Turn, row: Memory, reason: str | None) -> Suppression:
    """Keep the wish not to be told a memory's text or of its key again."""
    wish = Suppression(
        id=turn.new_id(),
        scope=Scope.MEMORY,
        space=row.space,
        at=turn.now,
        key=row.key,
        digest=turn.view.writer.digest(canonical(row.content)),
        memory_id=row.id,
        reason=reason,
    )
    return _keep(turn, wish)


def keep_entity_wish(turn: Turn, entity: str, reason: str | None) -> Suppression:
    """Keep the wish not to be told of an entity at all."""
    wish = Suppression(
        id=turn.new_id(),
        scope=Scope.ENTITY,
        space=turn.view.own_space,
        at=turn.now,
        entity=entity,
        reason=reason,
    )
    return _keep(turn, wish)


def lift(turn: Turn, wish_id: str) -> None:
    """Take a standing wish back."""
    turn.view.writer.lift(wish_id, turn.change("lift"))
    _note(turn, "lift", wish_id)


def lift_wishes(turn: Turn, row: Memory) -> None:
    """Lift the wishes that kept a memory away, now that it is forgotten no longer, and let lower copies of its key be.

    The wish about its entity stays as long as another memory of the entity, forgotten with that wish or since, is.
    """
    store = turn.view.writer
    wishes = store.suppressions()
    forgotten = [(wish, other) for wish in wishes if (other := _forgotten_by(turn, wish)) is not None]
    for wish in wishes:
        others = any(kept.at >= wish.at and _is_about(turn, other, wish) for kept, other in forgotten)
        if wish.memory_id == row.id or _of_a_lower_copy(turn, wish, row) or (_is_about(turn, row, wish) and not others):
            lift(turn, wish.id)
    for mask in store.masks(row.key, [row.space]):
        store.unmask(mask.memory_id, turn.change("unmask"))


def _keep(turn: Turn, wish: Suppression) -> Suppression:
    turn.view.writer.suppress(wish, turn.change("suppress", wish.reason))
    _note(turn, "suppress", wish.id)
    return wish


def _note(turn: Turn, op: str, wish_id: str) -> None:
    if turn.actor.session is not None:
        turn.view.writer.note(turn.change(op), wish_id)


def _forgotten_by(turn: Turn, wish: Suppression) -> Memory | None:
    """The memory of the caller's level that a wish is about, if it is forgotten still."""
    row = turn.view.writer.by_id(wish.memory_id) if wish.memory_id is not None else None
    return row if row is not None and row.status is Status.FORGOTTEN else None


def _of_a_lower_copy(turn: Turn, wish: Suppression, row: Memory) -> bool:
    """Tell whether a wish is about a lower copy of a memory, which was forgotten with it: it would refuse the key."""
    same_key = wish.key == row.key and wish.space == row.space
    return same_key and wish.memory_id is not None and turn.view.writer.by_id(wish.memory_id) is None


def _is_about(turn: Turn, row: Memory, wish: Suppression) -> bool:
    """Tell whether a wish is about all of the entity of a memory, by whichever of its names."""
    return wish.scope is Scope.ENTITY and any(same_entity(name, wish.entity) for name in turn.view.names_of(row.entity))
