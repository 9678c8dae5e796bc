"""What a session may do about memories below its level: nothing to them, but its own level keeps what it thinks of them."""

from msgspec.structs import replace

from memtrig import wire
from memtrigd.domain.forgetting import DENIAL, REINFORCEMENT, effective_importance, faded
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import DAY
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import Ledger


def ledger_of(turn: Turn, row: Memory) -> Ledger:
    """What the caller's level keeps of a lower row, or a fresh page that begins with the row's own importance."""
    kept = turn.view.writer.ledger(row.id)
    return kept or Ledger(
        memory_id=row.id, importance=effective_importance(row, turn.now), importance_at=turn.now
    )


def deny_below(turn: Turn, row: Memory, reason: str | None) -> wire.Settled:
    """Note a denial of a lower row: for readers of this level it counts a tenth, and the second time it is not served."""
    page = ledger_of(turn, row)
    page = replace(page, importance=page.importance * DENIAL, deny_count=page.deny_count + 1)
    turn.view.writer.keep_ledger(page)
    turn.view.writer.note(turn.change("deny_below", reason))
    return wire.Settled(
        id=row.id,
        key=row.key,
        level=turn.view.level.name,
        status=row.status.value,
        deny_count=page.deny_count,
        below=True,
    )


def recall_below(turn: Turn, row: Memory) -> None:
    """Note a recall of a lower row, so that what is recalled up here stays strong for readers up here."""
    page = ledger_of(turn, row)
    again = page.last_recalled is not None and page.last_recalled // DAY >= turn.now // DAY
    if not again and not page.deny_count and not row.core:
        now_worth = faded(page.importance, page.importance_at, turn.now)
        page = replace(page, importance=now_worth + REINFORCEMENT * (1 - now_worth), importance_at=turn.now)
    turn.view.writer.keep_ledger(replace(page, last_recalled=turn.now, recall_count=page.recall_count + 1))
