"""The elements of a JSON document's lists, one by one, in bounded memory: a broken one costs only itself.

A parser would end at the first fault, and give back no text of it. Here an element is cut out by its brackets first,
and parsed by itself: what follows a fault is read, and the fault is there to be mended. Of an object the elements are
those of its members that are lists, and the other members as they are.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import Any, BinaryIO, Final, TypeAlias

from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items
from memtrigd.exchange.documents import value
from memtrigd.exchange.items import Item, Left
from memtrigd.exchange.lines import LONGEST

CHUNK: Final = 256 << 10
"""Bytes that are read at once."""
NEAR: Final = 1000
"""How far back a fault is looked into: an opening bracket in the stack, the beginning of a line in the text."""
_PLAIN: Final = re.compile(rb'[^"{}\[\]]*+(?:"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"[^"{}\[\]]*+)*+')
"""All up to the next bracket: whole strings, and what stands between them."""
_STRING: Final = re.compile(rb'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+')
_BARE: Final = re.compile(rb"[^\s,\]}]*")
_GAP: Final = re.compile(rb"[\s,]*")
_COLON: Final = re.compile(rb"[\s:]*")
_OPENS: Final = {ord("}"): b"{", ord("]"): b"["}
_BOM: Final = b"\xef\xbb\xbf"


class Element(Struct, frozen=True):
    """An element of a list, ``number`` from 1 on; or the value of a member, 0. ``field`` is that of the member.

    Where it can't be read ``refusal`` says why, and ``raw`` is None if it is too long to be carried along.
    """

    field: str
    number: int
    raw: bytes | None
    refusal: Refusal | None = None

    @property
    def place(self) -> str:
        """Where it is, for people."""
        return " ".join(filter(None, (self.field or "record", str(self.number) if self.number else "")))


Make: TypeAlias = Callable[[str, Any, str], Iterable[Item]]
"""What an element is: by its field, its value and its place. Raises Refusal."""


def read(file: BinaryIO, make: Make, limit: int = LONGEST) -> Iterator[Item]:
    """What ``make`` finds in each element; the others are left with their reason."""
    for element in elements(file, limit):
        raw = element.raw
        if element.refusal is not None:
            yield items.left(element.place, element.refusal, _text(raw))
            continue
        assert raw is not None
        try:
            yield from make(element.field, value(raw), element.place)
        except Refusal as refusal:
            yield items.left(element.place, refusal, _text(raw))


def again(text: str, place: str, make: Make) -> Iterator[Item]:
    """What is in an element that was mended."""
    try:
        yield from make("", value(text.encode(errors="surrogatepass")), place)
    except Refusal as refusal:
        yield Left(place, refusal.code, refusal.message, text)


def sample(head: str) -> list[tuple[str, Any]]:
    """The first elements of the beginning of a file, with their fields: for telling formats apart."""
    found = []
    if head.lstrip().startswith(("[", "{")):
        for element in elements(BytesIO(head.encode(errors="replace")), LONGEST):
            try:
                found.append((element.field, value(element.raw or b"")))
            except Refusal:
                continue
    return found


def elements(file: BinaryIO, limit: int = LONGEST) -> Iterator[Element]:
    """The elements of a document, and at the end what it lacks. One of more than ``limit`` bytes is only named."""
    scan = _Scan(file, limit)
    first = scan.peek()
    if first == b"{":
        yield from _members(scan)
    number = 0
    while scan.peek():  # the list; what stands behind it, or behind an object, counts as if it were in it
        scan.enclosing = b""
        if scan.peek() in b"}]":
            scan.at += 1
        elif scan.peek() == b"[":
            for element in _list(scan, "", number):
                number = element.number
                yield element
        else:
            number += 1
            yield scan.element("", number)
    if scan.torn:
        yield Element("end", 0, None, Refusal("bad_value", "The file breaks off here; what came after is missing."))


def _members(scan: "_Scan") -> Iterator[Element]:
    scan.at += 1
    while (mark := scan.peek()) != b"}":
        scan.enclosing = b"{"
        if mark != b'"':
            if not mark:
                scan.torn = True
                return
            if mark == b"]":
                scan.at += 1
                continue
            yield scan.element("", 0)
            continue
        name = scan.element("", 0).raw or b'"?"'
        scan.skip(_COLON)
        field = _name(name)
        if scan.peek() == b"[":
            yield from _list(scan, field, 0)
        elif scan.peek() != b"}" and scan.peek():
            yield scan.element(field, 0)
    scan.at += 1


def _list(scan: "_Scan", field: str, number: int) -> Iterator[Element]:
    scan.enclosing += b"["
    scan.at += 1
    while (mark := scan.peek()) != b"]":
        if not mark:
            scan.torn = True
            return
        if mark == b"}":
            if b"{" in scan.enclosing:  # the list was not closed: the object is
                break
            scan.at += 1
            continue
        number += 1
        yield scan.element(field, number)
    scan.at += mark == b"]"
    scan.enclosing = scan.enclosing[:-1]


def _name(raw: bytes) -> str:
    try:
        return str(value(raw))[:60]
    except Refusal:
        return "?"


def _text(raw: bytes | None) -> str | bytes | None:
    try:
        return None if raw is None else raw.decode()
    except UnicodeDecodeError:
        return raw


class _Scan:
    """A file from where it is read on. ``enclosing`` are the brackets that are open around the next element."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file = file
        self._limit = limit
        self._buffer = bytearray()
        self._before = 0
        self.at = 0
        self.enclosing = b""
        self.torn = False
        self._more(0)
        if self._buffer.startswith(_BOM):
            self.at = len(_BOM)

    def peek(self) -> bytes:
        """The byte at which the next element begins, none at the end of the file."""
        self.skip(_GAP)
        return bytes(self._buffer[self.at : self.at + 1])

    def skip(self, gap: re.Pattern[bytes]) -> None:
        """Go to the first byte that is not in a gap."""
        while True:
            found = gap.match(self._buffer, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self._buffer) or not self._more(self.at):
                return

    def element(self, field: str, number: int) -> Element:
        """Cut out what begins here: to its closing bracket, or to that of what it is in."""
        start = self._before + self.at
        begun, self._kept = self.at, True
        end, whole = self._bare(begun) if self._buffer[begun] not in b'"{[' else self._nested(begun)
        begun, self.at = self.at, end
        if not whole:
            self.torn = True
        if not self._kept or end - begun > self._limit:
            size = self._before + end - start
            message = f"It has {size:,} bytes, from byte {start:,} on; the limit is {self._limit:,}."
            return Element(field, number, None, Refusal("too_large", message, "Divide it in the file itself."))
        return Element(field, number, bytes(self._buffer[begun:end]))

    def _bare(self, at: int) -> tuple[int, bool]:
        while True:
            found = _BARE.match(self._buffer, at)
            at = found.end() if found else at
            if at < len(self._buffer):
                return max(at, self.at + 1), True
            if (at := self._grown(at)) < 0:
                return len(self._buffer), True

    def _nested(self, at: int) -> tuple[int, bool]:
        """The end of a string, a list or an object, and whether it has one."""
        stack, quoted, torn = bytearray(), self._buffer[at] == ord('"'), False
        at += quoted
        while True:
            if quoted:
                at, end = self._string_end(at)
                if end:
                    quoted, torn = False, torn or end == b"\n"
                    if not stack:
                        return at, True
                    continue
            else:
                found = _PLAIN.match(self._buffer, at)
                at = found.end() if found else at
                if at < len(self._buffer):
                    mark, at = self._buffer[at], at + 1
                    if mark == ord('"'):
                        quoted = True
                    elif (over := self._bracket(stack, mark, at, torn=torn)) is not None:
                        return over, True
                    continue
            if (at := self._grown(at)) < 0:
                return len(self._buffer), False

    def _string_end(self, at: int) -> tuple[int, bytes]:
        """Where a string ends, as far as can be seen: with its line at the latest, or one torn would turn the rest."""
        found = _STRING.match(self._buffer, at)
        at = found.end() if found else at
        rest = bytes(self._buffer[at : at + 2])
        if rest == b"\\\n":
            return at + 1, b"\n"
        return (at + 1, rest[:1]) if rest[:1] in (b'"', b"\n") else (at, b"")

    def _bracket(self, stack: bytearray, mark: int, at: int, *, torn: bool) -> int | None:
        """Go over a bracket that ends at ``at``; the end of the element, if this shows it."""
        if mark not in _OPENS:
            if torn and mark == stack[-1] == ord("{") and self._begins_a_line(at - 1):
                return at - 1  # the object of the torn string was not closed, and this is the next one
            stack.append(mark)
        elif (depth := stack.rfind(_OPENS[mark], max(len(stack) - NEAR, 0))) >= 0:
            del stack[depth:]
            return None if stack else at
        elif _OPENS[mark] in self.enclosing:
            return at - 1
        return None

    def _begins_a_line(self, at: int) -> bool:
        line = self._buffer.rfind(b"\n", max(at - NEAR, 0), at)
        return line >= 0 and not self._buffer[line:at].strip()

    def _grown(self, at: int) -> int:
        """Read on behind ``at``, and say where that is now; -1 at the end. What is over the limit is let go."""
        if at - self.at > self._limit:
            self._kept, self.at = False, at
        before = self._before
        return at - (self._before - before) if self._more(self.at) else -1

    def _more(self, keep: int) -> bool:
        chunk = self._file.read(CHUNK)
        if not chunk:
            return False
        del self._buffer[:keep]
        self._before += keep
        self.at -= keep
        self._buffer += chunk
        return True
