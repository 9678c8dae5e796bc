"""Frames as a client sees them: requests out, answers in, and what an answer means."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from memtrig import wire
from memtrig.errors import NotFound, ProtocolError, Refused

R = TypeVar("R", bound=wire.Result)


def encode(number: int, request: wire.Request) -> bytes:
    """Frame a request, or raise Refused with the code that the daemon would use: nothing was sent then."""
    try:
        frame = wire.call(number, request)
    except UnicodeEncodeError as error:
        raise Refused(
            "bad_value",
            f"The text holds the lone surrogate U+{ord(error.object[error.start]):04X}, which is no character.",
            "Decode the bytes with errors='replace' first.",
        ) from None
    if len(frame) > wire.PREFIX + wire.MAX_FRAME:
        raise Refused(
            "too_large",
            f"The request has {len(frame) - wire.PREFIX:,} bytes; the limit of a frame is {wire.MAX_FRAME:,}.",
            "Save it in parts, each with its own key.",
        )
    return frame


class Splitter:
    """Cuts a stream of bytes into answers. A length over the limit is refused before its bytes are kept."""

    __slots__ = ("_held", "_needed", "_parts")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._held = 0
        self._needed = wire.PREFIX

    def feed(self, data: bytes) -> list[wire.Answer]:
        """Take the next bytes and return the answers that they complete. Raises ProtocolError for anything else."""
        self._parts.append(data)
        self._held += len(data)
        if self._held < self._needed:
            return []
        stream = b"".join(self._parts)
        answers = []
        start = 0
        while (end := start + self._needed) <= len(stream):
            if self._needed == wire.PREFIX:
                self._needed += _size(stream[start:end])
            else:
                answers.append(_decode(stream[start + wire.PREFIX : end]))
                start, self._needed = end, wire.PREFIX
        self._parts = [stream[start:]]
        self._held = len(stream) - start
        return answers


def _size(prefix: bytes) -> int:
    size = int.from_bytes(prefix, "big")
    if not 0 < size <= wire.MAX_FRAME:
        raise ProtocolError("protocol_error", f"A frame of {size:,} bytes was announced; that is no memtrigd.")
    return size


def _decode(body: bytes) -> wire.Answer:
    try:
        return wire.decode_answer(body)
    except msgspec.MsgspecError as error:
        raise ProtocolError(
            "protocol_error", f"The answer can't be read: {error}.", "Are memtrigd and this library of one version?"
        ) from None


def outcome(answer: wire.Answer, kind: type[R]) -> R:
    """Return the result, which must be of the ``kind`` asked for, or raise the error that the answer carries."""
    result, error = answer.result, answer.error
    if isinstance(error, wire.Error):
        refusal = NotFound if error.code == "not_found" else Refused
        raise refusal(error.code, error.message, error.hint, error.retryable)
    if not isinstance(result, kind):
        raise ProtocolError("protocol_error", f"The answer is {type(result).__name__}, not {kind.__name__}.")
    return result


def astray(answer: wire.Answer) -> ProtocolError:
    """Make the error for an answer to no request: it must reach nobody."""
    said = f" It says: {answer.error.message}" if isinstance(answer.error, wire.Error) else ""
    return ProtocolError("protocol_error", f"An answer came for request {answer.id}, which was never made.{said}")
