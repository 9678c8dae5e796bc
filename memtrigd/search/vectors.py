"""The vectors of one level in memory, and how near each document is to a question.

Imports numpy: only for the thread that searches. With numkong the same figures come twice as fast.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memtrigd.search.attributes import NONE, Attributes, Ints
from memtrigd.store.interface_vectors import MOST_SCALE, Vector

Column: TypeAlias = NDArray[np.float64]
Steps: TypeAlias = NDArray[np.int8]

BATCH: Final = 4096
"""Vectors that are read at once: more would only need more memory meanwhile."""
BLOCK: Final = 2048
"""Vectors that are multiplied at once without numkong: what fits into the processor's cache."""
SCALE: Final = 4
"""Bytes of the scale before the steps."""
DEAD: Final = 4
"""One dead row to so many others is cleared away."""
GROWTH: Final = 8
"""A part of so many is what the matrix has to spare when it grows: its memory is that of all others together."""


def _numkong() -> Callable[..., Any] | None:
    """What multiplies whole numbers; it comes with the extra that brings the model."""
    try:
        found: Callable[..., Any] = importlib.import_module("numkong").cdist
    except ImportError:
        return None
    return found


PRODUCTS: Final = _numkong()


class _Laid(NamedTuple):
    """The vectors laid over an index, as both were after so many changes."""

    over: Attributes
    now: tuple[int, int]
    places: Ints
    """Of each row; NONE where its document is gone."""
    passages: Ints
    """Of each place."""


class LevelVectors:
    """The vectors that one model made of a level's documents. A document that goes leaves its rows dead, and zeroed.

    What is near depends on the level's documents and their vectors alone, not on the order in which they came.
    """

    def __init__(self, model: bytes, dimensions: int, rows: Iterable[Vector] = ()) -> None:
        self.model = model
        self._dimensions = dimensions
        self.until = 0
        """The last vector that was read."""
        self._size = self._dead = 0
        self._steps: Steps = np.zeros((0, 0), np.int8)
        self._scale = np.zeros(0, np.float32)
        self._number = np.zeros(0, np.int64)
        self._further = np.zeros(0, np.int64)
        """The rows of passages behind the first."""
        self._changes = 0
        self._laid: _Laid | None = None
        self.add(rows)

    def __len__(self) -> int:
        return self._size - self._dead

    def add(self, rows: Iterable[Vector]) -> None:
        """Take vectors in. What can be none of the model's, by its size or its scale, is left out."""
        for batch in _batches(iter(rows)):
            seqs, numbers, passages, data = zip(*batch, strict=True)
            self.until = max(self.until, *seqs)
            size = self._dimensions + SCALE
            if any(len(each) != size for each in data) or not _fit(data).all():
                kept = [each for each in batch if len(each[3]) == size and _fit([each[3]]).all()]
                seqs, numbers, passages, data = zip(*kept, strict=True) if kept else ((), (), (), ())
            if numbers:
                self._put(numbers, passages, np.frombuffer(b"".join(data), np.uint8).reshape(len(data), size))

    def drop(self, numbers: Ints) -> None:
        """Let the vectors of documents go."""
        rows = np.flatnonzero(np.isin(self._number[: self._size], numbers))
        self._steps[rows], self._number[rows] = 0, NONE
        self._dead += len(rows)
        self._changes += 1
        if self._dead * DEAD > self._size:
            self._clear()

    def cosines(self, question: bytes, at: Attributes) -> Column:
        """For each place the cosine of its nearest passage and a question (float32 of unit length); NaN without any.

        Raises ValueError for a question of another size than the vectors.
        """
        found = np.full(at.size, np.nan)
        if not self._size:
            return found
        steps, scale = _steps(np.frombuffer(question, "<f4"))
        if len(steps) != self._dimensions:
            raise ValueError("a question and its documents are not of one model")
        near = _products(steps, self._steps[: self._size]) * (self._scale[: self._size] * np.float64(scale))
        places, _ = self._places(at)
        here = places != NONE
        further = self._further[here[self._further]]
        here[further] = False
        if here.all():
            found[places] = near
        else:
            found[places[here]] = near[here]
        np.fmax.at(found, places[further], near[further])
        return found

    def nearest(self, question: bytes, number: int) -> tuple[int, int]:
        """Which passage of a document is nearest to a question, and how many it has; (0, 0) without any."""
        rows = np.flatnonzero(self._number[: self._size] == number)
        if not len(rows):
            return 0, 0
        steps, _ = _steps(np.frombuffer(question, "<f4"))
        return int(np.argmax(_products(steps, self._steps[rows]) * self._scale[rows])), len(rows)

    def passages(self, at: Attributes) -> Ints:
        """For each place how many passages there are of it, 1 where there is none."""
        return self._places(at)[1]

    def _places(self, at: Attributes) -> tuple[Ints, Ints]:
        """Where each row belongs, and how many passages each place has; kept until one of both changes."""
        laid, now = self._laid, (at.changes, self._changes)
        if laid is None or laid.over is not at or laid.now != now:
            places = at.places(self._number[: self._size])
            further = places[self._further]
            counts = 1 + np.bincount(further[further != NONE], minlength=at.size)
            laid = self._laid = _Laid(at, now, places, counts)
        return laid.places, laid.passages

    def _put(self, numbers: Sequence[int], passages: Sequence[int], data: NDArray[np.uint8]) -> None:
        first, end = self._size, self._size + len(numbers)
        if end > len(self._number):
            self._grow(end, data.shape[1] - SCALE)
        self._steps[first:end] = data[:, SCALE:].view(np.int8)
        self._scale[first:end] = np.ascontiguousarray(data[:, :SCALE]).view("<f4")[:, 0]
        self._number[first:end] = numbers
        behind = first + np.flatnonzero(np.array(passages))
        self._further = np.concatenate([self._further, behind])
        self._size = end
        self._changes += 1

    def _grow(self, size: int, dimensions: int) -> None:
        room = size + size // GROWTH
        steps = np.zeros((room, dimensions), np.int8)
        if self._size:
            steps[: self._size] = self._steps[: self._size]
        self._steps = steps
        self._scale = np.concatenate([self._scale, np.zeros(room - len(self._scale), np.float32)])
        self._number = np.concatenate([self._number, np.full(room - len(self._number), NONE, np.int64)])

    def _clear(self) -> None:
        """Clear the dead away: every row moves, in the same order, within the same memory."""
        living = np.flatnonzero(self._number[: self._size] != NONE)
        self._further = np.flatnonzero(np.isin(living, self._further))
        for begin in range(0, len(living), BLOCK):
            rows = living[begin : begin + BLOCK]
            for column in (self._steps, self._scale, self._number):
                column[begin : begin + len(rows)] = column[rows]
        self._steps[len(living) : self._size] = 0
        self._number[len(living) : self._size] = NONE
        self._size, self._dead, self._changes = len(living), 0, self._changes + 1


