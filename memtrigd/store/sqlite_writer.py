"""Writes of one level's SQLite file, each inside a transaction that ``writer`` opens and commits."""

from collections.abc import Sequence
from typing import Final

import apsw

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import Micros
from memtrigd.domain.shadowing import Mask
from memtrigd.store import audit
from memtrigd.store.handles import WriteHandle
from memtrigd.store.interface import Change, Remembered
from memtrigd.store.lexicon import spelling
from memtrigd.store.records import FIELDS, changed, to_row
from memtrigd.store.sqlite_level import SqliteLevelReader


class SqliteLevelWriter(SqliteLevelReader, WriteHandle):
    """The LevelWriter of one file. ``key`` is that of the level's audit."""

    def __init__(self, connection: apsw.Connection, level: Level, key: bytes) -> None:
        super().__init__(connection, level)
        self._key = key

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
        number, salt = next(self.connection.execute("SELECT number, salt FROM memory WHERE id = ?", (memory.id,)))
        self.connection.execute(_AMEND, (*to_row(memory), number))
        self._reindex(number, before, memory, terms)
        self._record(before, memory, salt, change)

    def mask(self, key: str, mask: Mask) -> None:
        """Hide a lower copy of ``key`` from the readers of this level and of the mask's space."""
        self._must_be_here(mask.level)
        self.connection.execute(_MASK, (key, mask.space, mask.memory_id, mask.seen_count))

    def note(self, change: Change) -> None:
        """Keep something that happened to a session, with its audit row."""
        salt = audit.new_salt()
        seq = audit.note(self.connection, self._key, salt, change)
        self.connection.execute(_NOTE, (seq, salt, change.at, change.op, change.actor, change.session, change.reason))

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

    def _record(self, before: Memory | None, memory: Memory, salt: bytes, change: Change) -> None:
        fields = changed(before, memory)
        seq = audit.append(self.connection, self._key, memory, salt, change=change, fields=fields)
        who = change.at, change.op, change.actor, change.session, change.reason
        self.connection.execute(_VERSION, (seq, memory.id, *who, fields))

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
        execute("INSERT INTO lexicon (rowid, terms) VALUES (?, ?)", (number, spelling(terms)))
        execute("INSERT INTO document (number, terms) VALUES (?, ?)", (number, len(terms)))
        execute("UPDATE corpus SET documents = documents + 1, terms = terms + ?", (len(terms),))
        self._enter_tags(number, memory)

    def _leave_index(self, number: int, memory: Memory) -> None:
        execute = self.connection.execute
        ((length,),) = execute("DELETE FROM document WHERE number = ? RETURNING terms", (number,))
        execute("DELETE FROM lexicon WHERE rowid = ?", (number,))
        execute("UPDATE corpus SET documents = documents - 1, terms = terms - ?", (length,))
        self._drop_tags(memory)

    def _enter_tags(self, number: int, memory: Memory) -> None:
        rows = [(tag, memory.updated, memory.id, number) for tag in dict.fromkeys(memory.tags)]
        self.connection.executemany("INSERT INTO tag (tag, updated, id, number) VALUES (?, ?, ?, ?)", rows)

    def _drop_tags(self, memory: Memory) -> None:
        rows = [(tag, memory.updated, memory.id) for tag in dict.fromkeys(memory.tags)]
        self.connection.executemany("DELETE FROM tag WHERE tag = ? AND updated = ? AND id = ?", rows)


_ADD: Final = " ".join(
    ("INSERT INTO memory (salt,", ", ".join(FIELDS), ") VALUES (?,", ", ".join("?" * len(FIELDS)), ")")
)
_AMEND: Final = " ".join(("UPDATE memory SET", ", ".join(f"{field} = ?" for field in FIELDS), "WHERE number = ?"))
_NOTE: Final = "INSERT INTO event (seq, salt, at, op, actor, session, reason) VALUES (?, ?, ?, ?, ?, ?, ?)"
_MASK: Final = (
    "INSERT INTO mask (key, space, memory_id, seen_count) VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET seen_count = max(seen_count, excluded.seen_count)"
)
_REMEMBER: Final = (
    "INSERT INTO request (session, idempotency_key, digest, reply, memory_id, at) VALUES (?, ?, ?, ?, ?, ?)"
)
_VERSION: Final = (
    "INSERT INTO version (seq, memory_id, at, op, actor, session, reason, fields) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
