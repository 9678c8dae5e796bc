"""The parts of the full-text index: FTS5 writes a new one at each commit, and puts some together now and then.

What is deleted stays in its part, which gets a tombstone for it, until that part has become a part of another.
"""

from typing import Final, NamedTuple, TypeAlias

STRUCTURE: Final = "SELECT block FROM lexicon_data WHERE id = 10"
"""The record that tells of the parts (fts5_index.c, FTS5_STRUCTURE_ROWID)."""
_MAGIC: Final = b"\xff\x00\x00\x01"
"""Behind a cookie of 4 bytes: the record of an index whose entries can be deleted without their texts."""

Part: TypeAlias = tuple[int, int, int]
"""What a part is known by: its number, which may be given anew, and the first and last commit that is in it."""


class _Segment(NamedTuple):
    number: int
    first_page: int
    last_page: int
    first_commit: int
    last_commit: int
    tombstone_pages: int
    tombstones: int
    entries: int


def parts(structure: bytes) -> dict[Part, bool]:
    """The parts of an index by its structure record, and whether anything was deleted of each.

    Raises ValueError for a record of another version.
    """
    if structure[4:8] != _MAGIC:
        raise ValueError("a structure record of another version")
    found = {}
    at = 8
    levels, at = _varint(structure, at)
    _, at = _varint(structure, at)
    _, at = _varint(structure, at)
    for _ in range(levels):
        _, at = _varint(structure, at)
        count, at = _varint(structure, at)
        for _ in range(count):
            fields = []
            for _ in _Segment._fields:
                field, at = _varint(structure, at)
                fields.append(field)
            segment = _Segment(*fields)
            found[segment.number, segment.first_commit, segment.last_commit] = segment.tombstone_pages > 0
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of SQLite's variable length, and where it ends: 7 bits a byte, and 8 of the ninth."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9
