"""history and why: what was ever said under a key, and how the daemon comes to know it."""

from memtrig import wire

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import to_iso
from memtrigd.serve.handlers.settle import addressed
from memtrigd.serve.records import record
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelReader, Version

_HIDDEN_FROM_AGENTS = (Status.PENDING, Status.REJECTED, Status.FORGOTTEN)


def history(turn: Turn, request: wire.History) -> wire.Told:
    """Every row of a key in sight, the oldest first. An agent sees what was served, and its own proposals."""
    key = name(request.key, "key")
    found = [
        (reader, row) for reader in turn.view.readers for row in reader.told(key, turn.view.spaces) if _shown(turn, row)
    ]
    if not found:
        raise Refusal(
            "not_found",
            f"Nothing was ever said under {key!r} at {turn.view.level.name} or below.",
            "`list` shows keys.",
        )
    found.sort(key=lambda pair: (pair[1].updated, pair[1].level, pair[1].id))
    return _told(turn, found)


def why(turn: Turn, request: wire.Why) -> wire.Told:
    """The life of one served memory, and of those that it replaced."""
    row: Memory | None = addressed(turn, request.key, request.id)
    chain: list[tuple[LevelReader, Memory]] = []
    while row is not None and all(row.id != earlier.id for _, earlier in chain):
        reader = turn.view.reader(row.level)
        assert reader is not None  # the row came from it
        chain.append((reader, row))
        row = reader.by_id(row.supersedes) if row.supersedes else None
    return _told(turn, chain[::-1])


def _told(turn: Turn, rows: list[tuple[LevelReader, Memory]]) -> wire.Told:
    steps = [(version, row) for reader, row in rows for version in reader.versions(row.id)]
    steps.sort(key=lambda pair: (pair[0].change.at, pair[0].seq))
    return wire.Told(
        memories=[record(row, turn.now) for _, row in rows], steps=[_step(version) for version, _ in steps]
    )


def _step(version: Version) -> wire.Step:
    status = version.fields.get("status")
    return wire.Step(
        at=to_iso(version.change.at),
        op=version.change.op,
        actor=version.change.actor,
        id=version.memory_id,
        session=version.change.session,
        reason=version.change.reason,
        status=status if isinstance(status, str) else None,
        changed=sorted(version.fields),
    )


def _shown(turn: Turn, row: Memory) -> bool:
    if turn.actor.is_owner or row.status not in _HIDDEN_FROM_AGENTS:
        return True
    return row.status is Status.PENDING and row.session == turn.actor.session
