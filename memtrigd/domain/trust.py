"""Dual-source trust: whose word stands. The user's beats the agent's, and a guess waits for a yes."""

from enum import IntEnum, StrEnum
from typing import Final

from msgspec import Struct

from memtrigd.domain.claim import Claim
from memtrigd.domain.memory import Memory, Source, Status, canonical
from memtrigd.domain.moments import Micros

CONFIDENT: Final = 0.8
"""An inference below this waits for the user (second seed, section 0)."""
UNSAID_CONFIDENCE: Final = 0.5
"""What an inference without a confidence counts as: nobody who is sure forgets to say so."""


class Rank(IntEnum):
    """How much a claim weighs. A write replaces only what weighs no more than it."""

    SELF_INFERRED = 0
    AUTO_DETECT = 1
    FILE_IMPORT = 2
    USER_EXPLICIT = 3
    STATED = 4


_BY_SOURCE: Final = {
    Source.SELF_INFERRED: Rank.SELF_INFERRED,
    Source.AUTO_DETECT: Rank.AUTO_DETECT,
    Source.FILE_IMPORT: Rank.FILE_IMPORT,
    Source.USER_EXPLICIT: Rank.USER_EXPLICIT,
    Source.STATED: Rank.STATED,
}


def rank(source: Source, *, attested: bool) -> Rank:
    """Weigh a source. An attested user_explicit is the user's own word: one rank with the owner's."""
    return Rank.STATED if attested and source is Source.USER_EXPLICIT else _BY_SOURCE[source]


def rank_of(memory: Memory) -> Rank:
    """Weigh a memory by its source."""
    return rank(memory.source, attested=memory.attested)


class Outcome(StrEnum):
    """What became of a write."""

    NEW = "new"
    UPDATED = "updated"
    KNOWN = "known"
    PENDING = "pending"
    CONTESTED = "contested"
    ECHO = "echo"


class Admission(Struct, frozen=True):
    """The decision on a claim: its outcome, the status of the row to write, and the row it meets (if any)."""

    outcome: Outcome
    status: Status = Status.ACTIVE
    meets: Memory | None = None


def is_guess(claim: Claim) -> bool:
    """Tell whether a claim is an inference that waits for the user."""
    sure = UNSAID_CONFIDENCE if claim.confidence is None else claim.confidence
    return claim.source is Source.SELF_INFERRED and sure < CONFIDENT


def admit(claim: Claim, active: Memory | None, pending: list[Memory], now: Micros) -> Admission:
    """Decide what a claim does to its slot.

    ``active`` is the row that the slot serves at the writer's own level (or that the claim names to replace),
    ``pending`` are the slot's waiting proposals. A row past its date holds no slot against anybody.
    """
    standing = active if active is not None and active.served(now) else None
    weight = rank(claim.source, attested=False)
    if standing is not None and weight <= rank_of(standing) and says_the_same(claim, standing):
        return Admission(Outcome.KNOWN, meets=standing)
    outranked = standing is not None and weight < rank_of(standing)
    if is_guess(claim) or outranked:
        echo = next((row for row in pending if canonical(row.content) == canonical(claim.content)), None)
        if echo is not None:
            return Admission(Outcome.ECHO, Status.PENDING, echo)
        outcome = Outcome.CONTESTED if standing is not None else Outcome.PENDING
        return Admission(outcome, Status.PENDING, standing)
    if standing is not None and standing.pinned and claim.source is not Source.STATED:
        return Admission(Outcome.CONTESTED, Status.PENDING, standing)
    return Admission(Outcome.UPDATED if active is not None else Outcome.NEW, meets=active)


def says_the_same(claim: Claim, memory: Memory) -> bool:
    """Tell whether a claim says nothing that the memory does not: the same text, and no facet given anew."""
    given = {
        "key": claim.key,
        "kind": claim.kind,
        "confidence": claim.confidence,
        "lang": claim.lang,
        "quote": claim.quote,
        "tags": claim.tags,
        "emotion_tags": claim.emotion_tags,
        "entity": claim.entity,
        "context": claim.context,
        "sentiment": claim.sentiment,
        "core": claim.core,
        "expires_at": claim.expires_at,
        "valid_from": claim.valid_from,
        "valid_to": claim.valid_to,
    }
    return canonical(claim.content) == canonical(memory.content) and all(
        value in (None, ()) or value == getattr(memory, field) for field, value in given.items()
    )
