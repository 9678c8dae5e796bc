"""Cut a byte stream into frames: 4-byte big-endian length, body. The length is checked before anything is kept."""

from collections.abc import Iterator

from memtrig.wire import MAX_FRAME, PREFIX

from memtrigd.domain.errors import Refusal


class Splitter:
    """Collects bytes and yields whole bodies. Holds at most one frame's worth of bytes plus one read."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def feed(self, data: bytes) -> None:
        """Take bytes as they arrive."""
        self._kept += data

    def frames(self) -> Iterator[bytes]:
        """Yield each whole body so far; stop anywhere, the rest is kept.

        Raises Refusal ``too_large`` as soon as a length over MAX_FRAME is seen: the stream can't be followed any more.
        """
        start = 0
        try:
            while len(self._kept) - start >= PREFIX:
                body = start + PREFIX
                length = int.from_bytes(self._kept[start:body], "big")
                if length > MAX_FRAME:
                    raise Refusal(
                        "too_large",
                        f"A frame of {length:,} bytes was announced; the limit is {MAX_FRAME:,}.",
                        "A content may have 1 MiB. If this was no frame at all: see docs/protocol.md.",
                    )
                if len(self._kept) - body < length:
                    return
                start = body + length
                yield bytes(self._kept[body:start])
        finally:
            del self._kept[:start]
