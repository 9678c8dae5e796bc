"""The index of one level in memory: which documents have a term, and what is known of each document.

Imports numpy: only for the thread that searches.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memtrigd.domain.levels import Level
from memtrigd.search.attributes import NONE, Attributes, Ints
from memtrigd.store.interface_index import Indexed

BATCH: Final = 4096
"""Documents that are read at once: more would only need more memory meanwhile."""
GROWTH: Final = 4
"""How many times as large a part must be as the next: so there are few, and each posting is moved seldom."""
DEAD: Final = 4
"""One dead place to so many others is cleared away."""
_NOWHERE: Final = np.zeros(0, np.int64)


class Part(NamedTuple):
    """Postings of some documents. Term ``hashes[i]`` is at ``places[starts[i]:starts[i + 1]]``, in no order."""

    hashes: NDArray[np.uint64]
    """Ascending, each once."""
    starts: Ints
    places: NDArray[np.int32]
    times: NDArray[np.uint8]


class LevelIndex:
    """The index of one level. What it holds depends on the level's active memories alone, not on how it got there.

    Only the places of documents and the parts of postings differ, which nothing that is answered may depend on.
    """

    def __init__(self, level: Level, rows: Iterable[Indexed] = ()) -> None:
        self.level = level
        self.at = Attributes()
        self._parts: list[Part] = []
        self._figures: tuple[Ints, Ints] | None = None
        self._load(iter(rows))

    def __len__(self) -> int:
        return self.at.size - self.at.dead

    def figures(self) -> tuple[Ints, Ints]:
        """For each number of a space how many documents it has, and the sum of their lengths in terms."""
        if self._figures is None:
            at, spaces = self.at, len(self.at.spaces)
            lengths = np.bincount(at.space, at.alive * at.length, spaces)  # whole numbers, far below 2**53
            self._figures = np.bincount(at.space, at.alive, spaces).astype(np.int64), lengths.astype(np.int64)
        return self._figures

    def postings(self, hashes: NDArray[np.uint64]) -> list[list[tuple[NDArray[np.int32], NDArray[np.uint8]]]]:
        """For each term the places that have it, and how often, in pieces; places of the dead are among them."""
        found: list[list[tuple[NDArray[np.int32], NDArray[np.uint8]]]] = [[] for _ in hashes]
        for part in self._parts:
            if not len(part.hashes):
                continue
            spots = np.minimum(np.searchsorted(part.hashes, hashes), len(part.hashes) - 1)
            for term in np.flatnonzero(part.hashes[spots] == hashes):
                begin, end = part.starts[spots[term]], part.starts[spots[term] + 1]
                found[term].append((part.places[begin:end], part.times[begin:end]))
        return found

    def change(self, ids: Sequence[str], rows: Iterable[Indexed]) -> Ints:
        """Let the documents of some memories go, and take those in that they have now; returns the numbers of both."""
        self._figures = None
        left = np.flatnonzero(np.isin(self.at.id_hash, np.fromiter(map(hash, ids), np.int64)) & self.at.alive)
        touched = {*self.at.talk[left].tolist()}
        gone = self.at.number[left]
        self.at.drop(left)
        first = self.at.size
        for batch in _batches(iter(rows)):
            self._parts.append(self._take(batch))
            self._settle()
        touched.update(self.at.talk[first:].tolist())
        numbers = np.unique(np.concatenate([gone, self.at.number[first:]]))
        if touched:
            self.at.relink(np.array(sorted(touched), np.int64))
        if self.at.dead * DEAD > self.at.size:
            self._clear()
        return numbers

    def _load(self, rows: Iterator[Indexed]) -> None:
        pieces = [self._take(batch) for batch in _batches(rows)]
        if pieces:
            self._parts = [_merged(pieces)]
            self.at.relink()

    def _take(self, rows: Sequence[Indexed]) -> Part:
        """Give documents their places, and make a part of their postings."""
        first = self.at.size
        self.at.add(rows)
        hashes = np.frombuffer(b"".join(row[13] for row in rows), "<u8").astype(np.uint64, copy=False)
        times = np.frombuffer(b"".join(row[14] for row in rows), np.uint8)
        many = np.fromiter((len(row[14]) for row in rows), np.int64, len(rows))
        places = np.repeat(np.arange(first, first + len(rows), dtype=np.int32), many)
        return _sorted(hashes, places, times)

    def _settle(self) -> None:
        """Put the last parts together until each is much smaller than the one before it."""
        while len(self._parts) > 1 and len(self._parts[-2].places) < GROWTH * len(self._parts[-1].places):
            self._parts[-2:] = [_merged([self._living(part) for part in self._parts[-2:]])]

    def _clear(self) -> None:
        """Clear the dead away: every place changes."""
        living = np.flatnonzero(self.at.alive)
        moved = np.full(self.at.size, NONE, np.int32)
        moved[living] = np.arange(len(living))
        parts = [self._living(part) for part in self._parts]
        self._parts = [part._replace(places=moved[part.places]) for part in parts if len(part.places)]
        self.at.keep(living)
        self.at.relink()

    def _living(self, part: Part) -> Part:
        """A part without the postings of the dead."""
        kept = self.at.alive[part.places]
        if kept.all():
            return part
        terms = np.repeat(np.arange(len(part.hashes)), np.diff(part.starts))[kept]
        many = np.bincount(terms, minlength=len(part.hashes))
        return _part(part.hashes[many > 0], many[many > 0], part.places[kept], part.times[kept])


def _batches(rows: Iterator[Indexed]) -> Iterator[list[Indexed]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


def _merged(parts: Sequence[Part]) -> Part:
    """Put parts together: the postings of each term are moved to where they belong, and none is compared."""
    if len(parts) == 1:
        return parts[0]
    hashes = _distinct(np.sort(np.concatenate([part.hashes for part in parts]), kind="stable"))
    terms = [np.searchsorted(hashes, part.hashes) for part in parts]
    many = np.zeros(len(hashes), np.int64)
    for part, those in zip(parts, terms, strict=True):
        many[those] += np.diff(part.starts)
    merged = _part(hashes, many, np.empty(many.sum(), np.int32), np.empty(many.sum(), np.uint8))
    free = merged.starts[:-1].copy()
    for part, those in zip(parts, terms, strict=True):
        sizes = np.diff(part.starts)
        spots = np.arange(len(part.places)) + np.repeat(free[those] - part.starts[:-1], sizes)
        merged.places[spots], merged.times[spots] = part.places, part.times
        free[those] += sizes
    return merged


def _distinct(ascending: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each value once: numpy's own ``unique`` hashes them first, which takes forty times as long as a sort of runs."""
    return ascending[_begins(ascending)]


def _begins(ascending: NDArray[np.uint64]) -> Ints:
    """Where in ascending values another one begins."""
    return np.flatnonzero(np.concatenate(([True], ascending[1:] != ascending[:-1]))) if len(ascending) else _NOWHERE


def _sorted(hashes: NDArray[np.uint64], places: NDArray[np.int32], times: NDArray[np.uint8]) -> Part:
    """Make a part of postings in any order."""
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    begins = _begins(hashes)
    return _part(hashes[begins], np.diff(begins, append=len(hashes)), places[order], times[order])


def _part(hashes: NDArray[np.uint64], many: Ints, places: NDArray[np.int32], times: NDArray[np.uint8]) -> Part:
    return Part(hashes, np.concatenate(([0], np.cumsum(many))).astype(np.int64), places, times)
