"""Writes of one level's SQLite file, each inside a transaction that ``writer`` opens and commits."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import astuple, replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import Micros
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Suppression
from memtrigd.store import audit, sqlite_erasing
from memtrigd.store.handles import WriteHandle
from memtrigd.store.interface import Change, Ledger, Remembered
from memtrigd.store.interface_scrubbing import Clean
from memtrigd.store.lexicon import prints, spelling
from memtrigd.store.records import (
    COLUMNS,
    WISH_FIELDS,
    changed,
    columns_of_change,
    folded,
    to_row,
    wish_from_row,
    wish_to_row,
)
from memtrigd.store.sqlite_bringing import BringingWriter
from memtrigd.store.sqlite_entries import EntryWriter
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.sqlite_scrubbing import ScrubbingWriter
from memtrigd.store.sqlite_vectors import VectorWriting


class SqliteLevelWriter(SqliteLevelReader, EntryWriter, ScrubbingWriter, VectorWriting, BringingWriter, WriteHandle):
    """The LevelWriter of one file."""

    def add(self, memory: Memory, terms: Sequence[str], change: Change) -> None:
        """Append a memory: its row, first version, index entry (if active) and audit row."""
        self._must_be_here(memory.level)
        salt = audit.new_salt()
        self.connection.execute(_ADD, (salt, *to_row(memory)))
        number = self.connection.last_insert_rowid()
        if memory.status is Status.ACTIVE:
            self._enter_index(number, memory, terms)
        self._record(None, memory, salt, change)

    def amend(self, memory: Memory, change: Change, terms: Sequence[str] = ()) -> None:
        """Put a row into a new state: its row, a new version, its index entry, an audit row.

        A row that stays active keeps its index entry, unless ``terms`` bring a new one. Raises ValueError for a row
        that is not here or whose content, key or space would change.
        """
        self._must_be_here(memory.level)
        before = self.by_id(memory.id)
        if before is None:
            raise ValueError(f"no memory {memory.id} to amend")
        if (before.key, before.space, before.content) != (memory.key, memory.space, memory.content):
            raise ValueError(f"memory {memory.id} is to become another memory")
        number, salt = self._place(memory.id)
        if salt is None:
            raise ValueError(f"memory {memory.id} was erased")
        self._update(number, before, memory)
        self._reindex(number, before, memory, terms)
        self._record(before, memory, salt, change)

    def _update(self, number: int, before: Memory, memory: Memory) -> None:
        """Write the columns that change, and no others: SQLite would enter them in their indexes anew."""
        values = columns_of_change(before, memory)
        if values:
            assigned = ", ".join(f"{name} = ?" for name in values)
            self.connection.execute(
                " ".join(("UPDATE memory SET", assigned, "WHERE number = ?")), (*values.values(), number)
            )

    def stamp(self, memory: Memory) -> None:
        """Keep recall stamps and importance of an own row, nothing else of it. Raises ValueError if it is not here."""
        self._must_be_here(memory.level)
        stamps = memory.importance, memory.importance_at, memory.last_recalled, memory.recall_count
        self.connection.execute(_STAMP, (*stamps, memory.id))
        if not self.connection.changes():
            raise ValueError(f"no memory {memory.id} to stamp")

    def keep_ledger(self, ledger: Ledger) -> None:
        """Keep what this level knows of a memory below it, in place of what it knew."""
        self.connection.execute(_KEEP_LEDGER, astuple(ledger))

    def suppress(self, wish: Suppression, change: Change) -> None:
        """Keep a suppression, with its audit row."""
        salt = audit.new_salt()
        self.connection.execute(_SUPPRESS, (salt, folded(wish.entity), *wish_to_row(wish)))
        audit.append(self.connection, self._key, wish, salt, change=change)

    def lift(self, suppression_id: str, change: Change) -> None:
        """Take a suppression back as of the change, with its audit row. Raises ValueError for none that stands."""
        row = self.connection.execute(_STANDING, (suppression_id,)).fetchone()
        if row is None:
            raise ValueError(f"no suppression {suppression_id} to lift")
        number, salt, *fields = row
        self.connection.execute("UPDATE suppression SET lifted_at = ? WHERE number = ?", (change.at, number))
        lifted = replace(wish_from_row(tuple(fields)), lifted_at=change.at)
        audit.append(self.connection, self._key, lifted, salt, change=change)

    def reinstate(self, suppression_id: str, change: Change) -> None:
        """Let a lifted suppression stand again, with its audit row. Raises ValueError for none that was lifted."""
        row = self.connection.execute(_LIFTED, (suppression_id,)).fetchone()
        if row is None:
            raise ValueError(f"no suppression {suppression_id} was lifted")
        number, salt, *fields = row
        self.connection.execute("UPDATE suppression SET lifted_at = NULL WHERE number = ?", (number,))
        standing = replace(wish_from_row(tuple(fields)), lifted_at=None)
        audit.append(self.connection, self._key, standing, salt, change=change)

    def archivable(self, before: Micros) -> int:
        """How many rows ``archive`` would move."""
        return int(next(self.connection.execute(_ARCHIVABLE, (before,)))[0])

    def archive(self, before: Micros) -> int:
        """Move superseded rows that were last changed before ``before`` out of the way; return how many."""
        self.connection.execute(_ARCHIVE, (before,))
        self.connection.execute(_FORSAKE, (before,))
        return self.connection.changes()

    def erase(self, memory_id: str, change: Change) -> None:
        """Remove every byte of a memory's text, and its salt; see the interface. The change's reason is not kept."""
        change = replace(change, reason=None)
        row = self.by_id(memory_id)
        sqlite_erasing.empty_traces(self.connection, self._key, memory_id, change)
        if row is None:
            self._note(change, memory_id)
            return
        number, salt = self._place(memory_id)
        if salt is None:  # erased before
            return
        if row.status is Status.ACTIVE:
            self._leave_index(number, row)
        seq = sqlite_erasing.empty_row(self.connection, self._key, row, change)
        self._enter_version(seq, memory_id, change, sqlite_erasing.NOTHING)

    def rewrite(self, memory: Memory, clean: Clean, terms: Sequence[str], change: Change) -> None:
        """Put a memory's texts and those of its versions in the place of what they were, with a new salt.

        Raises ValueError for a row that is not here or was erased.
        """
        self._must_be_here(memory.level)
        before = self.by_id(memory.id)
        if before is None or before.erased:
            raise ValueError(f"no memory {memory.id} to rewrite")
        number, salt = self._place(memory.id)[0], audit.new_salt()
        if before.status is Status.ACTIVE:
            self._leave_index(number, before)
        self._place_anew(number, memory, salt)
        if memory.status is Status.ACTIVE:
            self._enter_index(number, memory, terms)
        self._rewrite_life(memory.id, before.key, memory.key, clean)
        audit.vouch_anew(self.connection, self._key, memory, salt, change)
        self._forget_answers_about(memory.id)

    def _place(self, memory_id: str) -> tuple[int, bytes | None]:
        """The number and salt of a row; one in the archive is brought back first."""
        place = self.connection.execute(_PLACE, (memory_id,)).fetchone()
        if place is None:
            self.connection.execute(_FETCH, (memory_id,))
            self.connection.execute("DELETE FROM archive WHERE id = ?", (memory_id,))
            place = next(self.connection.execute(_PLACE, (memory_id,)))
        return place[0], place[1]

    def unmask(self, memory_id: str, change: Change) -> None:
        """Take back every mask on a lower memory, with an audit row if there was one."""
        self.connection.execute("DELETE FROM mask WHERE memory_id = ?", (memory_id,))
        if self.connection.changes():
            self._note(change, memory_id)

    def mask(self, key: str, mask: Mask) -> None:
        """Hide a lower copy of ``key`` from the readers of this level and of the mask's space."""
        self._must_be_here(mask.level)
        self.connection.execute(_MASK, (key, mask.space, mask.memory_id, mask.seen_count))

    def merge_index(self, pages: int) -> bool:
        """Put parts of the index together, writing about so many pages; tell whether there is more to do."""
        before = self.connection.total_changes()
        self.connection.execute("INSERT INTO lexicon (lexicon, rank) VALUES ('merge', ?)", (pages,))
        return self.connection.total_changes() - before >= 2  # FTS5 counts one change for having nothing to merge

    def note(self, change: Change, about: str | None = None) -> None:
        """Keep something that happened at this level to no memory of it, with its audit row."""
        self._note(change, about)

    def remember(
        self, session: str | None, idempotency_key: str, answer: Remembered, memory_id: str | None, at: Micros
    ) -> None:
        """Keep the answer to a request, so that a retry gets it again instead of a second write."""
        self.connection.execute(_REMEMBER, (session or "", idempotency_key, answer.digest, answer.reply, memory_id, at))

    def forget_answers(self, before: Micros) -> int:
        """Drop the answers that were given before ``before``; return how many."""
        self.connection.execute("DELETE FROM request WHERE at < ?", (before,))
        return self.connection.changes()

    def _must_be_here(self, level: Level) -> None:
        if level is not self._level:
            raise ValueError(f"the file of {self._level.name} takes nothing of {level.name}")

    def _note(self, change: Change, about: str | None) -> None:
        salt = audit.new_salt()
        seq = audit.note(self.connection, self._key, salt, change, about)
        who = change.at, change.op, change.actor, change.session, change.reason
        self.connection.execute(_NOTE, (seq, salt, *who, about))

    def _record(self, before: Memory | None, memory: Memory, salt: bytes, change: Change) -> None:
        fields = changed(before, memory)
        seq = audit.append(self.connection, self._key, memory, salt, change=change, fields=fields)
        self._enter_version(seq, memory.id, change, fields)

    def _enter_version(self, seq: int, memory_id: str, change: Change, fields: str) -> None:
        who = change.at, change.op, change.actor, change.session, change.reason
        self.connection.execute(_VERSION, (seq, memory_id, *who, fields))

    def _reindex(self, number: int, before: Memory, memory: Memory, terms: Sequence[str]) -> None:
        was, now = before.status is Status.ACTIVE, memory.status is Status.ACTIVE
        if was and now and not terms:
            self._drop_tags(before)
            self._enter_tags(number, memory)
            return
        if was:
            self._leave_index(number, before)
        if now:
            self._enter_index(number, memory, terms)

    def _enter_index(self, number: int, memory: Memory, terms: Sequence[str]) -> None:
        execute = self.connection.execute
        spelt = spelling(terms)
        execute("INSERT INTO lexicon (rowid, terms) VALUES (?, ?)", (number, spelt))
        execute(_DOCUMENT, (number, len(terms), *prints(spelt)))
        execute("UPDATE corpus SET documents = documents + 1, terms = terms + ? WHERE one = 1", (len(terms),))
        self._enter_tags(number, memory)

    def _leave_index(self, number: int, memory: Memory) -> None:
        # without WHERE the update of corpus could fail half-way, for all SQLite knows: it would open a savepoint, for
        # which FTS5 writes its whole index of this transaction out, each time
        execute = self.connection.execute
        ((length,),) = execute("DELETE FROM document WHERE number = ? RETURNING terms", (number,))
        execute("DELETE FROM lexicon WHERE rowid = ?", (number,))
        execute("DELETE FROM vector WHERE number = ?", (number,))
        execute("UPDATE corpus SET documents = documents - 1, terms = terms - ? WHERE one = 1", (length,))
        self._drop_tags(memory)

    def _enter_tags(self, number: int, memory: Memory) -> None:
        rows = [(tag, memory.updated, memory.id, number) for tag in dict.fromkeys(memory.tags)]
        self.connection.executemany("INSERT INTO tag (tag, updated, id, number) VALUES (?, ?, ?, ?)", rows)

    def _drop_tags(self, memory: Memory) -> None:
        rows = [(tag, memory.updated, memory.id) for tag in dict.fromkeys(memory.tags)]
        self.connection.executemany("DELETE FROM tag WHERE tag = ? AND updated = ? AND id = ?", rows)


