"""How near in meaning documents are to a question, in standard deviations of what has nothing to do with one another.

Imports numpy: only for the thread that searches.
"""

from collections.abc import Mapping
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np

from memtrigd.domain.levels import Level
from memtrigd.search.postings import LevelIndex
from memtrigd.search.question import Meant
from memtrigd.search.vectors import Column, LevelVectors

UNRELATED: Final = 0.001
"""The part of what has nothing to do with a question that is as near as the floor."""


class Nearness:
    """The ``candidates.Meaning`` of a question, by the vectors of each level in sight.

    What is usual is the model's own, found on texts that are in no store: so a score tells nothing of other memories.
    """

    def __init__(self, meant: Meant, vectors: Mapping[Level, LevelVectors]) -> None:
        self._meant = meant
        self._vectors = vectors
        self.floor = self._deviations(meant.model.floor)

    def scores(self, index: LevelIndex) -> Column:
        """For each place the nearness in standard deviations; NaN where there is no vector yet."""
        vectors = self._vectors[index.level]
        cosines = vectors.cosines(self._meant.vector, index.at)
        deviations: Column = (cosines - self._meant.model.mu) / self._meant.model.sigma
        passages = vectors.passages(index.at)
        gained = np.array([0.0, *map(by_chance, range(1, int(passages.max(initial=1)) + 1))])
        told: Column = deviations - gained[passages]
        return told

    def _deviations(self, cosine: float) -> float:
        return (cosine - self._meant.model.mu) / self._meant.model.sigma


@lru_cache(1 << 14)
def by_chance(passages: int) -> float:
    """How much nearer the best of so many passages is than one, in standard deviations, if none has to do with it.

    What one of ``UNRELATED`` reaches, one of so many reaches by Šidák's rule: a long text is no hit for being long.
    """
    usual = NormalDist().inv_cdf
    return usual((1 - UNRELATED) ** (1 / passages)) - usual(1 - UNRELATED)
