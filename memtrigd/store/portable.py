"""All that a level keeps of its owner's, read out of a copy of its file in an order that hangs on nothing but itself.

Two files with the same memories give the same rows in the same order, whichever came first to which.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import apsw
from msgspec import Struct

from memtrigd.domain.entries import Entry
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Suppression
from memtrigd.store import audit
from memtrigd.store.faults import unusable
from memtrigd.store.interface import Change, Ledger, Version
from memtrigd.store.interface_bringing import BROUGHT
from memtrigd.store.manifest import open_copy
from memtrigd.store.migrations import version_of
from memtrigd.store.records import ENTRY_FIELDS, WISH_FIELDS, entry_from_row, from_row, wish_from_row
from memtrigd.store.schema import VERSION
from memtrigd.store.sqlite_level import SqliteLevelReader, file_name
from memtrigd.store.statements import BY_ID


class Origin(Struct, frozen=True):
    """That rows of a bundle came here: when, which it was, and where it was made."""

    at: Micros
    source: str
    made: str | None


class LevelCopy:
    """One level's file in a backup, which nobody writes. ``space`` leaves all but that space out.

    What belongs to no space, events and pages about lower memories, goes with the whole alone.
    """

    def __init__(self, place: Path, level: Level, space: str | None = None) -> None:
        name = file_name(level)
        with unusable(name):
            self.connection = open_copy(place / name)
            schema = version_of(self.connection)
        if schema != VERSION:
            self.connection.close()
            raise Refusal(
                "level_unavailable", f"{name} has schema {schema}; this memtrigd reads {VERSION}.", "Make a new backup."
            )
        self.level = level
        self._space = space
        self._reader = SqliteLevelReader(self.connection, level, b"")

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    def head(self) -> tuple[int, str]:
        """The number and the seal (hexadecimal) of the journal's newest row."""
        return self._reader.journal_end()

    def count(self) -> int:
        """How many memories there are, whatever their status."""
        return sum(1 for _ in self._each("SELECT memory_id FROM version GROUP BY memory_id", ()))

    def memories(self) -> Iterator[tuple[Memory, list[Version]]]:
        """Every memory with its life, in the order of their beginnings."""
        for (memory_id,) in self._each(_BEGINNINGS, ()):
            memory = self._reader.by_id(memory_id)
            if memory is not None and self._wanted(memory.space):
                yield memory, self._reader.versions(memory_id)

    def all(self) -> Iterator[Memory]:
        """Every memory as it stands, the oldest first, and of those of one moment the first that came here."""
        for (memory_id,) in self._each(_BY_AGE, ()):
            memory = self._reader.by_id(memory_id)
            if memory is not None and self._wanted(memory.space):
                yield memory

    def served(self) -> Iterator[Memory]:
        """What stands, what waits and what was disputed, by space and entity."""
        for row in self._each(_SERVED, ()):
            memory = from_row(tuple(row), self.level)
            if self._wanted(memory.space):
                yield memory

    def wishes(self) -> Iterator[Suppression]:
        """Every suppression that names anything, lifted or not."""
        return (wish for wish in map(wish_from_row, self._each(_WISHES, ())) if self._wanted(wish.space))

    def entries(self) -> Iterator[Entry]:
        """Every entry, closed or not, but what is under way."""
        found = (entry_from_row(row, self.level) for row in self._each(_ENTRIES, ()))
        return (entry for entry in found if self._wanted(entry.space))

    def events(self) -> Iterator[tuple[Change, str | None]]:
        """What was done here to no memory of the level, but what the journal does for itself."""
        if self._space is None:
            for op, at, actor, session, reason, about in self._each(_EVENTS, (audit.SCRUB, BROUGHT)):
                yield Change(op=op, at=at, actor=actor, session=session, reason=reason), about

    def masks(self) -> Iterator[tuple[str, Mask]]:
        """The lower memories that are hidden here, each under its key; not those whose key was erased."""
        for key, space, memory_id, seen in self._each(_MASKS, ()):
            if self._wanted(space):
                yield key, Mask(memory_id, seen, self.level, space)

    def ledgers(self) -> Iterator[Ledger]:
        """What is kept here of lower memories."""
        if self._space is None:
            for row in self._each(_LEDGERS, ()):
                yield Ledger(**dict(zip(Ledger.__struct_fields__, row, strict=True)))

    def origins(self) -> list[Origin]:
        """The bundles that rows came from."""
        return [Origin(*row) for row in self._each(_ORIGINS, (BROUGHT,))]

    def keyed(self) -> dict[str, int]:
        """What is known by digests under this store's own key alone, and so means nothing elsewhere: how much of it."""
        ((wishes, masks),) = self._each(_KEYED, ())
        return {name: count for name, count in (("erased", wishes), ("masks", masks)) if count}

    def _wanted(self, space: str) -> bool:
        return self._space in (None, space)

    def _each(self, sql: str, values: tuple[object, ...]) -> apsw.Cursor:
        return self.connection.cursor().execute(sql, values)


_BEGINNINGS: Final = (
    "SELECT memory_id FROM (SELECT memory_id, at, min(seq) FROM version GROUP BY memory_id) ORDER BY at, memory_id"
)
_BY_AGE: Final = (
    "SELECT id FROM (SELECT id, created FROM memory UNION ALL SELECT id, created FROM archive)"
    " JOIN (SELECT memory_id, min(seq) AS begun FROM version GROUP BY memory_id) ON memory_id = id"
    " ORDER BY created, begun"
)
_SERVED: Final = (
    BY_ID.replace("WHERE id = ?", "WHERE status IN ('active', 'pending', 'disputed')")
    + " ORDER BY space, entity_folded IS NULL, entity_folded, created, id"
)
_WISHES: Final = " ".join(
    ("SELECT", ", ".join(WISH_FIELDS), "FROM suppression WHERE scope <> 'erased' ORDER BY at, id")
)
_ENTRIES: Final = " ".join(
    ("SELECT", ", ".join(ENTRY_FIELDS), "FROM entry WHERE sort <> 'intent' ORDER BY sort, created, id")
)
_EVENTS: Final = (
    "SELECT op, at, actor, session, reason, about FROM event"
    " WHERE op NOT IN (?, ?) ORDER BY at, op, actor, session, reason, about"
)
_MASKS: Final = (
    "SELECT key, space, memory_id, seen_count FROM mask WHERE key NOT GLOB 'erased.*' ORDER BY key, space, memory_id"
)
_LEDGERS: Final = " ".join(("SELECT", ", ".join(Ledger.__struct_fields__), "FROM ledger ORDER BY memory_id"))
_ORIGINS: Final = "SELECT at, about, reason FROM event WHERE op = ? ORDER BY seq"
_KEYED: Final = (
    "SELECT (SELECT count(*) FROM suppression WHERE scope = 'erased'),"
    " (SELECT count(*) FROM mask WHERE key GLOB 'erased.*')"
)
