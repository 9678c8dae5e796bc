"""Histograms: how often something took how long, or had how many parts, in buckets that are fixed beforehand."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

SECONDS: Final = (0.0002, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Bounds for what a request or a sync may take."""
NUMBERS: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""Bounds for how many jobs share a transaction."""


class Histogram:
    """Counts by bucket. ``bounds`` are the largest values of each, in order; beyond the last there is one more."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def cumulative(self) -> list[tuple[float | None, int]]:
        """For each bound how many values are no larger; at the end, for None, how many there are."""
        return list(zip((*self.bounds, None), accumulate(self.counts), strict=True))
