"""Rows into and out of service: what save, confirm, unforget and undo have in common."""

from collections.abc import Iterable

from msgspec.structs import replace

from memtrigd.domain.memory import CORE_KINDS, Memory, Status
from memtrigd.search import analyser
from memtrigd.serve.turn import Turn


def confirmed(row: Memory) -> Memory:
    """A row on the user's word: it counts in full again, and is core if its kind says so."""
    return replace(row, importance=1.0, core=row.core or row.kind in CORE_KINDS)


def promote(turn: Turn, row: Memory, ousted: Memory | None, op: str) -> Memory:
    """Put a row of the writer's level into service, in place of what holds its slot; returns it as it now is."""
    store = turn.view.writer
    retire(turn, [ousted, store.active(row.key, row.space)], row.id)
    active = replace(
        row,
        status=Status.ACTIVE,
        updated=turn.now,
        importance_at=turn.now,
        deny_count=0,
        contests=None,
        contested=False,
        supersedes=ousted.id if ousted is not None else row.supersedes,
        superseded_by=None,
        reason=row.reason if row.status is Status.PENDING else None,  # why it was said, not why it was put away
    )
    terms = analyser.terms_of(active)
    store.amend(active, turn.change(op), terms)
    return active


def retire(turn: Turn, rows: Iterable[Memory | None], successor: str) -> None:
    """Take the rows that make way for ``successor`` out of service: superseded, or expired if their date had passed."""
    seen: set[str] = {successor}
    for row in rows:
        if row is not None and row.id not in seen:
            seen.add(row.id)
            gone = Status.SUPERSEDED if row.served(turn.now) else Status.EXPIRED
            turn.view.writer.amend(
                replace(row, status=gone, superseded_by=successor, contested=False), turn.change(gone.value)
            )