def _products(steps: Steps, rows: Steps) -> Column:
    """The whole-number products of a vector and each row: the same with and without numkong."""
    if PRODUCTS is not None:
        return np.asarray(PRODUCTS(steps[np.newaxis], rows, "dot"), np.float64).reshape(-1)
    found = np.empty(len(rows), np.float32)
    block = np.empty((BLOCK, rows.shape[1]), np.float32)
    floats = steps.astype(np.float32)
    for begin in range(0, len(rows), BLOCK):
        part = rows[begin : begin + BLOCK]
        block[: len(part)] = part
        np.dot(block[: len(part)], floats, out=found[begin : begin + len(part)])  # exact below 2**24: 1000 dimensions
    return found.astype(np.float64)


def _fit(data: Sequence[bytes]) -> NDArray[np.bool_]:
    """Which vectors have a scale that one can have; NaN is none."""
    scale = np.frombuffer(b"".join(each[:SCALE] for each in data), "<f4")
    fit: NDArray[np.bool_] = (scale > 0) & (scale <= MOST_SCALE)
    return fit


def _steps(vector: NDArray[np.float32]) -> tuple[Steps, float]:
    """A vector in whole steps, and what a step is worth."""
    scale = float(np.abs(vector).max()) / 127 or 1.0
    return np.rint(vector / np.float32(scale)).astype(np.int8), scale


def _batches(rows: Iterator[Vector]) -> Iterator[list[Vector]]:
    while batch := list(islice(rows, BATCH)):
        yield batch
