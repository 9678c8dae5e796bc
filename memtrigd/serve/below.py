"""What a level may do about memories below it: nothing to them, but keep a page of its own on each."""

from msgspec.structs import replace

from memtrigd.domain.forgetting import DENIAL, REINFORCEMENT, effective_importance, faded
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import DAY, Micros
from memtrigd.store.interface import Ledger, LevelWriter


def page_of(store: LevelWriter, row: Memory, now: Micros) -> Ledger:
    """The page that ``store`` keeps on a lower row, or a fresh one that begins with the row's own importance."""
    kept = store.ledger(row.id)
    return kept or Ledger(memory_id=row.id, importance=effective_importance(row, now), importance_at=now)


def deny_below(store: LevelWriter, row: Memory, now: Micros) -> Ledger:
    """Note a denial: for readers of this level the row counts a tenth, and the second time it is not served."""
    page = page_of(store, row, now)
    page = replace(page, importance=page.importance * DENIAL, deny_count=page.deny_count + 1)
    store.keep_ledger(page)
    return page


def recall_below(store: LevelWriter, row: Memory, now: Micros) -> None:
    """Note a recall, so that what is recalled up here stays strong for readers up here; a denied row stays weak."""
    page = page_of(store, row, now)
    again = page.last_recalled is not None and page.last_recalled // DAY >= now // DAY
    if not again and not page.deny_count and not row.core:
        worth = faded(page.importance, page.importance_at, now)
        page = replace(page, importance=worth + REINFORCEMENT * (1 - worth), importance_at=now)
    store.keep_ledger(replace(page, last_recalled=now, recall_count=page.recall_count + 1))
