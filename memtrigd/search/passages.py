"""What of a memory is given to a model, and the form in which its vectors are kept."""

import hashlib
import struct
from array import array
from typing import Final

from memtrigd.domain.memory import Memory
from memtrigd.embedder.messages import Model

FORM: Final = b"1"
"""Of the texts and of their vectors: with another all are made anew."""


def mark(model: Model) -> bytes:
    """By what the vectors of a model are known in a store: 8 bytes."""
    return hashlib.blake2b(b" ".join((FORM, model.digest.encode())), digest_size=8).digest()


def passage(memory: Memory) -> str:
    """The text of a memory as a model gets it: who or what it is about, and what is said."""
    return memory.content if memory.entity is None else f"{memory.entity}: {memory.content}"


def packed(vector: bytes) -> bytes:
    """A vector (float32, little endian) as it is kept: what a step is worth (float32), then an int8 for each dimension.

    Steps are of 1/127 of its largest part: a cosine moves by 0.003 at most. Raises ValueError for one of no numbers.
    """
    parts = struct.unpack(f"<{len(vector) // 4}f", vector)
    most = max(map(abs, parts), default=0.0)
    if not 0.0 < most < 1e9:  # nor NaN
        raise ValueError("a vector of no numbers")
    (scale,) = struct.unpack("<f", struct.pack("<f", most / 127))
    steps = array("b", (max(-127, min(127, round(part / scale))) for part in parts))
    return struct.pack("<f", scale) + steps.tobytes()
