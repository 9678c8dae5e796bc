"""Memories that may be one: near duplicates of the same entity and kind, found while a walk passes them."""

from typing import Final, TypeAlias

from memtrigd.domain.memory import Memory, canonical
from memtrigd.domain.suppression import NEAR, Said, nearness, said

PAIRS: Final = 100
"""Pairs of one walk; whoever merges these finds the next ones afterwards."""
SENTENCE: Final = 500
"""Characters up to which a text is held against others here: some are remembered, so they must be small."""
FACETS: Final = 128
"""Facets that are remembered on the way: those that were met last."""
LATEST: Final = 4
"""Texts of a facet that the next one is held against: the latest."""

Facet: TypeAlias = tuple[str, str, str]


class Likeness:
    """What a walk has found so far. It needs the same time for each memory and a few MB, however many there are."""

    def __init__(self) -> None:
        self.pairs: list[list[str]] = []
        self._met: dict[Facet, list[tuple[str, Said]]] = {}

    def meet(self, memory: Memory) -> None:
        """Hold an active memory against the latest of its facet, in its space."""
        if memory.entity is None or len(memory.content) > SENTENCE or len(self.pairs) >= PAIRS:
            return
        facet = memory.space, canonical(memory.entity), memory.kind.value
        text = said(memory.content)
        others = self._met.pop(facet, [])
        near = [[other, memory.id] for other, earlier in others if nearness(text, earlier) > NEAR]
        self.pairs += near[: PAIRS - len(self.pairs)]
        self._met[facet] = [*others[1 - LATEST :], (memory.id, text)]
        if len(self._met) > FACETS:
            del self._met[next(iter(self._met))]  # the one that was met the longest ago
