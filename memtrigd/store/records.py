"""How a memory lies in a row, in a version and under an audit digest."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

import msgspec

from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory, Source, Status, canonical
from memtrigd.domain.suppression import Scope, Suppression

FIELDS: Final = tuple(field for field in Memory.__struct_fields__ if field not in ("level", "contested"))
"""The columns of a row in their order. The level is the file, and who contests a row is looked up."""

COLUMNS: Final = ("entity_folded", *FIELDS)
"""What is written of a memory: beside its fields the name by which its entity is looked up."""

MOVED_BY_RECALL: Final = frozenset({"importance", "importance_at", "last_recalled", "recall_count"})
"""Stamps that reading and time move: no versions, and outside the audit."""

WISH_FIELDS: Final = Suppression.__struct_fields__
"""The columns of a suppression in their order."""

ENTRY_FIELDS: Final = tuple(field for field in Entry.__struct_fields__ if field != "level")
"""The columns of an entry in their order. The level is the file."""

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
_AUDITED: Final[dict[type, dict[str, Any]]] = {
    Memory: {field: _DEFAULTS[field] for field in FIELDS if field not in MOVED_BY_RECALL},
    Suppression: {f.name: f.default for f in msgspec.structs.fields(Suppression)},
    Entry: {f.name: f.default for f in msgspec.structs.fields(Entry) if f.name != "level"},
}
_encode = msgspec.json.Encoder(order="deterministic").encode
_Delta: Final = msgspec.defstruct(
    "_Delta",
    [
        (field.name, field.type | msgspec.UnsetType, msgspec.UNSET)
        for field in msgspec.structs.fields(Memory)
        if field.name in FIELDS
    ],
)
_deltas: Final = msgspec.json.Decoder(_Delta)


def to_row(memory: Memory) -> Row:
    """The values of COLUMNS as SQLite keeps them: enums by value, tuples as JSON."""
    return folded(memory.entity), *(_stored(getattr(memory, field)) for field in FIELDS)


def columns_of_change(before: Memory, after: Memory) -> dict[str, Any]:
    """The columns whose values differ between two states of a memory, with the new values as SQLite keeps them."""
    moved = [field for field in FIELDS if getattr(before, field) != getattr(after, field)]
    values = {field: _stored(getattr(after, field)) for field in moved}
    return values | {"entity_folded": folded(after.entity)} if "entity" in values else values


def folded(entity: str | None) -> str | None:
    """The name by which an entity is looked up: as the domain compares them, which SQLite can't."""
    return None if entity is None else canonical(entity)


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


def wish_to_row(wish: Suppression) -> Row:
    """The values of WISH_FIELDS as SQLite keeps them."""
    return tuple(_stored(getattr(wish, field)) for field in WISH_FIELDS)


def wish_from_row(row: Row) -> Suppression:
    """Build the suppression of a row with WISH_FIELDS."""
    fields: dict[str, Any] = dict(zip(WISH_FIELDS, row, strict=True))
    return Suppression(**{**fields, "scope": Scope(fields["scope"])})


def entry_to_row(entry: Entry) -> Row:
    """The values of ENTRY_FIELDS as SQLite keeps them."""
    return tuple(_stored(getattr(entry, field)) for field in ENTRY_FIELDS)


def entry_from_row(row: Row, level: Level) -> Entry:
    """Build the entry of a row with ENTRY_FIELDS."""
    fields: dict[str, Any] = dict(zip(ENTRY_FIELDS, row, strict=True))
    body = msgspec.json.decode(fields["body"])
    return Entry(**{**fields, "level": level, "sort": Sort(fields["sort"]), "body": body})


def changed(before: Memory | None, after: Memory) -> str:
    """The fields that a version holds, as a JSON object: what differs from ``before`` or from the defaults."""
    base = _DEFAULTS if before is None else {field: getattr(before, field) for field in FIELDS}
    return _object(after, [field for field in FIELDS if getattr(after, field) != base[field]])


def spelt(fields: Mapping[str, object]) -> str:
    """Write the fields of a version as ``changed`` does."""
    return _encode({field: fields[field] for field in FIELDS if field in fields}).decode()


def changes_in(fields: str) -> dict[str, object]:
    """Read the fields that a version holds back, as a Memory has them."""
    delta = _deltas.decode(fields)
    return {field: value for field in FIELDS if (value := getattr(delta, field)) is not msgspec.UNSET}


def audited(state: Memory | Suppression | Entry) -> bytes:
    """The canonical state that an audit digest is taken of.

    Fields at their default are left out, so that a field that a later program adds changes no older digest.
    """
    defaults = _AUDITED[type(state)]
    return _object(state, [field for field in defaults if getattr(state, field) != defaults[field]]).encode()


def _object(state: Memory | Suppression | Entry, fields: Sequence[str]) -> str:
    return _encode({field: getattr(state, field) for field in fields}).decode()


def _list(text: str) -> tuple[str, ...]:
    return () if text == "[]" else _LISTS.decode(text)


def _stored(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return _encode(value).decode() if isinstance(value, tuple | dict) else value
