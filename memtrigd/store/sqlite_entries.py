"""Entries in one level's SQLite file: small records beside the memories."""

from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.levels import Level
from memtrigd.store import audit
from memtrigd.store import statements as sql
from memtrigd.store.handles import ReadHandle
from memtrigd.store.interface import Change
from memtrigd.store.records import ENTRY_FIELDS, entry_from_row, entry_to_row


class EntryReader(ReadHandle):
    """Reads of entries; ``_level`` and ``_key`` are those of the file."""

    _level: Level
    _key: bytes

    def entries(self, sort: Sort, *, closed: bool = False, name: str | None = None) -> list[Entry]:
        """The open entries of a sort, the oldest first; with ``closed`` every one."""
        if name is None:
            rows = self._rows(sql.ENTRIES if closed else sql.ENTRIES_OPEN, (sort.value,))
        else:
            rows = self._rows(sql.ENTRIES_NAMED, (sort.value, name))
        found = [entry_from_row(row, self._level) for row in rows]
        return [entry for entry in found if closed or entry.closed is None]

    def session_entries(self, session: str) -> list[Entry]:
        """All entries that a session made here, the oldest first."""
        return [entry_from_row(row, self._level) for row in self._rows(sql.SESSION_ENTRIES, (session,))]

    def entry(self, entry_id: str) -> Entry | None:
        """The entry with this id, closed or not."""
        row = self._first(sql.ENTRY, (entry_id,))
        return None if row is None else entry_from_row(row, self._level)


class EntryWriter(EntryReader):
    """Writes of entries."""

    def keep(self, entry: Entry, change: Change) -> None:
        """Keep an entry as it now is, new or in place of what it was, with its audit row.

        Raises ValueError for an entry of another level.
        """
        if entry.level is not self._level:
            raise ValueError(f"the file of {self._level.name} takes nothing of {entry.level.name}")
        row = self.connection.execute("SELECT number, salt FROM entry WHERE id = ?", (entry.id,)).fetchone()
        number, salt = row or (None, audit.new_salt())
        self.connection.execute(_KEEP, (number, salt, *entry_to_row(entry)))
        audit.append(self.connection, self._key, entry, salt, change=change)


_KEEP = " ".join(
    ("REPLACE INTO entry (number, salt,", ", ".join(ENTRY_FIELDS), ") VALUES (?, ?", ", ?" * len(ENTRY_FIELDS), ")")
)
