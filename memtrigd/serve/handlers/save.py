"""save: remember a text. What becomes of it is decided by ``domain.trust``; where it lands, by the gate."""

from datetime import tzinfo
from typing import Final

from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain import claim as check
from memtrigd.domain.claim import Claim
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Kind, Memory, Source, Status
from memtrigd.domain.moments import Micros, from_iso
from memtrigd.domain.trust import Admission, Outcome, admit
from memtrigd.gate.policy import Actor
from memtrigd.search import analyser
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelWriter

SIMILAR: Final = 10
"""How many similar memories a save without a key names."""
SIMILAR_CHARACTERS: Final = 200


class Draft(Struct, frozen=True):
    """A checked claim with its search terms: all that needs no store, so that it can be made in any thread."""

    claim: Claim
    terms: list[str]


class Slot(Struct, frozen=True):
    """Where a claim goes at the writer's level: at most one active memory has it."""

    key: str
    space: str


def prepare(request: wire.Save, actor: Actor, zone: tzinfo) -> Draft:
    """Check a request and analyse its text. Raises Refusal for whatever can't be stored."""
    claim = Claim(
        content=check.text(request.content, "content"),
        key=_name(request.key, "key"),
        kind=check.kind(request.kind),
        source=check.source(request.source, owner=actor.is_owner),
        entity=_name(request.entity, "entity"),
        tags=check.tags(request.tags),
        emotion_tags=check.tags(request.emotion_tags, "emotion tag"),
        sentiment=_name(request.sentiment, "sentiment"),
        context=_note(request.context, "context"),
        lang=_name(request.lang, "lang"),
        quote=_note(request.quote, "quote"),
        confidence=check.confidence(request.confidence),
        core=request.core,
        expires_at=_time(request.expires_at, zone),
        valid_from=_time(request.valid_from, zone),
        valid_to=_time(request.valid_to, zone),
        replaces=_name(request.replaces, "id to replace"),
    )
    if claim.core and claim.source is Source.SELF_INFERRED:
        raise Refusal("bad_value", "An inference can't be core.", "Ask the user, then save what they say.")
    return Draft(claim, analyser.memory_terms("", claim.content, claim.entity, claim.tags, claim.context))


def save(turn: Turn, draft: Draft) -> wire.Saved:
    """Put a claim into its slot at the caller's own level."""
    store, claim = turn.view.writer, draft.claim
    if claim.expires_at is not None and claim.expires_at <= turn.now:
        raise Refusal("bad_time", "expires_at is in the past: the memory would never be seen.", "Name a later time.")
    target = _target(turn, store, claim)
    key = claim.key or (target.key if target else check.auto_key(claim.kind, claim.entity, claim.content))
    target = target or store.active(key, turn.view.own_space)
    space = target.space if target else turn.view.own_space
    admission = admit(claim, target, store.pending(key, space), turn.now)
    if admission.outcome is Outcome.CONTESTED and admission.meets is not None:
        key = admission.meets.key  # a proposal waits where it contests, also if it came with a new key
    kept = _write(turn, draft, Slot(key, space), admission)
    return wire.Saved(
        id=kept.id,
        key=kept.key,
        level=kept.level.name,
        status=kept.status.value,
        outcome=admission.outcome.value,
        seen_count=kept.seen_count,
        supersedes=kept.supersedes if admission.outcome is Outcome.UPDATED else None,
        contests=kept.contests,
        similar=_similar(turn, claim, kept),
    )


def _target(turn: Turn, store: LevelWriter, claim: Claim) -> Memory | None:
    """The row that a claim names to replace: active, at the writer's level, and no stranger to the claim's key."""
    if claim.replaces is None:
        return None
    row = store.by_id(claim.replaces)
    if row is None or row.status is not Status.ACTIVE or row.space not in turn.view.spaces:
        raise Refusal(
            "not_found",
            f"No active memory with the id {claim.replaces!r} is at {turn.view.level.name}.",
            "Only a memory of the session's own level can be replaced; a save under its key shadows a lower one.",
        )
    if claim.key is not None and claim.key != row.key:
        holder = store.active(claim.key, row.space)
        if holder is not None and holder.served(turn.now):
            raise Refusal(
                "slot_taken",
                f"The key {claim.key!r} belongs to the memory {holder.id}, not to {row.id}.",
                "Leave the key out to keep the old one, or replace the memory that has the key.",
            )
    return row


