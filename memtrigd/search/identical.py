"""Which memories say the very same: found by the index, told by the canonical text."""

from typing import Final

from memtrigd.domain.memory import Memory, canonical
from memtrigd.search.analyser import terms
from memtrigd.store.interface import LevelReader

FEW: Final = 8
"""Candidates that are rather read than narrowed down by one more term."""


class Sameness:
    """Asked of one level, for as many texts as there are: what a term is found in is looked up once."""

    def __init__(self, reader: LevelReader) -> None:
        self._reader = reader
        self._found: dict[str, frozenset[int]] = {}

    def of(self, content: str) -> list[Memory]:
        """The active memories of the level, of any key and space, that say the same as ``content``.

        A text without a word or sign that the index knows is found nowhere.
        """
        text = canonical(content)
        rows = (self._reader.document(number) for number in sorted(self._candidates(content)))
        return [row for row in rows if row is not None and canonical(row.content) == text]

    def _candidates(self, content: str) -> frozenset[int]:
        """Documents that have the terms of a text: the longest first, as they are the rarest, until there are few."""
        left: frozenset[int] | None = None
        for term in sorted(set(terms(content)), key=lambda term: (-len(term), term)):
            having = self._having(term)
            left = having if left is None else left & having
            if len(left) <= FEW:
                break
        return left or frozenset()

    def _having(self, term: str) -> frozenset[int]:
        if term not in self._found:
            self._found[term] = frozenset(document for document, _ in self._reader.postings(term))
        return self._found[term]
