"""undo: the owner takes back the last change of a memory, or all that a session did. It is a change like any other."""

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.claim import name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory, Status
from memtrigd.search import analyser
from memtrigd.serve.entries import take_back_entries, within_a_reply
from memtrigd.serve.takeback import take_back
from memtrigd.serve.turn import Turn
from memtrigd.serve.wishing import keep_wish, lift_wishes
from memtrigd.store.interface import Version


def undo(turn: Turn, request: wire.Undo) -> wire.Undone:
    """Put memories back to how they were before. What was erased or changed by somebody else since is kept, and said.

    Of a session also what it did to wishes, and to lower memories for the readers of this level.
    """
    if (request.id is None) == (request.session is None):
        raise Refusal("bad_request", "Say what to undo: a memory's last change or a session.", "Give id or session.")
    firsts = _of_session(turn, request.session) if request.session is not None else _last_change(turn, request.id or "")
    wanted = [_before(turn, first) for first in firsts if not _is_beyond(turn, first)]
    rows = _with_room(turn, wanted)
    ids = {row.id for row in rows}
    kept = [_row(turn, first.memory_id) for first in firsts if first.memory_id not in ids]
    others, below = take_back(turn, request.session, dry_run=True) if request.session is not None else (0, [])
    entries = take_back_entries(turn, request.session, dry_run=True) if request.session is not None else 0
    if not (firsts or others or entries):
        what = "No session of this id changed anything" if request.id is None else "No memory of this id is known"
        hint = "`why KEY` shows the ids of a memory and its session. At another level, name its --level."
        raise Refusal("not_found", f"{what} at {turn.view.level.name}.", hint)
    if not request.dry_run:
        _put_back(turn, rows)
    if not request.dry_run and request.session is not None:
        take_back(turn, request.session, dry_run=False)
        take_back_entries(turn, request.session, dry_run=False)
    back = [*rows, *below]
    shown = within_a_reply(map(_touched, (*back, *kept)))
    return wire.Undone(
        memories=shown[: len(back)],
        kept=shown[len(back) :],
        dry_run=request.dry_run,
        entries=entries,
        more=max(0, len(back) - len(shown)),
        more_kept=len(kept) - len(shown[len(back) :]),
    )


def _of_session(turn: Turn, session: str) -> list[Version]:
    """The earliest version that a session made of each memory."""
    newest_first = turn.view.writer.session_versions(name(session, "session"))
    return list({version.memory_id: version for version in newest_first}.values())


def _last_change(turn: Turn, memory_id: str) -> list[Version]:
    """The last version of a memory, and what the same act did to the one that it replaced."""
    store = turn.view.writer
    row = store.by_id(name(memory_id, "id"))
    if row is not None and row.erased:
        raise Refusal("not_found", "This memory was erased: nothing is left of it to bring back.", "Save it anew.")
    versions = store.versions(name(memory_id, "id"))[-1:]
    for last in list(versions):
        replaced = _row(turn, last.memory_id).supersedes
        versions += [v for v in store.versions(replaced or "")[-1:] if v.change.at == last.change.at]
    return versions


def _with_room(turn: Turn, wanted: list[Memory]) -> list[Memory]:
    """Leave out the rows that have no room in service: another holds their slot, or a newer one of them goes there."""
    making_way = {row.id for row in wanted if row.status is not Status.ACTIVE}
    newest: dict[tuple[str, str], Memory] = {}
    for row in sorted(wanted, key=lambda row: (row.updated, row.id)):
        holder = turn.view.writer.active(row.key, row.space)
        if row.status is Status.ACTIVE and (holder is None or holder.id in {row.id, *making_way}):
            newest[row.space, row.key] = row
    served = {row.id for row in newest.values()}
    return [row for row in wanted if row.id in making_way or row.id in served]


def _is_beyond(turn: Turn, first: Version) -> bool:
    """Tell whether a memory was erased, or changed by somebody else after ``first``."""
    if _row(turn, first.memory_id).erased:
        return True
    later = (version for version in turn.view.writer.versions(first.memory_id) if version.seq > first.seq)
    return any(version.change.session != first.change.session for version in later)


def _row(turn: Turn, memory_id: str) -> Memory:
    row = turn.view.writer.by_id(memory_id)
    assert row is not None  # its versions are here
    return row


def _before(turn: Turn, first: Version) -> Memory:
    """A memory as it was before ``first``: out of service if that was its beginning. Recall stamps stay as they are."""
    row, before = _row(turn, first.memory_id), turn.view.writer.before(first)
    if before is None:
        return replace(row, status=Status.REJECTED, reason="undone", contested=False)
    return replace(before, last_recalled=row.last_recalled, recall_count=row.recall_count, contested=False)


def _put_back(turn: Turn, rows: list[Memory]) -> None:
    """Out of service first, then into it: a slot serves one at a time. Wishes go and come with what was forgotten."""
    store = turn.view.writer
    forgotten = {row.id for row in rows if _row(turn, row.id).status is Status.FORGOTTEN}
    for row in sorted(rows, key=lambda row: row.status is Status.ACTIVE):
        if row.status is Status.ACTIVE:
            terms = analyser.terms_of(row)
            store.amend(row, turn.change("undo"), terms)
        else:
            store.amend(row, turn.change("undo"))
    for row in rows:
        if row.status is not Status.FORGOTTEN and row.id in forgotten:
            lift_wishes(turn, row)
        elif row.status is Status.FORGOTTEN and row.id not in forgotten and row.reason != "deleted":
            keep_wish(turn, row, row.reason)


def _touched(row: Memory) -> wire.Touched:
    return wire.Touched(id=row.id, key=row.key, level=row.level.name, status=row.status.value)
