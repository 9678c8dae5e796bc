"""What was forgotten stays forgotten: no later guess or import brings it back, only the user's word does."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from msgspec import Struct

from memtrigd.domain.memory import Memory, canonical
from memtrigd.domain.moments import Micros
from memtrigd.domain.trust import Rank, rank_of

NEAR: Final = 0.7
"""Jaccard similarity of character bigrams over which a text counts as near (the second seed's threshold)."""

COMPARED: Final = 2000
"""Characters up to which texts are held against each other: near duplicates are of sentences, not of documents."""


class Scope(StrEnum):
    """What a suppression covers."""

    MEMORY = "memory"
    """One fact: its key and its text."""
    ENTITY = "entity"
    """All that is about an entity."""
    ERASED = "erased"
    """What an erase leaves: it names nothing, and is listed nowhere."""


class Subject(Struct, frozen=True):
    """What a claim or a memory is about. The digests are keyed by the level that is asked.

    ``entities`` are the canonical names of its entity, ``digest`` is of its canonical text, ``key_digest`` of its key
    in its space.
    """

    key: str
    space: str
    entities: tuple[str, ...]
    digest: bytes
    key_digest: bytes = b""


class Suppression(Struct, frozen=True):
    """A wish not to be told of something again. ``digest`` is of the canonical text, keyed: it outlives an erase."""

    id: str
    scope: Scope
    space: str
    at: Micros
    key: str | None = None
    entity: str | None = None
    digest: bytes = b""
    memory_id: str | None = None
    reason: str | None = None
    lifted_at: Micros | None = None
    key_digest: bytes = b""
    """Of the key in its space, keyed: all that an erase leaves of it."""

    def covers(self, subject: Subject) -> bool:
        """Tell whether the wish is about this: the entity, or the key in its space, or the very text anywhere."""
        if self.scope is Scope.ENTITY:
            return any(same_entity(name, self.entity) for name in subject.entities)
        if self.scope is Scope.ERASED:
            return subject.digest == self.digest or (self.key_digest != b"" and subject.key_digest == self.key_digest)
        return (self.key == subject.key and self.space == subject.space) or self.digest == subject.digest


class Verdict(StrEnum):
    """What suppressions say of a claim."""

    FREE = "free"
    NEAR = "near"
    FORGOTTEN = "forgotten"


class Said(Struct, frozen=True):
    """A text as it is compared: canonical, and the set of its character bigrams (none of a long one)."""

    canonical: str
    bigrams: frozenset[str]


def said(text: str) -> Said:
    """Prepare a text for comparison, once for all that it will be held against."""
    folded = canonical(text)
    return Said(folded, _bigrams(folded) if len(folded) <= COMPARED else frozenset())


def verdict(text: Said, subject: Subject, suppressions: Iterable[Suppression], forgotten: Iterable[Memory]) -> Verdict:
    """Judge a claim that is not the user's word. ``forgotten`` are the rows that a near duplicate is held against."""
    if any(wish.covers(subject) for wish in suppressions):
        return Verdict.FORGOTTEN
    if not text.bigrams:
        return Verdict.FREE
    return Verdict.NEAR if any(nearness(text, said(row.content)) > NEAR for row in forgotten) else Verdict.FREE


def hides(wish: Suppression, row: Memory, subject: Subject) -> bool:
    """Tell whether a standing wish hides a lower row, which ``subject`` describes, from the readers of its level.

    Whoever says it below, it stays hidden up here, unless it is the user's word and said after the wish.
    """
    return wish.covers(subject) and not (rank_of(row) >= Rank.USER_EXPLICIT and row.updated > wish.at)


def same_entity(one: str, other: str | None) -> bool:
    """Entities are the same if their canonical names are: exact, never by a part of them."""
    return other is not None and canonical(one) == canonical(other)


def nearness(one: Said, other: Said) -> float:
    """Return the Jaccard similarity of two texts' character bigrams, 0 to 1; long texts are near to nothing."""
    either = one.bigrams | other.bigrams
    return len(one.bigrams & other.bigrams) / len(either) if either and other.bigrams else 0.0


def _bigrams(folded: str) -> frozenset[str]:
    packed = folded.replace(" ", "")
    return frozenset(packed[i : i + 2] for i in range(max(1, len(packed) - 1)))
