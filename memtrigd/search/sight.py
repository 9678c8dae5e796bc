"""What a caller has in sight of one level's index, and what of it their question lets through.

Imports numpy: only for the thread that searches.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from msgspec import Struct

from memtrigd.search.attributes import NONE, Attributes, Mask
from memtrigd.search.postings import LevelIndex
from memtrigd.search.question import Filters
from memtrigd.store.interface_index import IndexReader

NO_FILTERS: Final = Filters()


class Sight(Struct, frozen=True):
    """One level as a caller sees it. Places that are not ``seen`` count for nothing, not even in the statistics."""

    index: LevelIndex
    seen: Mask
    wanted: Mask
    """Those of ``seen`` that may be found; the others still count in the statistics."""
    whole: bool
    """Whether every place is seen."""
    documents: int
    terms: int


def sight(index: LevelIndex, sees: Callable[[str], bool], filters: Filters, reader: IndexReader) -> Sight:
    """Lay a caller's view over an index: the spaces that it ``sees``, and what the filters of the question ask for."""
    at = index.at
    spaces = at.spaces.that(sees)
    documents, terms = index.figures()
    seen = at.alive & spaces[at.space] if not spaces[1:].all() else at.alive
    count = int(documents[spaces].sum())
    wanted = seen if filters == NO_FILTERS else seen & _fitting(at, filters, reader)
    return Sight(index, seen, wanted, count == at.size, count, int(terms[spaces].sum()))


def _fitting(at: Attributes, filters: Filters, reader: IndexReader) -> Mask:
    """The places that the filters let through."""
    fits = np.ones(at.size, bool)
    for asked, names, column in (
        (filters.kinds, at.kinds, at.kind),
        (filters.sources, at.sources, at.source),
        (filters.entities, at.entities, at.entity),
    ):
        if asked:
            fits &= names.that(frozenset(asked).__contains__)[column]
    if filters.tags:
        tagged = np.zeros(at.size, bool)
        places = at.places(np.array(reader.tagged(filters.tags), np.int64))
        tagged[places[places != NONE]] = True
        fits &= tagged
    if filters.since is not None:
        fits &= at.updated >= filters.since
    if filters.until is not None:
        fits &= at.updated < filters.until
    return fits
