"""What a level may do about memories below it: nothing to them, but keep a page of its own on each, and hide them."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain.forgetting import DENIAL, DISPUTED_AT, REINFORCEMENT, effective_importance, faded
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, canonical
from memtrigd.domain.moments import DAY, Micros
from memtrigd.domain.shadowing import Mask
from memtrigd.gate.view import View
from memtrigd.serve.turn import Turn
from memtrigd.serve.wishing import lift
from memtrigd.store.interface import Ledger, LevelWriter

FORGOTTEN, DELETED, DENIED = "forgotten", "deleted", "denied"


class Restraint(Struct, frozen=True):
    """What a level does to a memory below it, for its own readers: it was ``forgotten``, ``deleted`` or ``denied``."""

    level: Level
    what: str


def restraints(view: View, row: Memory) -> list[Restraint]:
    """All that levels in sight do to a memory below them, the highest level first."""
    wished = {level for level, _ in view.wishes_on(row)}
    found = []
    for reader in view.above(row):
        page = reader.ledger(row.id)
        if reader.level in wished:
            found.append(Restraint(reader.level, FORGOTTEN))
        elif any(mask.hides(row) for mask in reader.masks_on(row.id)):
            found.append(Restraint(reader.level, DELETED))
        if page is not None and page.deny_count:
            found.append(Restraint(reader.level, DENIED))
    return found


def release(turn: Turn, row: Memory) -> bool:
    """Take back all that the caller's own level does to a lower memory; tell whether it did anything."""
    store = turn.view.writer
    wishes = [wish for level, wish in turn.view.wishes_on(row) if level is turn.view.level]
    masks, page = store.masks_on(row.id), store.ledger(row.id)
    for wish in wishes:
        lift(turn, wish.id)
    store.unmask(row.id, turn.change("unmask"))
    if page is not None and page.deny_count:
        forgive(turn, page, page.deny_count)
    return bool(wishes or masks or (page is not None and page.deny_count))


def hide(turn: Turn, row: Memory, space: str) -> None:
    """Hide a lower memory as it is now from the readers of this level and of a space."""
    turn.view.writer.mask(row.key, Mask(row.id, row.seen_count, turn.view.level, space))
    turn.view.writer.note(turn.change("mask"), row.id)


def page_of(store: LevelWriter, row: Memory, now: Micros) -> Ledger:
    """The page that ``store`` keeps on a lower row, or a fresh one that begins with the row's own importance."""
    kept = store.ledger(row.id)
    return kept or Ledger(memory_id=row.id, importance=effective_importance(row, now), importance_at=now)


def deny_below(turn: Turn, row: Memory, reason: str | None, *, last: bool) -> Ledger:
    """Note a denial: for readers of this level the row counts a tenth, and the second time it is not served.

    Where it may not be the ``last`` one, since the row weighs more than who denies it, a further denial is only noted.
    """
    page = page_of(turn.view.writer, row, turn.now)
    if page.deny_count + 1 >= DISPUTED_AT and not last:
        turn.view.writer.note(turn.change("deny_in_vain", reason), row.id)
        return page
    page = replace(page, importance=page.importance * DENIAL, deny_count=page.deny_count + 1)
    turn.view.writer.keep_ledger(page)
    turn.view.writer.note(turn.change("deny_below", reason), row.id)
    return page


def forgive(turn: Turn, page: Ledger, times: int) -> None:
    """Take denials of a lower memory back: what each took of its importance comes back."""
    whole = min(1.0, page.importance / DENIAL**times)
    turn.view.writer.keep_ledger(replace(page, importance=whole, deny_count=page.deny_count - times))
    turn.view.writer.note(turn.change("forgive"), page.memory_id)


def forgive_copies(turn: Turn, said: Memory) -> None:
    """Take back this level's denials of lower copies that say what the user has now stated: so they were right.

    A denied copy that says something else stays denied; the statement stands before it anyway.
    """
    text = canonical(said.content)
    for reader in turn.view.readers:
        copy = reader.active(said.key, said.space) if reader.level is not turn.view.level else None
        page = turn.view.writer.ledger(copy.id) if copy is not None and canonical(copy.content) == text else None
        if page is not None and page.deny_count:
            forgive(turn, page, page.deny_count)


def recall_below(store: LevelWriter, row: Memory, moments: Sequence[Micros]) -> None:
    """Note recalls, so that what is recalled up here stays strong for readers up here; a denied row stays weak."""
    page = page_of(store, row, moments[0])
    for now in moments:
        again = page.last_recalled is not None and page.last_recalled // DAY >= now // DAY
        if not (again or page.deny_count or row.deny_count or row.core):
            worth = faded(page.importance, page.importance_at, now)
            page = replace(page, importance=worth + REINFORCEMENT * (1 - worth), importance_at=now)
        page = replace(page, last_recalled=now, recall_count=page.recall_count + 1)
    store.keep_ledger(page)
