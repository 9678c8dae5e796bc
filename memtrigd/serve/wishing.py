"""Wishes to forget, kept and lifted; what a session does about one is noted, so that it can be undone."""

from memtrigd.domain.memory import Memory, Status, canonical
from memtrigd.domain.moments import Micros
from memtrigd.domain.suppression import Scope, Subject, Suppression
from memtrigd.serve.turn import Turn


def keep_wish(turn: Turn, row: Memory, reason: str | None, at: Micros | None = None) -> Suppression:
    """Keep the wish not to be told a memory's text or of its key again; ``at`` is when it was uttered elsewhere."""
    wish = Suppression(
        id=turn.new_id(),
        scope=Scope.MEMORY,
        space=row.space,
        at=turn.now if at is None else at,
        key=row.key,
        digest=turn.view.writer.digest(canonical(row.content)),
        memory_id=row.id,
        reason=reason,
    )
    return _keep(turn, wish)


def keep_entity_wish(turn: Turn, entity: str, reason: str | None, at: Micros | None = None) -> Suppression:
    """Keep the wish not to be told of an entity at all."""
    wish = Suppression(
        id=turn.new_id(),
        scope=Scope.ENTITY,
        space=turn.view.own_space,
        at=turn.now if at is None else at,
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
    for wish in _standing_on(turn, row):
        own = wish.memory_id == row.id or _of_a_lower_copy(turn, wish, row)
        if own or (wish.scope is Scope.ENTITY and not _keeps_others_away(turn, wish)):
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


def _standing_on(turn: Turn, row: Memory) -> list[Suppression]:
    """The standing wishes that were made with a memory, or are of its key or entity, without what an erase left."""
    store = turn.view.writer
    subject = Subject(row.key, row.space, turn.view.names_of(row.entity), b"")
    wishes = [*(each for each in store.wishes_about(row.id) if each.lifted_at is None), *store.wishes(subject)]
    return list({wish.id: wish for wish in wishes if wish.scope is not Scope.ERASED}.values())


def _keeps_others_away(turn: Turn, wish: Suppression) -> bool:
    """Tell whether a memory of a wish's entity that was forgotten with it, or since, is so still."""
    store = turn.view.writer
    names = turn.view.names_of(wish.entity)
    rows = list(store.select(turn.view.spaces, [Status.FORGOTTEN.value], entities=names))
    made = (each for row in rows for each in store.wishes_about(row.id))
    return any(each.lifted_at is None and each.scope is Scope.MEMORY and each.at >= wish.at for each in made)


def _of_a_lower_copy(turn: Turn, wish: Suppression, row: Memory) -> bool:
    """Tell whether a wish is about a lower copy of a memory, which was forgotten with it: it would refuse the key."""
    same_key = wish.key == row.key and wish.space == row.space
    return same_key and wish.memory_id is not None and turn.view.writer.by_id(wish.memory_id) is None
