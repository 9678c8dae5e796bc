"""How many parts a message has, counted without making any: millions of tiny ones would hold up the loop for seconds.

No request has more than some hundred, so that what has thousands is refused before it is decoded.
"""

from typing import Final

MOST: Final = 10_000
"""Values that a message may have: a millisecond's decoding."""
COUNTED: Final = 64 << 10
"""Bytes of a frame from which its parts are counted; what is shorter is decoded in two milliseconds, whatever it is."""
_FIXED: Final = {
    **dict.fromkeys((0xC0, 0xC1, 0xC2, 0xC3), 0),
    **dict(zip(range(0xCA, 0xD4), (4, 8, 1, 2, 4, 8, 1, 2, 4, 8), strict=True)),
    **dict(zip(range(0xD4, 0xD9), (2, 3, 5, 9, 17), strict=True)),
}
"""Bytes of a msgpack value behind its first one, where that tells."""
_SIZED: Final = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
"""Bytes of the length behind the first one: of bytes, ext (whose type is a byte more) and texts."""
_MANY: Final = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}
"""Bytes of the count behind the first one, and how many values each counted one is: arrays and maps."""


def is_crowded(body: bytes) -> bool:
    """Tell whether a msgpack value has more than MOST parts. What ends too early or is none is for the decoder."""
    place, due, end = 0, 1, len(body)
    for _ in range(MOST):
        if not due or place >= end:
            return False
        place, more = _behind(body, place)
        due += more - 1
        if due > MOST:
            return True
    return due > 0


def _behind(body: bytes, place: int) -> tuple[int, int]:
    """Where the head of the value at a place ends, or a value without parts, and how many parts follow."""
    first = body[place]
    place += 1
    if first < 0x80 or first >= 0xE0:
        return place, 0
    if first < 0xA0:
        return place, (first & 15) * (2 if first < 0x90 else 1)
    if first < 0xC0:
        return place + (first & 31), 0
    if first in _MANY:
        size, each = _MANY[first]
        return place + size, int.from_bytes(body[place : place + size], "big") * each
    if first in _SIZED:
        size = _SIZED[first]
        return place + size + int.from_bytes(body[place : place + size], "big") + (0xC7 <= first <= 0xC9), 0
    return place + _FIXED[first], 0


class Marks:
    """Counts what divides a JSON text, ``,`` ``[`` and ``{`` outside its strings, piece by piece as it arrives."""

    def __init__(self) -> None:
        self.count = 0
        self._inside = False
        self._escaped = False

    @property
    def too_many(self) -> bool:
        """Whether the text has more parts than a message may have."""
        return self.count > MOST

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the text."""
        if self._escaped:
            piece = b"\\" + piece
            self._escaped = False
        if b"\\" in piece:
            piece = piece.replace(b"\\\\", b"")
            self._escaped = piece.endswith(b"\\")
            piece = piece.replace(b'\\"', b"")
        texts = piece.split(b'"')
        between = b"".join(texts[self._inside :: 2])
        self._inside ^= len(texts) % 2 == 0
        self.count += len(between) - len(between.translate(None, b",[{"))