def _insert(table: str, columns: Sequence[str], how: str = "INSERT INTO") -> str:
    return " ".join((how, table, "(", ", ".join(columns), ") VALUES (", ", ".join("?" * len(columns)), ")"))


def _move(table: str) -> str:
    row = ", ".join(("salt", *COLUMNS))  # the number is the table's own
    return " ".join(("INSERT INTO", table, "(", row, ") SELECT", row))


_ADD: Final = _insert("memory", ("salt", *COLUMNS))
_DOCUMENT: Final = _insert("document", ("number", "terms", "hashes", "times"))
_STAMP: Final = "UPDATE memory SET importance = ?, importance_at = ?, last_recalled = ?, recall_count = ? WHERE id = ?"
_KEEP_LEDGER: Final = _insert("ledger", Ledger.__struct_fields__, "REPLACE INTO")
_SUPPRESS: Final = _insert("suppression", ("salt", "entity_folded", *WISH_FIELDS))
_STANDING: Final = " ".join(
    ("SELECT number, salt,", ", ".join(WISH_FIELDS), "FROM suppression WHERE id = ? AND lifted_at IS NULL")
)
_LIFTED: Final = " ".join(
    ("SELECT number, salt,", ", ".join(WISH_FIELDS), "FROM suppression WHERE id = ? AND lifted_at IS NOT NULL")
)
_PLACE: Final = "SELECT number, salt FROM memory WHERE id = ?"
_OLD: Final = "FROM memory INDEXED BY memory_superseded WHERE status = 'superseded' AND updated < ?"
_ARCHIVABLE: Final = "SELECT count(*) " + _OLD
_ARCHIVE: Final = " ".join((_move("archive"), _OLD))
_FORSAKE: Final = "DELETE " + _OLD
_FETCH: Final = _move("memory") + " FROM archive WHERE id = ?"
_NOTE: Final = _insert("event", ("seq", "salt", "at", "op", "actor", "session", "reason", "about"))
_MASK: Final = (
    "INSERT INTO mask (key, space, memory_id, seen_count) VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET seen_count = max(seen_count, excluded.seen_count)"
)
_REMEMBER: Final = _insert("request", ("session", "idempotency_key", "digest", "reply", "memory_id", "at"))
_VERSION: Final = _insert("version", ("seq", "memory_id", "at", "op", "actor", "session", "reason", "fields"))
