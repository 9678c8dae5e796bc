"""save: remember a text. What becomes of it is decided by ``domain.trust``; where it lands, by the gate."""

from typing import Final

from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.domain import suppression
from memtrigd.domain.claim import Claim, auto_key
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import CORE_KINDS, Kind, Memory, Source, Status
from memtrigd.domain.suppression import Subject, Verdict
from memtrigd.domain.trust import Admission, Hearing, Outcome, Rank, Slot, Speaker, admit, rank, says_the_same
from memtrigd.search import analyser
from memtrigd.serve.below import forgive_copies
from memtrigd.serve.handlers.draft import Draft
from memtrigd.serve.promote import promote, retire
from memtrigd.serve.turn import Turn
from memtrigd.serve.wishing import lift
from memtrigd.store.interface import LevelReader

SIMILAR: Final = 10
"""How many similar memories a save without a key names."""
SIMILAR_CHARACTERS: Final = 200
NEAREST: Final = 200
"""How many of the latest wishes a claim is held against for being near."""


class Place(Struct, frozen=True):
    """Where a claim goes at the writer's level: at most one active memory has it."""

    key: str
    space: str


class Decision(Struct, frozen=True):
    """What is to become of a claim, where, and on whose word."""

    place: Place
    admission: Admission
    speaker: Speaker


def save(turn: Turn, draft: Draft) -> wire.Saved:
    """Put a claim into its slot at the caller's own level. Raises ``forgotten`` for what is not to be learnt again."""
    store, claim = turn.view.writer, draft.claim
    decided = decide(turn, draft)
    admission, speaker = decided.admission, decided.speaker
    kept = _carry_out(turn, draft, decided.place, admission, speaker)
    if draft.forced:
        store.note(turn.change("forced"), kept.id)
    if rank(claim.source, attested=speaker.attested) is Rank.STATED:
        forgive_copies(turn, kept)
    return wire.Saved(
        id=kept.id,
        key=kept.key,
        level=kept.level.name,
        status=kept.status.value,
        outcome=admission.outcome.value,
        seen_count=kept.seen_count,
        supersedes=kept.supersedes if admission.outcome in (Outcome.UPDATED, Outcome.CONFIRMED) else None,
        contests=kept.contests,
        similar=_similar(turn, claim, kept),
        unheard=claim.quote is not None and speaker.hearing is Hearing.FEED and not speaker.heard,
    )


def decide(turn: Turn, draft: Draft) -> Decision:
    """Decide on a claim. Nothing is written yet, but that the user's word lifts the wish against it. Raises Refusal."""
    store, claim = turn.view.writer, draft.claim
    if claim.expires_at is not None and claim.expires_at <= turn.now:
        raise Refusal("bad_time", "expires_at is in the past: the memory would never be seen.", "Name a later time.")
    speaker = turn.speaker(claim.quote)
    if claim.source is Source.USER_EXPLICIT and turn.actor.hearing is Hearing.UNATTENDED:
        raise Refusal(
            "not_yours",
            "No user is there in an unattended session, so none can be quoted.",
            "Save it as self_inferred; the user will be asked.",
        )
    target = _target(turn, claim)
    key = claim.key or (target.key if target else auto_key(claim.kind, claim.entity, claim.content))
    target = target or store.active(key, turn.view.own_space)
    place = Place(key, target.space if target else turn.view.own_space)
    near = _mind_the_forgotten(turn, draft, place, speaker)
    slot = Slot(target, store.pending(key, place.space), store.refused(key, place.space))
    admission = admit(claim, slot, speaker, turn.now)
    if target is not None and _parrots(turn, claim, target, speaker):
        admission = Admission(Outcome.ECHO, meets=target)
    if near:
        admission = _doubted(admission, target)
    if admission.outcome is Outcome.CONTESTED and admission.meets is not None:
        place = Place(admission.meets.key, place.space)  # a proposal waits where it contests, whatever key it brought
    return Decision(place, admission, speaker)


def _parrots(turn: Turn, claim: Claim, standing: Memory, speaker: Speaker) -> bool:
    """Tell whether an agent says again, of its own accord and nothing more, what it was just told."""
    quotes = claim.quote is not None and speaker.relays_the_user(claim.source)
    own_accord = not (speaker.owner or quotes)
    return own_accord and standing.served(turn.now) and turn.was_told(standing) and says_the_same(claim, standing)


def _target(turn: Turn, claim: Claim) -> Memory | None:
    """The row that a claim names to replace: active, at the writer's level, and no stranger to the claim's key."""
    if claim.replaces is None:
        return None
    store = turn.view.writer
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


