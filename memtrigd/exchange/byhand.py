"""Files that somebody keeps by hand: lists in Markdown or plain text, and small JSON. Each is read whole or not at all.

JSON is a list of texts or of memories, a map of keys to texts, or lines of a format that ``formats`` knows.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any, Final

from memtrig import wire
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import items, own, plain, server_memory
from memtrigd.exchange.items import Item, Left, Reading, Taken

TEXTS: Final = (".md", ".markdown", ".txt")
JSONS: Final = (".json", ".jsonl")
MAX_LINES: Final = 5000
"""Memories of one file."""
_HEAD: Final = 1 << 16


class Unfit(Exception):
    """A file that can't be taken up as it is; the message goes on after its name."""


class Told(Struct, frozen=True):
    """A memory that a file tells, and its line there, from 1."""

    line: int
    record: wire.ImportRecord


def told(descriptor: int, name: str, now: int) -> list[Told]:
    """What an open file of that name tells, in its order. ``now`` in microseconds UTC. Raises Unfit, OSError."""
    path, reading = Path(f"/dev/fd/{descriptor}"), Reading(UTC, now, undated=True)
    found = list[Told]()
    try:
        for item in _items(path, Path(name).suffix.lower(), reading):
            match item:
                case Taken(place, record):
                    found.append(Told(_line(place), record))
                case Left(place, _, message):
                    raise Unfit(f"can't be taken, {place}: {message}")
            if len(found) > MAX_LINES:
                raise Unfit(f"has more than {MAX_LINES:,} memories")
    except Refusal as refusal:
        raise Unfit(f"can't be taken: {refusal.message}") from None
    return found


def _items(path: Path, suffix: str, reading: Reading) -> Iterator[Item]:
    data = path.read_bytes()
    if b"\0" in data:
        raise Unfit("is binary")
    if suffix in TEXTS:
        return plain.read(path, reading)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unfit(f"is not UTF-8: see byte {error.start:,}") from None
    if own.looks(text.partition("\n")[0][:_HEAD], path):
        return own.read(path, reading)
    if server_memory.looks(text[:_HEAD], path):
        return server_memory.read(path, reading)
    return _of_json(text, reading)


def _of_json(text: str, reading: Reading) -> Iterator[Item]:
    """What a list of texts or memories tells, or a map of keys to texts."""
    at = _space(text, 0)
    if not text[at:]:
        return
    if text[at] not in "[{":
        raise Unfit("is neither a list nor a map")
    listed, close = text[at] == "[", "]" if text[at] == "[" else "}"
    at = _space(text, at + 1)
    while at < len(text) and text[at] != close:
        begin = at
        key: str | None = None
        if not listed:
            name, at = _value(text, at)
            at = _space(text, at)
            if not isinstance(name, str) or text[at : at + 1] != ":":
                raise _no_json(text, at)
            key = name
            begin = at = _space(text, at + 1)
        value, at = _value(text, at)
        yield _record(key, value, _number(text, begin), reading)
        at = _space(text, at)
        if text[at : at + 1] == ",":
            at = _space(text, at + 1)
            if text[at : at + 1] != close:
                continue
        if text[at : at + 1] != close:
            raise _no_json(text, at)
    if text[at : at + 1] != close or text[at + 1 :].strip():
        raise _no_json(text, at)


def _record(key: str | None, value: object, line: int, reading: Reading) -> Item:
    place = f"line {line}"
    fields: dict[str, Any]
    match value:
        case str():
            fields = {"content": value}
        case dict():
            fields = value
        case _:
            raise Unfit(f"can't be taken, {place}: It is neither a text nor a memory")
    if key is not None:
        fields = {"key": key, **fields}
    made, _ = items.record(fields, place, reading)
    return Taken(place, made)


def _value(text: str, at: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except RecursionError:
        raise Unfit("is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _no_json(text, error.pos) from None
    except ValueError as error:
        raise Unfit(f"can't be taken, line {_number(text, at)}: {str(error)[:120]}") from None


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _number(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _no_json(text: str, at: int) -> Unfit:
    return Unfit(f"is not JSON: see line {_number(text, at)}")


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("A field is there twice")
    return dict(pairs)


def _line(place: str) -> int:
    found = _LINE.search(place)
    return int(found[0]) if found else 1


_SPACE: Final = re.compile(r"[ \t\r\n]*")
_LINE: Final = re.compile(r"\d+")
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_fields)
