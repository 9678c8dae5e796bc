"""What a folder does to memories, inside a transaction of its level: lines are taken, and what is gone is closed.

A folder speaks as a file does, never as the user: it outranks no word of theirs and brings nothing forgotten back.
"""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final

import msgspec
from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain.claim import auto_key
from memtrigd.domain.entries import Sort
from memtrigd.domain.errors import Refusal
from memtrigd.domain.folders import Line
from memtrigd.domain.levels import can_flow_to, parse_level
from memtrigd.domain.memory import Memory, Source, Status, canonical
from memtrigd.domain.trust import Rank, rank_of
from memtrigd.gate.policy import Actor
from memtrigd.serve.entries import made
from memtrigd.serve.handlers import draft, save
from memtrigd.serve.handlers.draft import Draft
from memtrigd.serve.screening import screened
from memtrigd.serve.turn import Turn
from memtrigd.watched.registry import Entry

_SAID: Final = ("content", "key", "kind", "entity", "tags", "context", "lang", "expires_at", "valid_from", "valid_to")
"""What a memory in a file may say of itself."""
CLOSED: Final = "its line is gone"
"""Why a memory is out of service whose line no file has any more."""


SAID: Final = "its line counts as the user's by now"
"""Why a guess waits no more."""


class Drafted(Struct, frozen=True):
    """A line on its way: its draft, or why it was refused; and the memory whose place it takes."""

    draft: Draft | None = None
    code: str | None = None
    replaces: str | None = None


def voice(folder: str) -> Actor:
    """Who speaks: the folder, by its id, so that `undo --session` takes back all that it did."""
    return Actor("folder", session=folder)


def text_of(record: wire.ImportRecord) -> str:
    """By what a line is known: its text, and its key if it has one."""
    return f"{record.key or ''}\n{canonical(record.content)}"


def drafted(record: wire.ImportRecord, entry: Entry, replaces: str | None, zone: tzinfo) -> Drafted:
    """Check a line and analyse its text, with no store at hand. It counts as what its folder's lines do."""
    try:
        if record.level is not None and not can_flow_to(parse_level(record.level), entry.level):
            raise Refusal("bad_level", "The line is of a higher level than its folder.", "Watch it at that level.")
        if record.status != Status.ACTIVE:
            raise Refusal("bad_value", "The line is not in service where it comes from.", "Take it out.")
        said = {name: getattr(record, name) for name in _SAID}
        kept = screened(wire.Save(**said, source=entry.source.value), _ANYBODY)
        assert isinstance(kept, wire.Save)
        return Drafted(draft.prepare(kept, _ANYBODY, zone), replaces=replaces)
    except Refusal as refusal:
        return Drafted(code=refusal.code, replaces=replaces)


def take(turn: Turn, lines: Sequence[Drafted]) -> list[tuple[str | None, str | None]]:
    """Take lines, each by itself: the memory that each is now, or why it is none."""
    return [_taken(turn, each) for each in lines]


def _taken(turn: Turn, line: Drafted) -> tuple[str | None, str | None]:
    if line.draft is None:
        return None, line.code
    if line.draft.claim.source is Source.FILE_IMPORT:
        _no_guess_any_more(turn, line.draft)
    try:
        return save.save(turn, _in_place(turn, line.draft, line.replaces)).id, None
    except Refusal as refusal:
        return None, refusal.code


def _no_guess_any_more(turn: Turn, said: Draft) -> None:
    """Close the guess that a line was while others might have written it: its own folder now says it as the user's."""
    claim, store = said.claim, turn.view.writer
    key, text = claim.key or auto_key(claim.kind, claim.entity, claim.content), canonical(claim.content)
    for row in store.pending(key, turn.view.own_space):
        if _is_ours(turn, row) and canonical(row.content) == text:
            store.amend(
                replace(row, status=Status.EXPIRED, reason=SAID, expires_at=turn.now), turn.change("expired", SAID)
            )


def _in_place(turn: Turn, said: Draft, replaces: str | None) -> Draft:
    """Let a line follow the memory whose place it takes, if that is in service and nobody else's.

    A guess follows nothing: it waits, and what it would follow closes.
    """
    old = turn.view.writer.by_id(replaces) if replaces is not None else None
    claim, space = said.claim, turn.view.own_space
    if old is None or not _is_ours(turn, old) or not old.served(turn.now) or claim.source is not Source.FILE_IMPORT:
        return said
    key = claim.key or auto_key(claim.kind, claim.entity, claim.content)
    if old.space != space or key == old.key or turn.view.writer.active(key, space) is not None:
        return said
    return replace(said, claim=replace(claim, key=key, replaces=old.id))


def settle(turn: Turn, file: str, lines: Sequence[Line], closing: Sequence[str]) -> int:
    """Keep what a file says now, and close memories that none says any more; returns how many.

    What the user said or confirmed, or pinned, stays.
    """
    store, closed = turn.view.writer, 0
    for memory in closing:
        row = store.by_id(memory)
        if row is not None and _is_ours(turn, row):
            change = turn.change("expired", CLOSED)
            gone = replace(row, status=Status.EXPIRED, reason=CLOSED, expires_at=turn.now, contested=False)
            store.amend(gone, change)
            closed += 1
    body = msgspec.json.encode(lines).decode()
    folder = turn.actor.session
    old = next((each for each in store.entries(Sort.FILE, name=folder) if each.body["file"] == file), None)
    if old is None:
        old = made(turn, Sort.FILE, {"file": file, "lines": body}, name=folder)
    gone_at = None if lines else turn.now
    store.keep(
        replace(old, updated=turn.now, closed=gone_at, body={"file": file, "lines": body}), turn.change("folder")
    )
    return closed


def _is_ours(turn: Turn, row: Memory) -> bool:
    """Tell whether a row is the folder's own to close: it waits or is in service, and is nobody's word but a file's."""
    there = row.status in (Status.ACTIVE, Status.PENDING)
    return there and row.session == turn.actor.session and not row.pinned and rank_of(row) <= Rank.FILE_IMPORT


_ANYBODY: Final = Actor("folder")