def _mind_the_forgotten(turn: Turn, draft: Draft, place: Place, speaker: Speaker) -> bool:
    """Refuse what is not to be learnt again; the user's word lifts the wish. Tell whether the claim is near to one."""
    claim = draft.claim
    if speaker.relays_the_user(claim.source):
        store = turn.view.writer
        subject = _subject(turn, draft, place, store)
        for wish in store.wishes(subject):
            lift(turn, wish.id)
        return False
    near = False
    for reader in turn.view.readers:
        if not reader.has_wishes():
            continue
        subject = _subject(turn, draft, place, reader)
        named = [wish.memory_id for wish in reader.suppressions(NEAREST) if wish.memory_id]
        rows = (reader.by_id(each) or turn.view.find(each) for each in named)  # a wish may be about a lower memory
        verdict = suppression.verdict(draft.said, subject, reader.wishes(subject), filter(None, rows))
        if verdict is Verdict.FORGOTTEN:
            raise Refusal(
                "forgotten",
                "The user asked to forget this; it was not saved.",
                "Do not bring it up. It can be saved again when the user says it.",
            )
        near = near or verdict is Verdict.NEAR
    return near


def _subject(turn: Turn, draft: Draft, place: Place, reader: LevelReader) -> Subject:
    return Subject(
        place.key,
        place.space,
        turn.view.names_of(draft.claim.entity),
        reader.digest(draft.said.canonical),
        reader.key_digest(place.space, place.key),
    )


def _doubted(admission: Admission, target: Memory | None) -> Admission:
    """Let what is near to something forgotten wait for the user, once, where it would go into service."""
    if admission.outcome in (Outcome.NEW, Outcome.UPDATED):
        return Admission(Outcome.PENDING, Status.PENDING, target)
    if admission.outcome is Outcome.CONFIRMED:
        return Admission(Outcome.ECHO, Status.PENDING, admission.meets)
    return admission


def _carry_out(turn: Turn, draft: Draft, place: Place, admission: Admission, speaker: Speaker) -> Memory:
    """Carry a decision out; returns the row that now stands for the claim."""
    store, met, claim = turn.view.writer, admission.meets, draft.claim
    if admission.outcome is Outcome.ECHO and met is not None:
        return met
    if admission.outcome is Outcome.KNOWN and met is not None:
        seen = replace(met, seen_count=met.seen_count + 1)
        store.amend(seen, turn.change("seen"))
        return seen
    if admission.outcome is Outcome.CONFIRMED and met is not None:
        surer = replace(met, source=claim.source, attested=speaker.attested, confidence=claim.confidence)
        if speaker.relays_the_user(claim.source):
            surer = _in_the_users_words(surer, claim)
        return promote(turn, surer, admission.ousts, "confirm")
    row = _row(turn, claim, place, admission, speaker)
    row = row if draft.past is None else draft.past.onto(row)
    if row.status is Status.ACTIVE:
        retire(turn, [met, store.active(row.key, row.space)], row.id)
    terms = [*draft.terms, *analyser.terms(place.key)] if row.status is Status.ACTIVE else []
    store.add(row, terms, turn.change("save", claim.reason))
    return row


def _in_the_users_words(waiting: Memory, claim: Claim) -> Memory:
    """A guess that the user now says: what the guess had put in of its own, a date, a tag or a context, goes."""
    kind = claim.kind or waiting.kind
    return replace(
        waiting,
        kind=kind,
        entity=claim.entity or waiting.entity,
        quote=claim.quote,
        tags=claim.tags,
        emotion_tags=claim.emotion_tags,
        sentiment=claim.sentiment,
        context=claim.context,
        lang=claim.lang,
        reason=claim.reason,
        core=kind in CORE_KINDS if claim.core is None else claim.core,
        importance=1.0,
        expires_at=claim.expires_at,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
    )


def _row(turn: Turn, claim: Claim, place: Place, admission: Admission, speaker: Speaker) -> Memory:
    """Make the new row. It is the whole fact anew; only when it began and how often it was recalled carry over."""
    old = admission.meets if admission.outcome is Outcome.UPDATED else None
    contested = admission.meets if admission.outcome is Outcome.CONTESTED else None
    return Memory(
        id=turn.new_id(),
        key=place.key,
        level=turn.view.level,
        space=place.space,
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
        attested=speaker.attested,
        quote=claim.quote,
        confidence=claim.confidence,
        reason=claim.reason,
        core=claim.is_core,
        pinned=old is not None and old.pinned if claim.pinned is None else claim.pinned,
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
    names = turn.view.names_of(claim.entity)
    rows = [
        row
        for reader in turn.view.readers
        for row in reader.facet(names, (claim.kind or Kind.GENERAL).value, turn.view.spaces, SIMILAR + 1)
        if row.id != kept.id and turn.view.serves(row, turn.now)
    ]
    return [
        wire.Similar(id=row.id, key=row.key, level=row.level.name, content=row.content[:SIMILAR_CHARACTERS])
        for row in rows[:SIMILAR]
    ]
