"""From a save request to a draft: checked, in order, and analysed, with no store at hand."""

from datetime import tzinfo

from memtrig import wire
from msgspec import Struct

from memtrigd.domain import claim as check
from memtrigd.domain.claim import Claim
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Source
from memtrigd.domain.moments import Micros, from_iso
from memtrigd.domain.past import Past
from memtrigd.domain.suppression import Said, said
from memtrigd.gate.policy import Actor
from memtrigd.search import analyser


class Draft(Struct, frozen=True):
    """A checked claim with its search terms: all that needs no store, so that it can be made in any thread."""

    claim: Claim
    terms: list[str]
    said: Said
    """The text as it is compared with what was forgotten."""
    forced: bool = False
    """The owner wants it kept with its credentials."""
    past: Past | None = None
    """What it was elsewhere, if it was."""


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
        reason=_note(request.reason, "reason"),
        pinned=request.pinned,
    )
    if claim.valid_from is not None and claim.valid_to is not None and claim.valid_to < claim.valid_from:
        raise Refusal("bad_time", "valid_to is before valid_from.", "Give the dates in order.")
    if claim.pinned is not None and not actor.is_owner:
        raise Refusal("not_yours", "Only the owner pins a memory.", "Leave `pinned` out; `memtrigctl pin` is theirs.")
    if claim.core and claim.source is Source.SELF_INFERRED:
        raise Refusal("bad_value", "An inference can't be core.", "Ask the user, then save what they say.")
    terms = analyser.memory_terms("", claim.content, claim.entity, claim.tags, claim.context)
    return Draft(claim, terms, said(claim.content), forced=request.force)


def _name(value: str | None, field: str) -> str | None:
    return None if value is None else check.name(value, field)


def _note(value: str | None, field: str) -> str | None:
    return None if value is None else check.text(value, field, check.MAX_NOTE)


def _time(value: str | None, zone: tzinfo) -> Micros | None:
    return None if value is None else from_iso(value, zone)
