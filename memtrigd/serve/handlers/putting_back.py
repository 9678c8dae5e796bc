"""restore of one memory: what a backup has of it comes back as a change of the owner's."""

from typing import Final

from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.secrets import redacted
from memtrigd.search import analyser
from memtrigd.serve.promote import retire
from memtrigd.serve.turn import Turn
from memtrigd.serve.wishing import lift_wishes

_TEXTS: Final = (
    *("key", "space", "content", "entity", "sentiment", "context", "lang", "quote"),
    *("tags", "emotion_tags"),
)


class PutBack(Struct, frozen=True):
    """A memory, and the backup that it was found in."""

    copy: wire.Copy
    memory: Memory
    dry_run: bool


def put_back(turn: Turn, wanted: PutBack) -> wire.Restored:
    """Put a memory into the state that a backup has of it: in service, in place of what holds its slot, or waiting.

    Its history goes on with the step "restore". Raises ``not_found`` for one that was erased since, or that the backup
    has out of service.
    """
    memory, row = wanted.memory, turn.view.writer.by_id(wanted.memory.id)
    if row is not None and row.erased:
        raise Refusal("not_found", "This memory was erased: a backup does not undo that.", "Save it anew.")
    if memory.status not in (Status.ACTIVE, Status.PENDING):
        raise Refusal(
            "not_found",
            f"Backup {wanted.copy.name} has this memory as {memory.status.value}: there is nothing to put back.",
            "Name an older backup, or see `memtrigctl history`.",
        )
    if row is not None:
        memory = _as_it_may_say(memory, row)
    if not wanted.dry_run:
        memory = _into_its_place(turn, memory, row, wanted.copy.name)
    touched = wire.Touched(id=memory.id, key=memory.key, level=memory.level.name, status=memory.status.value)
    return wire.Restored(backup=wanted.copy, levels=[memory.level.name], memory=touched, dry_run=wanted.dry_run)


def _as_it_may_say(memory: Memory, row: Memory) -> Memory:
    """A backup's memory with the texts that it has now: nothing else changes them than taking credentials out."""
    reason = memory.reason if memory.reason in (None, row.reason) else redacted(memory.reason)
    return replace(memory, reason=reason, **{name: getattr(row, name) for name in _TEXTS})


def _into_its_place(turn: Turn, memory: Memory, row: Memory | None, backup: str) -> Memory:
    store, active = turn.view.writer, memory.status is Status.ACTIVE
    holder = store.active(memory.key, memory.space) if active else None
    retire(turn, [holder], memory.id)
    back = replace(
        memory,
        updated=turn.now,
        contested=False,
        superseded_by=None,
        supersedes=holder.id if holder is not None and holder.id != memory.id else memory.supersedes,
        last_recalled=memory.last_recalled if row is None else row.last_recalled,
        recall_count=memory.recall_count if row is None else row.recall_count,
    )
    terms = analyser.terms_of(back) if active else ()
    change = turn.change("restore", backup)
    if row is None:
        store.add(back, terms, change)
    else:
        store.amend(back, change, terms)
        if row.status is Status.FORGOTTEN:
            lift_wishes(turn, back)
    return back
