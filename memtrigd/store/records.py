"""How a memory lies in a row, in a version and under an audit digest."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final

import msgspec

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory, Source, Status

FIELDS: Final = tuple(field for field in Memory.__struct_fields__ if field not in ("level", "contested"))
"""The columns of a row in their order. The level is the file, and who contests a row is looked up."""

MOVED_BY_RECALL: Final = frozenset({"importance", "importance_at", "last_recalled", "recall_count"})
"""Stamps that reading and time move: no versions, and outside the audit."""

Row = tuple[Any, ...]

_KINDS: Final = {kind.value: kind for kind in Kind}
_SOURCES: Final = {source.value: source for source in Source}
_STATUSES: Final = {status.value: status for status in Status}
_LEVEL: Final = Memory.__struct_fields__.index("level")
_CONTESTED: Final = Memory.__struct_fields__.index("contested")
_KIND, _SOURCE, _STATUS = map(FIELDS.index, ("kind", "source", "status"))
_TUPLES: Final = tuple(map(FIELDS.index, ("tags", "emotion_tags")))
_FLAGS: Final = tuple(map(FIELDS.index, ("attested", "core", "pinned")))
_LISTS: Final = msgspec.json.Decoder(tuple[str, ...])
_DEFAULTS: Final = {f.name: f.default for f in msgspec.structs.fields(Memory)}
_encode = msgspec.json.Encoder(order="deterministic").encode


def to_row(memory: Memory) -> Row:
    """The values of FIELDS as SQLite keeps them: enums by value, tuples as JSON."""
    return tuple(_stored(getattr(memory, field)) for field in FIELDS)


def from_row(row: Row, level: Level) -> Memory:
    """Build the memory of a row with FIELDS and, where it was looked up, ``contested``.

    On the path of every get: 1 µs, as nothing goes by name.
    """
    values = list(row)
    values[_KIND] = _KINDS[values[_KIND]]
    values[_SOURCE] = _SOURCES[values[_SOURCE]]
    values[_STATUS] = _STATUSES[values[_STATUS]]
    for place in _TUPLES:
        values[place] = _list(values[place])
    for place in _FLAGS:
        values[place] = values[place] == 1
    values.insert(_LEVEL, level)
    values[_CONTESTED:] = [value == 1 for value in values[_CONTESTED:]]
    return Memory(*values)


def changed(before: Memory | None, after: Memory) -> str:
    """The fields that a version holds, as a JSON object: what differs from ``before`` or from the defaults."""
    base = _DEFAULTS if before is None else {field: getattr(before, field) for field in FIELDS}
    return _object(after, [field for field in FIELDS if getattr(after, field) != base[field]])


def audited(memory: Memory) -> bytes:
    """The canonical state that an audit digest is taken of.

    Fields at their default are left out, so that a field that a later program adds changes no older digest.
    """
    kept = [f for f in FIELDS if f not in MOVED_BY_RECALL and getattr(memory, f) != _DEFAULTS[f]]
    return _object(memory, kept).encode()


def _object(memory: Memory, fields: Sequence[str]) -> str:
    return _encode({field: getattr(memory, field) for field in fields}).decode()


def _list(text: str) -> tuple[str, ...]:
    return () if text == "[]" else _LISTS.decode(text)


def _stored(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return _encode(value).decode() if isinstance(value, tuple) else value
