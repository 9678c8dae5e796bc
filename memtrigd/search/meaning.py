"""How near in meaning documents are to a question, in standard deviations of what has nothing to do with one another.

Imports numpy: only for the thread that searches.
"""

from collections.abc import Mapping

from memtrigd.domain.levels import Level
from memtrigd.search.postings import LevelIndex
from memtrigd.search.question import Meant
from memtrigd.search.vectors import Column, LevelVectors


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
        cosines = self._vectors[index.level].cosines(self._meant.vector, index.at)
        deviations: Column = (cosines - self._meant.model.mu) / self._meant.model.sigma
        return deviations

    def _deviations(self, cosine: float) -> float:
        return (cosine - self._meant.model.mu) / self._meant.model.sigma
