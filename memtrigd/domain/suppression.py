"""What was forgotten stays forgotten: no later guess or import brings it back, only the user's word does."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from memtrigd.domain.memory import Memory, canonical
from memtrigd.domain.moments import Micros

NEAR: Final = 0.7
"""Jaccard similarity of character bigrams over which a text counts as near (the second seed's threshold)."""


class Scope(StrEnum):
    """What a suppression covers."""

    MEMORY = "memory"
    """One fact: its key and its text."""
    ENTITY = "entity"
    """All that is about an entity."""


class Subject(Struct, frozen=True):
    """What a claim is about. ``digest`` is of its canonical text, keyed by the level that is asked."""

    key: str
    space: str
    entity: str | None
    digest: bytes


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

    def covers(self, subject: Subject) -> bool:
        """Tell whether the wish is about this: the entity, or the key in its space, or the very text anywhere."""
        if self.scope is Scope.ENTITY:
            return subject.entity is not None and same_entity(subject.entity, self.entity)
        return (self.key == subject.key and self.space == subject.space) or self.digest == subject.digest


class Verdict(StrEnum):
    """What suppressions say of a claim."""

    FREE = "free"
    NEAR = "near"
    FORGOTTEN = "forgotten"


def verdict(text: str, subject: Subject, suppressions: Iterable[Suppression], forgotten: Sequence[Memory]) -> Verdict:
    """Judge a claim that is not the user's word. ``forgotten`` are the rows that a near duplicate is held against."""
    if any(wish.covers(subject) for wish in suppressions):
        return Verdict.FORGOTTEN
    said = canonical(text)
    return Verdict.NEAR if any(nearness(said, canonical(row.content)) > NEAR for row in forgotten) else Verdict.FREE


def same_entity(one: str, other: str | None) -> bool:
    """Entities are the same if their canonical names are: exact, never by a part of them."""
    return other is not None and canonical(one) == canonical(other)


def nearness(one: str, other: str) -> float:
    """Return the Jaccard similarity of two canonical texts' character bigrams, 0 to 1."""
    a, b = _bigrams(one), _bigrams(other)
    return len(a & b) / len(a | b) if a | b else 0.0


def _bigrams(text: str) -> set[str]:
    packed = text.replace(" ", "")
    return {packed[i : i + 2] for i in range(max(1, len(packed) - 1))}
