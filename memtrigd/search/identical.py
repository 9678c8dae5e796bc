"""Which memories say the very same: found by the index, told by the canonical text."""

from typing import Final

from memtrigd.domain.memory import Memory, canonical
from memtrigd.search.analyser import terms
from memtrigd.store.interface import LevelReader

ASKED: Final = 6
"""Terms of a text that are looked up: the longest are the rarest, and few texts have as many in common."""


def same_text(reader: LevelReader, content: str) -> list[Memory]:
    """The active memories of a level, of any key and space, that say the same as ``content``.

    A text without a word or sign that the index knows is found nowhere.
    """
    text = canonical(content)
    rarest = sorted(set(terms(content)), key=lambda term: (-len(term), term))[:ASKED]
    having = [{document for document, _ in reader.postings(term)} for term in rarest]
    common = set.intersection(*having) if having else set()
    found = (reader.document(number) for number in sorted(common))
    return [row for row in found if row is not None and canonical(row.content) == text]
