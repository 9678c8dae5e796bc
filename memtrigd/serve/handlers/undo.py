"""undo: the owner takes back the last change of a memory, or all that a session did. It is a change like any other."""

from collections.abc import Iterable

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory, Status
from memtrigd.search import analyser
from memtrigd.serve.turn import Turn
from memtrigd.store.history import state_at
from memtrigd.store.interface import Version


def undo(turn: Turn, request: wire.Undo) -> wire.Undone:
    """Put memories back to how they were before. What was changed by somebody else since is kept, and said."""
    if (request.id is None) == (request.session is None):
        raise Refusal("bad_request", "Say what to undo: a memory's last change or a session.", "Give id or session.")
    store = turn.view.writer
    if request.session is not None:
        session: str | None = name(request.session, "session")
        firsts = _first_of_each(store.session_versions(name(request.session, "session")))
    else:
        versions = store.versions(name(request.id or "", "id"))
        firsts = {versions[-1].memory_id: versions[-1]} if versions else {}
        session = versions[-1].change.session if versions else None
    if not firsts:
        raise Refusal("not_found", f"There is nothing to undo at {turn.view.level.name}.", "Name its --level.")
    undone: list[tuple[str, Version]] = []
    kept: list[tuple[str, Version]] = []
    for memory_id, first in firsts.items():
        versions = store.versions(memory_id)
        later = [v for v in versions if v.seq > first.seq and v.change.session != session]
        (kept if later else undone).append((memory_id, first))
    rows = [_before(turn, memory_id, first) for memory_id, first in undone]
    if not request.dry_run:
        _put_back(turn, rows)
    return wire.Undone(
        memories=[_touched(row) for row in rows],
        kept=[_touched(row) for memory_id, _ in kept if (row := store.by_id(memory_id)) is not None],
        dry_run=request.dry_run,
    )


def _first_of_each(versions: Iterable[Version]) -> dict[str, Version]:
    """The earliest version that a session made of each memory; ``versions`` come the newest first."""
    return {version.memory_id: version for version in versions}


def _before(turn: Turn, memory_id: str, first: Version) -> Memory:
    """A memory as it was before ``first``: out of service if that was its beginning."""
    store = turn.view.writer
    row = store.by_id(memory_id)
    assert row is not None  # its versions are here
    earlier = [v for v in store.versions(memory_id) if v.seq < first.seq]
    if not earlier:
        return replace(row, status=Status.REJECTED, reason="undone", contested=False)
    before = state_at(earlier, turn.view.level)
    stamps = {"last_recalled": row.last_recalled, "recall_count": row.recall_count}  # not in versions
    return replace(before, contested=False, **stamps)


def _put_back(turn: Turn, rows: list[Memory]) -> None:
    """Out of service first, then into it: a slot serves one at a time."""
    store = turn.view.writer
    for row in sorted(rows, key=lambda row: row.status is Status.ACTIVE):
        if row.status is Status.ACTIVE:
            holder = store.active(row.key, row.space)
            if holder is not None and holder.id != row.id:
                continue
            terms = analyser.memory_terms(row.key, row.content, row.entity, row.tags, row.context)
            store.amend(row, turn.change("undo"), terms)
        else:
            store.amend(row, turn.change("undo"))


def _touched(row: Memory) -> wire.Touched:
    return wire.Touched(id=row.id, key=row.key, level=row.level.name, status=row.status.value)
