"""What may be asked of one level by an index that is kept in memory beside it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from memtrigd.domain.moments import Micros


class Indexed(NamedTuple):
    """An active memory as an index takes it. ``hashes`` are those of its different terms, ``times`` a byte for each."""

    number: int
    id: str
    key: str
    space: str
    session: str | None
    entity: str | None
    """Its canonical name."""
    kind: str
    source: str
    created: Micros
    updated: Micros
    valid_from: Micros | None
    valid_to: Micros | None
    length: int
    """Terms, repeats included."""
    hashes: bytes
    """uint64 each, little endian."""
    times: bytes


class Place(NamedTuple):
    """A row of the journal, by its number and seal: how far an index has followed."""

    seq: int
    seal: bytes


class IndexReader(Protocol):
    """Reads for an index in memory: all there is, and then what changes."""

    def indexed(self, ids: Sequence[str] | None = None) -> Iterator[Indexed]:
        """The active memories, or those of ``ids`` that are active, in number order; lazily.

        They come as plain tuples in the order of the fields, for there may be a million.
        """

    def changed_since(self, place: Place) -> tuple[Place, list[str]] | None:
        """How far the journal is, and whom the rows behind ``place`` are about, memories or not.

        None where ``place`` is no row of it: it is another file's.
        """

    def place(self) -> Place:
        """How far the journal is; (0, b"") where it is empty."""

    def term_hashes(self, terms: Sequence[str]) -> bytes:
        """The hashes by which the index knows terms: uint64 each, little endian."""

    def tagged(self, tags: Sequence[str]) -> list[int]:
        """The numbers of the active memories that have every one of some tags, matched whole."""
