"""Hits, and the order of those that are as good as equal."""

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Final, TypeVar

from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.search.fusion import PRIOR

WAITING: Final = 64
"""Hits that may wait for those behind them: where hundreds are as good as equal, trust parts the first of them."""


class Hit(Struct, frozen=True):
    """A memory that answers; ``document`` is its number in the store of ``level``, ``why`` what speaks for it.

    Of "key", "words", "meaning", "date", "name" and "neighbour".
    """

    score: float
    level: Level
    document: int
    why: tuple[str, ...] = ()


Found = TypeVar("Found")


def settled(
    hits: Iterator[Hit], look: Callable[[Hit], tuple[float, Found] | None]
) -> Iterator[tuple[float, Hit, Found]]:
    """Put hits that are as good as equal in order by what only the rows tell.

    ``look`` gives for a hit 0 to PRIOR and the row, None where there is none. No more is looked at than what could
    still come before the next.
    """
    waiting: list[tuple[float, int, Hit, Found]] = []
    for place, hit in enumerate(hits):
        while waiting and (-waiting[0][0] >= hit.score + PRIOR or len(waiting) >= WAITING):
            yield _first(waiting)
        found = look(hit)
        if found is not None:
            heappush(waiting, (-(hit.score + found[0]), place, hit, found[1]))
    while waiting:
        yield _first(waiting)


def _first(waiting: list[tuple[float, int, Hit, Found]]) -> tuple[float, Hit, Found]:
    score, _, hit, found = heappop(waiting)
    return -score, hit, found
