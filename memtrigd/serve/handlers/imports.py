"""import: what other programs kept, a batch a transaction. The owner brings it; the file speaks."""

from collections import Counter
from datetime import tzinfo
from typing import Final

from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain import claim as check
from memtrigd.domain.claim import Claim, auto_key
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import can_flow_to, parse_level
from memtrigd.domain.memory import Kind, Memory, Source, Status, canonical
from memtrigd.domain.moments import Micros, from_iso
from memtrigd.domain.past import Past, as_imported, past
from memtrigd.domain.secrets import redacted
from memtrigd.domain.trust import Hearing, rank, rank_of
from memtrigd.gate.policy import Actor
from memtrigd.gate.view import at_home_in
from memtrigd.serve import screening
from memtrigd.serve.handlers import beside, draft, save
from memtrigd.serve.handlers.draft import Draft
from memtrigd.serve.turn import Turn
from memtrigd.serve.wishing import keep_wish

BATCH: Final = 32
"""Records of one request at most: the writer is busy with each for a millisecond or two."""
IMPORTER: Final = Actor("import", hearing=Hearing.FEED)
"""Who speaks: a file. Nothing that it relays was heard: it outranks no word of the user's own, confirms nothing, and
what they want forgotten it does not bring back."""
_SAID: Final = frozenset(wire.Save.__struct_fields__) & frozenset(wire.ImportRecord.__struct_fields__)


class Brought(Struct, frozen=True):
    """A checked record; ``record`` still has its past, which is held against the moment at which it is taken."""

    draft: Draft
    record: wire.ImportRecord


class Batch(Struct, frozen=True):
    """Checked records and entries with their numbers, and what was refused."""

    records: list[tuple[int, Brought]]
    entries: list[tuple[int, wire.ImportEntry]]
    refused: list[wire.NotTaken]
    space: str | None
    dry_run: bool


def prepare(request: wire.Import, actor: Actor, zone: tzinfo) -> Batch:
    """Check records one by one and analyse their texts. Raises Refusal ``too_large`` for too many."""
    count = len(request.records) + len(request.entries)
    if count > BATCH:
        raise Refusal("too_large", f"There are {count:,} records.", f"Send {BATCH} at a time.")
    space = None if request.space is None else check.name(request.space, "space")
    batch = Batch([], [], [], space, request.dry_run)
    for number, record in enumerate(request.records):
        try:
            batch.records.append((number, _brought(record, request, actor, zone)))
        except Refusal as refusal:
            batch.refused.append(_not_taken(number, refusal))
    for number, entry in enumerate(request.entries, len(request.records)):
        try:
            batch.entries.append((number, beside.checked(entry, zone, redact=request.redact)))
        except Refusal as refusal:
            batch.refused.append(_not_taken(number, refusal))
    return batch


def _brought(record: wire.ImportRecord, request: wire.Import, actor: Actor, zone: tzinfo) -> Brought:
    fields = {name: getattr(record, name) for name in _SAID}
    kept = screening.screened(wire.Save(**fields, redact=request.redact), actor)
    assert isinstance(kept, wire.Save)
    made = draft.prepare(replace(kept, source=kept.source or Source.FILE_IMPORT), actor, zone)
    source = as_imported(made.claim.source)
    _past(record, zone, 0)  # what is wrong with it is told before anything is queued
    if record.level is not None:
        parse_level(record.level)
    because = _because(record.forget_reason, redact=request.redact)
    return Brought(replace(made, claim=replace(made.claim, source=source)), replace(record, forget_reason=because))


def _because(reason: str | None, *, redact: bool) -> str | None:
    """Check why something was forgotten. Raises Refusal ``secret``, ``bad_value`` or ``too_large``."""
    if reason is None:
        return None
    if not redact:
        screening.check(forget_reason=reason)
    return check.text(redacted(reason) if redact else reason, "reason", check.MAX_NOTE)


def take(turn: Turn, batch: Batch) -> wire.Imported:
    """Take what can be taken, each record by itself, into one space at the act's level."""
    view = turn.view if batch.space is None else at_home_in(turn.view, batch.space)
    turn = replace(turn, view=view, actor=IMPORTER)
    counts, entries, refused = Counter[str](), Counter[str](), list(batch.refused)
    for number, brought in batch.records:
        try:
            counts[_taken(turn, brought, dry_run=batch.dry_run)] += 1
        except Refusal as refusal:
            refused.append(_not_taken(number, refusal))
    for number, entry in batch.entries:
        try:
            entries[beside.take(turn, entry, dry_run=batch.dry_run)] += 1
        except Refusal as refusal:
            refused.append(_not_taken(number, refusal))
    refused.sort(key=lambda each: each.number)
    return wire.Imported(
        level=view.level.name,
        counts=dict(sorted(counts.items())),
        refused=refused,
        entries=dict(sorted(entries.items())),
    )


