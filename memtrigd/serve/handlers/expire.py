"""expire: what has run out leaves service now, and what soon will is told; or one memory ends before its time."""

from itertools import islice
from typing import Final

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.trust import Rank, rank_of
from memtrigd.serve.ending import ending
from memtrigd.serve.mandate import check_ending
from memtrigd.serve.records import fitting, record
from memtrigd.serve.turn import Turn

NAMED: Final = 100
"""How many memories are named in the answer, of what ran out and of what soon will; all are counted."""


def expire(turn: Turn, request: wire.Expire) -> wire.Expired:
    """Put away what is past its date at the caller's own level, or end one memory of that level now.

    Raises ``not_yours`` where an agent would end what weighs more than its own observation, ``untrusted`` where
    strangers may be speaking and it is not their session's own.
    """
    if request.key is not None and request.id is not None:
        raise Refusal("bad_request", "Name the memory by its key or by its id.", "Give one of them, or neither.")
    one = request.key is not None or request.id is not None
    ended = [_named(turn, request)] if one else _run_out(turn)
    if not request.dry_run:
        for row in ended:
            past = row.expires_at if row.expires_at is not None and row.expires_at <= turn.now else turn.now
            gone = replace(row, status=Status.EXPIRED, reason="expired", expires_at=past, contested=False)
            turn.view.writer.amend(gone, turn.change("expired", "expired"))
    gone_ids = {row.id for row in ended}
    soon = [row for row in _ending(turn) if row.id not in gone_ids]
    return wire.Expired(
        count=len(ended),
        memories=[_touched(row, request.dry_run) for row in ended[:NAMED]],
        remind=fitting(record(row, turn.now) for row in islice(soon, NAMED)),
        more=max(0, len(soon) - NAMED),
        dry_run=request.dry_run,
    )


def _run_out(turn: Turn) -> list[Memory]:
    """What is in service and past its date, the newest first."""
    active = [Status.ACTIVE.value]
    return list(turn.view.writer.select(turn.view.spaces, active, expires_before=turn.now + 1))


def _named(turn: Turn, request: wire.Expire) -> Memory:
    """The one memory to end: in service at the caller's own level, and no weightier than the caller may end."""
    store, spaces = turn.view.writer, turn.view.spaces
    if request.id is not None:
        row = store.by_id(name(request.id, "id"))
        row = row if row is not None and row.space in spaces else None
    else:
        key = name(request.key or "", "key")
        row = next(filter(None, (store.active(key, space) for space in spaces)), None)
    if row is None or row.status is not Status.ACTIVE:
        raise Refusal(
            "not_found",
            f"No such memory is in service at {turn.view.level.name}.",
            "A memory is ended at exactly its own level; `list` shows the levels.",
        )
    if not turn.actor.is_owner and (row.pinned or rank_of(row) > Rank.AUTO_DETECT):
        raise Refusal(
            "not_yours",
            "This memory weighs more than an agent's own observation; an agent can't end it.",
            "Tell the user: `memtrigctl expire` ends it, and what they say anew replaces it.",
        )
    check_ending(turn, row)
    return row


def _ending(turn: Turn) -> list[Memory]:
    """What the caller sees that ends within three days, the next to end first."""
    rows = [row for reader in turn.view.readers for row in ending(turn, reader)]
    return sorted(rows, key=lambda row: (row.expires_at or 0, row.id))


def _touched(row: Memory, dry_run: bool) -> wire.Touched:
    status = row.status if dry_run else Status.EXPIRED
    return wire.Touched(id=row.id, key=row.key, level=row.level.name, status=status.value)
