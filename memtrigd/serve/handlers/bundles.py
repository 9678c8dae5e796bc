"""bundle.take: the rows of a bundle come back as they were, ids, dates, ranks and lives. The owner brings them."""

from collections import Counter
from collections.abc import Sequence
from datetime import tzinfo
from typing import Final, TypeAlias

from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain import claim as check
from memtrigd.domain.entries import Entry
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status, canonical
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Scope, Suppression
from memtrigd.gate.policy import Actor
from memtrigd.search import analyser
from memtrigd.serve import bundled
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import Change, Ledger, Version
from memtrigd.store.interface_bringing import BROUGHT

BATCH: Final = 32
"""Rows of one request at most."""
_ANYWHERE: Final = Level.PUBLIC
"""Where rows are until their act says it."""


class Life(Struct, frozen=True):
    """A memory with the steps of its life and, if it is active, its terms."""

    memory: Memory
    steps: list[Version]
    terms: Sequence[str]


class Happened(Struct, frozen=True):
    """An event, and what it is about."""

    change: Change
    about: str | None


class Hidden(Struct, frozen=True):
    """A mask, and the key that it is under."""

    key: str
    mask: Mask


Ready: TypeAlias = Life | Suppression | Entry | Happened | Hidden | Ledger


class Batch(Struct, frozen=True):
    """Checked rows by their numbers, whose level is still to be said; what is told of the bundle; what was refused."""

    rows: list[tuple[int, Ready]]
    request: wire.BundleTake
    refused: list[wire.NotTaken]


def prepare(request: wire.BundleTake, _: Actor, __: tzinfo) -> Batch:
    """Check rows one by one and analyse their texts. Raises Refusal ``too_large`` for too many."""
    if len(request.rows) > BATCH:
        raise Refusal("too_large", f"There are {len(request.rows):,} rows.", f"Send {BATCH} at a time.")
    check.name(request.source, "source")
    if request.origin:
        check.text(request.origin, "origin", check.MAX_NOTE)
    batch = Batch([], request, [])
    for number, row in enumerate(request.rows):
        try:
            batch.rows.append((number, _ready(row)))
        except Refusal as refusal:
            batch.refused.append(_not_taken(number, refusal))
    return batch


def take(turn: Turn, batch: Batch) -> wire.BundleTaken:
    """Take what can be taken, each row by itself. Raises Refusal ``level_not_empty`` where nobody said to trust it."""
    request, store, level = batch.request, turn.view.writer, turn.view.level
    known = store.brought(request.source)
    if not (known or request.trust) and store.counts():
        raise Refusal(
            "level_not_empty",
            f"{level.name} has memories, and whoever edits a bundle can give any rank to anything.",
            "--trust takes it as yours.",
        )
    if not (known or request.dry_run):
        store.note(turn.change(BROUGHT, request.origin or None), request.source)
    counts, refused = Counter[str](), list(batch.refused)
    for number, row in batch.rows:
        try:
            counts[_taken(turn, _here(row, level), dry_run=request.dry_run)] += 1
        except Refusal as refusal:
            refused.append(_not_taken(number, refusal))
    refused.sort(key=lambda each: each.number)
    return wire.BundleTaken(level=level.name, counts=dict(sorted(counts.items())), refused=refused)


def _ready(row: wire.AnyBundled) -> Ready:
    match row:
        case wire.BundledMemory():
            memory = bundled.memory(row, _ANYWHERE)
            terms = analyser.terms_of(memory) if memory.status is Status.ACTIVE else ()
            return Life(memory, bundled.life(row, memory), terms)
        case wire.BundledWish():
            return bundled.wish(row)
        case wire.BundledEntry():
            return bundled.entry(row, _ANYWHERE)
        case wire.BundledEvent():
            return Happened(*bundled.event(row))
        case wire.BundledMask():
            return Hidden(check.name(row.key, "key"), bundled.mask(row, _ANYWHERE))
        case wire.BundledLedger():
            return bundled.ledger(row)


def _here(row: Ready, level: Level) -> Ready:
    """A row at the level of the act."""
    match row:
        case Life():
            return replace(row, memory=replace(row.memory, level=level))
        case Entry():
            return replace(row, level=level)
        case Hidden():
            return replace(row, mask=replace(row.mask, level=level))
        case _:
            return row


def _taken(turn: Turn, row: Ready, *, dry_run: bool) -> str:
    """Take one row, and say what became of it. Whatever is refused is refused before anything is written."""
    store = turn.view.writer
    match row:
        case Life():
            return _take_memory(turn, row, dry_run=dry_run)
        case Suppression():
            new = store.wish(row.id) is None
            if new and not dry_run:
                store.suppress(_with_digest(turn, row), turn.change("suppress", row.reason))
        case Entry():
            new = store.entry(row.id) is None
            if new and not dry_run:
                store.keep(row, turn.change(BROUGHT))
        case Happened():
            new = not store.has_event(row.change, row.about)
            if new and not dry_run:
                store.note(row.change, row.about)
        case Hidden():
            new = row.mask.memory_id not in {each.memory_id for each in store.masks(row.key, [row.mask.space])}
            if new and not dry_run:
                store.mask(row.key, row.mask)
        case Ledger():
            new = store.ledger(row.memory_id) is None
            if new and not dry_run:
                store.keep_ledger(row)
    return "new" if new else "known"


def _take_memory(turn: Turn, row: Life, *, dry_run: bool) -> str:
    store, memory = turn.view.writer, row.memory
    here = store.by_id(memory.id)
    if here is not None and here.erased:
        return "known"
    further = row.steps if here is None else _further(row, store.versions(memory.id))
    if not further:
        return "known"
    holder = store.active(memory.key, memory.space) if memory.status is Status.ACTIVE else None
    if holder is not None and holder.id != memory.id:
        raise Refusal("slot_taken", f"Its key is that of {holder.id} here.", "`why KEY` shows what stands here.")
    if memory.erased and here is not None:
        raise Refusal("diverged", "It was erased where the bundle is from.", f"`erase --id {memory.id}` does it here.")
    if not dry_run and here is None:
        store.bring(memory, row.steps, row.terms)
    elif not dry_run and here is not None:
        store.go_on(here, memory, further, row.terms)
    return "new" if here is None else "ahead"


def _further(row: Life, here: list[Version]) -> list[Version]:
    """The steps that a memory here has not gone yet. Raises Refusal ``diverged`` where it went others."""
    there = [(step.change, step.fields) for step in row.steps]
    gone = [(step.change, step.fields) for step in here]
    if gone[: len(there)] == there:
        return []
    if there[: len(gone)] != gone:
        raise Refusal("diverged", "It changed here and in the bundle, each in its way.", "What is here stays.")
    return row.steps[len(gone) :]


def _with_digest(turn: Turn, wish: Suppression) -> Suppression:
    """A wish with the digest of its text under this level's key; where the text is nowhere, with that of none."""
    if wish.scope is not Scope.MEMORY:
        return wish
    rows = (reader.by_id(wish.memory_id or "") for reader in (turn.view.writer, *turn.view.readers))
    text = next((canonical(row.content) for row in rows if row is not None and not row.erased), f"\0{wish.id}")
    return replace(wish, digest=turn.view.writer.digest(text))


def _not_taken(number: int, refusal: Refusal) -> wire.NotTaken:
    return wire.NotTaken(number=number, code=refusal.code, message=refusal.message, hint=refusal.hint)