def _write(turn: Turn, draft: Draft, slot: Slot, admission: Admission) -> Memory:
    """Carry a decision out; returns the row that now stands for the claim."""
    store, met = turn.view.writer, admission.meets
    if admission.outcome is Outcome.ECHO and met is not None:
        return met
    if admission.outcome is Outcome.KNOWN and met is not None:
        seen = replace(met, seen_count=met.seen_count + 1)
        store.amend(seen, turn.change("seen"))
        return seen
    row = _row(turn, draft.claim, slot, admission)
    if admission.outcome is Outcome.UPDATED and met is not None:
        gone = Status.SUPERSEDED if met.served(turn.now) else Status.EXPIRED
        store.amend(replace(met, status=gone, superseded_by=row.id), turn.change("superseded"))
    _free_slot(turn, store, row)
    terms = [*draft.terms, *analyser.terms(slot.key)] if row.status is Status.ACTIVE else []
    store.add(row, terms, turn.change("save"))
    return row


def _free_slot(turn: Turn, store: LevelWriter, row: Memory) -> None:
    """Retire a row past its date that still sits in the slot an active row is to take under a new key."""
    if row.status is Status.ACTIVE:
        sitting = store.active(row.key, row.space)
        if sitting is not None:
            store.amend(replace(sitting, status=Status.EXPIRED, superseded_by=row.id), turn.change("expired"))


def _row(turn: Turn, claim: Claim, slot: Slot, admission: Admission) -> Memory:
    """Make the new row. It is the whole fact anew; only when it began and how often it was recalled carry over."""
    old = admission.meets if admission.outcome is Outcome.UPDATED else None
    contested = admission.meets if admission.outcome is Outcome.CONTESTED else None
    return Memory(
        id=turn.new_id(),
        key=slot.key,
        level=turn.view.level,
        space=slot.space,
        content=claim.content,
        created=old.created if old else turn.now,
        updated=turn.now,
        importance_at=turn.now,
        kind=claim.kind or Kind.GENERAL,
        source=claim.source,
        status=admission.status,
        entity=claim.entity,
        agent=turn.actor.agent,
        session=turn.actor.session,
        tags=claim.tags,
        emotion_tags=claim.emotion_tags,
        sentiment=claim.sentiment,
        context=claim.context,
        lang=claim.lang,
        quote=claim.quote,
        confidence=claim.confidence,
        core=claim.is_core,
        last_recalled=old.last_recalled if old else None,
        recall_count=old.recall_count if old else 0,
        expires_at=claim.expires_at,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        supersedes=old.id if old else None,
        contests=contested.id if contested else None,
    )


def _similar(turn: Turn, claim: Claim, kept: Memory) -> list[wire.Similar]:
    """Name what is already known of the entity, where the speaker named neither a key nor a row to replace."""
    if claim.key is not None or claim.replaces is not None or claim.entity is None:
        return []
    rows = [
        row
        for reader in turn.view.readers
        for row in reader.facet(claim.entity, (claim.kind or Kind.GENERAL).value, turn.view.spaces, SIMILAR + 1)
        if row.id != kept.id and turn.view.serves(row, turn.now)
    ]
    return [
        wire.Similar(id=row.id, key=row.key, level=row.level.name, content=row.content[:SIMILAR_CHARACTERS])
        for row in rows[:SIMILAR]
    ]


def _name(value: str | None, field: str) -> str | None:
    return None if value is None else check.name(value, field)


def _note(value: str | None, field: str) -> str | None:
    return None if value is None else check.text(value, field, check.MAX_NOTE)


def _time(value: str | None, zone: tzinfo) -> Micros | None:
    return None if value is None else from_iso(value, zone)
