"""What may be asked of one level about the vectors of its memories."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from memtrigd.domain.memory import Memory

MOST_SCALE: Final = 1.0
"""What a step is worth at most: vectors are of unit length."""


class Vector(NamedTuple):
    """One passage of an active memory, as a model has it. ``seq`` grows with each that is kept, and never comes twice.

    They come as plain tuples in the order of the fields, for there may be a million.
    """

    seq: int
    number: int
    """The document."""
    passage: int
    """From 0."""
    data: bytes
    """What a step is worth (float32, little endian), then an int8 for each dimension."""


class VectorReader(Protocol):
    """Reads of vectors. ``model`` is whatever identifies one: vectors of two never mean the same."""

    def backlog(self, model: bytes | None) -> int:
        """How many active memories have no vectors of a model; None: of any."""

    def unembedded(self, model: bytes, limit: int, but: Collection[int] = ()) -> list[tuple[int, Memory]]:
        """Some active memories that have no vectors of a model, with their numbers: the newest without any first."""

    def vectors(self, model: bytes, after: int = 0) -> Iterator[Vector]:
        """The vectors of a model that were kept after one, in that order; lazily."""

    def vectors_of(self, model: bytes, numbers: Sequence[int], until: int) -> Iterator[Vector]:
        """Those of some documents that were kept up to one; lazily."""


class VectorWriter(VectorReader, Protocol):
    """Writes of vectors: no versions, outside the audit, for they can be made anew from the texts."""

    def embed(self, number: int, model: bytes, vectors: Sequence[bytes]) -> bool:
        """Keep the vectors of a document, one for each passage, in place of those it had.

        Changes nothing, and returns False, where it is active no more or has vectors of this model.
        """