def _taken(turn: Turn, brought: Brought, *, dry_run: bool) -> str:
    """Take one record, and say what became of it. Whatever it refuses it refuses before it writes."""
    claim, store, space = brought.draft.claim, turn.view.writer, turn.view.own_space
    _check_level(turn, brought.record)
    key = claim.key or auto_key(claim.kind, claim.entity, claim.content)
    text = canonical(claim.content)
    if any(canonical(row.content) == text for row in store.told(key, [space]) if not row.erased):
        return "known"
    before = _past(brought.record, turn.zone, turn.now)
    if claim.expires_at is not None and claim.expires_at <= turn.now and before.status is Status.ACTIVE:
        before = replace(before, status=Status.EXPIRED)
    standing = store.active(key, space)
    if before.status is Status.ACTIVE and not _is_older(before, claim, standing):
        drafted = replace(brought.draft, past=before)
        if dry_run:
            return save.decide(turn, drafted).admission.outcome.value
        return save.save(turn, drafted).outcome
    if not dry_run:
        row = _history(turn, claim, key, before, standing)
        store.add(row, [], turn.change("save", claim.reason))
        if _is_wished_away(row) and standing is None:
            keep_wish(turn, row, brought.record.forget_reason, row.updated)
    return "older" if before.status is Status.ACTIVE else "closed"


def _is_wished_away(row: Memory) -> bool:
    """Tell whether a row was not only deleted but is not to be brought up again."""
    return row.status is Status.FORGOTTEN and row.reason != "deleted"


def _check_level(turn: Turn, record: wire.ImportRecord) -> None:
    """Refuse what would come down from where it was."""
    if record.level is not None and not can_flow_to(parse_level(record.level), turn.view.level):
        origin = parse_level(record.level)
        raise Refusal(
            "bad_level",
            f"It was {origin.name}, and the import goes to {turn.view.level.name}.",
            f"Import it with --keep-levels or with --level {origin.slug}, or take its `level` out.",
        )


def _is_older(before: Past, claim: Claim, standing: Memory | None) -> bool:
    """Tell whether a record was said before what stands, which weighs as much: then it is its history."""
    if standing is None or not before.dated:
        return False
    return rank_of(standing) == rank(claim.source, attested=False) and before.updated < standing.updated


def _history(turn: Turn, claim: Claim, key: str, before: Past, standing: Memory | None) -> Memory:
    """The row of a record that is not in service: superseded, or as it was where it comes from."""
    superseded = before.status in (Status.ACTIVE, Status.SUPERSEDED)
    contests = standing.id if standing is not None and before.status is Status.PENDING else None
    row = Memory(
        id=turn.new_id(),
        key=key,
        level=turn.view.level,
        space=turn.view.own_space,
        content=claim.content,
        created=turn.now,
        updated=turn.now,
        importance_at=turn.now,
        kind=claim.kind or Kind.GENERAL,
        source=claim.source,
        status=Status.SUPERSEDED if superseded else before.status,
        entity=claim.entity,
        tags=claim.tags,
        emotion_tags=claim.emotion_tags,
        sentiment=claim.sentiment,
        context=claim.context,
        lang=claim.lang,
        quote=claim.quote,
        confidence=claim.confidence,
        reason=claim.reason,
        core=claim.is_core,
        expires_at=claim.expires_at,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        superseded_by=standing.id if standing is not None and superseded else None,
        contests=contests,
    )
    return before.onto(row)


def _past(record: wire.ImportRecord, zone: tzinfo, now: Micros) -> Past:
    def moment(text: str | None) -> Micros | None:
        return None if text is None else from_iso(text, zone)

    return past(
        moment(record.created),
        moment(record.updated),
        record.importance,
        moment(record.importance_at),
        moment(record.last_recalled),
        (record.recall_count, record.seen_count, record.deny_count),
        record.status,
        None if record.agent is None else check.name(record.agent, "agent"),
        now,
    )


def _not_taken(number: int, refusal: Refusal) -> wire.NotTaken:
    return wire.NotTaken(number=number, code=refusal.code, message=refusal.message, hint=refusal.hint)
