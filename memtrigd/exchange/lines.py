"""A file line by line, in bounded memory: what is no UTF-8, or too long for one line, is told of and not guessed at."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from memtrigd.domain.errors import Refusal

LONGEST: Final = 4 << 20
"""Bytes of a line: a frame holds two of them."""


class Line(Struct, frozen=True):
    """A line without its end. Where it can't be read ``refusal`` says why, and ``raw`` the bytes, if they are few."""

    number: int
    text: str
    raw: bytes | None = None
    refusal: Refusal | None = None

    @property
    def place(self) -> str:
        """Where it is, for people."""
        return f"line {self.number}"


def lines(path: Path) -> Iterator[Line]:
    """The lines of a file, the empty ones too. Raises OSError."""
    with path.open("rb") as file:
        yield from lines_of(file)


def lines_of(file: BinaryIO) -> Iterator[Line]:
    """The lines of what is read from where it is opened. Raises OSError."""
    at, number = 0, 0
    while raw := file.readline(LONGEST + 1):
        number += 1
        start, at = at, at + len(raw)
        if len(raw) > LONGEST:
            while not raw.endswith(b"\n") and (raw := file.readline(LONGEST)):
                at += len(raw)
            yield Line(number, "", None, _too_long(start, at))
            continue
        raw = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        body = raw.removesuffix(b"\n").removesuffix(b"\r")
        try:
            yield Line(number, body.decode())
        except UnicodeDecodeError as error:
            yield Line(number, "", body, _no_utf8(error))


def _too_long(start: int, end: int) -> Refusal:
    message = f"The line has {end - start:,} bytes, from byte {start:,} on; the limit is {LONGEST:,}."
    return Refusal("too_large", message, "Divide it in the file itself.")


def _no_utf8(error: UnicodeDecodeError) -> Refusal:
    return Refusal("bad_value", f"It is not UTF-8 at byte {error.start + 1:,} of the line.", "Convert it to UTF-8.")
