"""How a memory lies in a row, in a version and under an audit digest."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final

import msgspec

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory, Source, Status

FIELDS: Final = tuple(field for field in Memory.__struct_fields__ if field != "level")
"""The columns of a row in their order. The level is the file, so no row has one."""

MOVED_BY_RECALL: Final = frozenset({"importance", "importance_at", "last_recalled", "recall_count"})
"""Stamps that reading and time move: no versions, and outside the audit."""

Row = tuple[Any, ...]

_KINDS: Final = {kind.value: kind for kind in Kind}
_SOURCES: Final = {source.value: source for source in Source}
_STATUSES: Final = {status.value: status for status in Status}
_LISTS: Final = msgspec.json.Decoder(tuple[str, ...])
_DEFAULTS: Final = {f.name: f.default for f in msgspec.structs.fields(Memory)}
_encode = msgspec.json.Encoder(order="deterministic").encode


def to_row(memory: Memory) -> Row:
    """The values of FIELDS as SQLite keeps them: enums by value, tuples as JSON."""
    return tuple(_stored(getattr(memory, field)) for field in FIELDS)


def from_row(row: Row, level: Level) -> Memory:
    """Build the memory of a row with exactly FIELDS. On the path of every get: 4 µs."""
    values = dict(zip(FIELDS, row, strict=True))
    values["kind"] = _KINDS[values["kind"]]
    values["source"] = _SOURCES[values["source"]]
    values["status"] = _STATUSES[values["status"]]
    values["tags"] = _list(values["tags"])
    values["emotion_tags"] = _list(values["emotion_tags"])
    values["attested"] = values["attested"] == 1
    values["core"] = values["core"] == 1
    values["pinned"] = values["pinned"] == 1
    return Memory(level=level, **values)


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
