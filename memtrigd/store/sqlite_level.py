"""Reads of one level's SQLite file."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import apsw

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import Micros
from memtrigd.domain.shadowing import Mask
from memtrigd.store import audit
from memtrigd.store.handles import ReadHandle
from memtrigd.store.interface import Corpus, Remembered
from memtrigd.store.lexicon import token
from memtrigd.store.records import FIELDS, from_row


def file_name(level: Level) -> str:
    """What the file of a level is called."""
    return f"{level.slug}.db"


class SqliteLevelReader(ReadHandle):
    """The LevelReader of one file, over a connection that is this handle's own.

    Raises Refusal ``level_unavailable`` or ``store_locked`` where the file can't be read.
    """

    def __init__(self, connection: apsw.Connection, level: Level) -> None:
        super().__init__(connection, file_name(level))
        self._level = level

    @property
    def level(self) -> Level:
        """The level of this file."""
        return self._level

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads inside see one state of the file. Not inside another transaction."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            if self.connection.in_transaction:  # an error of the disk ends it; after damage a COMMIT would fail
                self.connection.execute("ROLLBACK")

    def active(self, key: str, space: str) -> Memory | None:
        """The row of a slot whose status is active. The hot path: about 9 µs, the memory included."""
        return self._one(_ACTIVE, (space, key))

    def pending(self, key: str, space: str) -> list[Memory]:
        """The waiting proposals of a slot, the oldest first."""
        return sorted(self._each(_PENDING, (space, key)), key=lambda memory: (memory.created, memory.id))

    def by_id(self, memory_id: str) -> Memory | None:
        """The row with this id, whatever its status."""
        return self._one(_BY_ID, (memory_id,))

    def masks(self, key: str, spaces: Sequence[str]) -> list[Mask]:
        """What deletes at this level hide of a key, for readers of ``spaces``."""
        rows = self._rows("SELECT space, memory_id, seen_count FROM mask WHERE key = ?", (key,))
        return [Mask(memory_id, seen, self._level, space) for space, memory_id, seen in rows if space in spaces]

    def newest(self, spaces: Sequence[str], tag: str | None, before: tuple[Micros, str] | None) -> Iterator[Memory]:
        """Active rows by (updated, id) descending, strictly before ``before``.

        Rows are read as they are asked for; the handle keeps its snapshot until the iterator is done or dropped.
        """
        updated, memory_id = before or _AFTER_ALL
        wanted: tuple[Any, ...] = (updated, memory_id, json.dumps(spaces))
        return self._each(_NEWEST, wanted) if tag is None else self._each(_NEWEST_TAGGED, (tag, *wanted))

    def spaces(self) -> list[str]:
        """The spaces that have active memories here, in order."""
        return [space for (space,) in self._rows(_SPACES)]

    def facet(self, entity: str, kind: str, spaces: Sequence[str], limit: int) -> list[Memory]:
        """Active rows of an entity and kind, the newest first."""
        return list(self._each(_FACET, (entity, kind, json.dumps(spaces), limit)))

    def corpus(self) -> Corpus:
        """The figures of this level's index; they are kept, not counted."""
        return Corpus(*self._rows("SELECT documents, terms FROM corpus")[0])

    def postings(self, term: str) -> list[tuple[int, int]]:
        """(document, times) for each indexed memory that has the term."""
        return [(document, times) for document, times in self._rows(_POSTINGS, (token(term),))]

    def lengths(self, documents: Sequence[int]) -> dict[int, int]:
        """The length in terms of each document that is indexed."""
        return dict(self._rows(_LENGTHS, (json.dumps(documents),)))

    def document(self, number: int) -> Memory | None:
        """The memory behind a document number."""
        return self._one(_BY_NUMBER, (number,))

    def counts(self) -> dict[str, int]:
        """How many memories there are by status; statuses without any are left out."""
        inactive = "SELECT status, count(*) FROM memory WHERE status <> 'active' GROUP BY status"
        counts = {Status.ACTIVE.value: self.corpus().documents, **dict(self._rows(inactive))}
        return {status: count for status, count in counts.items() if count}

    def remembered(self, session: str | None, idempotency_key: str) -> Remembered | None:
        """The answer that this session's request with that key got at this level."""
        row = self._first(_REMEMBERED, (session or "", idempotency_key))
        return None if row is None else Remembered(*row)

    def journal_end(self) -> tuple[int, str]:
        """The number and the seal (hexadecimal) of the journal's newest row: an anchor to keep outside the file."""
        seq, mac = self._first(audit.NEWEST) or (0, b"")
        return seq, mac.hex()

    def _one(self, sql: str, values: tuple[Any, ...]) -> Memory | None:
        row = self._first(sql, values)
        return None if row is None else from_row(row, self._level)

    def _each(self, sql: str, values: tuple[Any, ...]) -> Iterator[Memory]:
        return (from_row(row, self._level) for row in self._lazily(sql, values))


_CONTESTED: Final = (
    ", EXISTS (SELECT 1 FROM memory AS proposal WHERE proposal.space = memory.space AND proposal.key = memory.key"
    " AND proposal.status = 'pending' AND proposal.contests = memory.id)"
)
_AFTER_ALL: Final = (2**63 - 1, "")


def _select(rest: str) -> str:
    return " ".join(("SELECT", ", ".join(f"memory.{field}" for field in FIELDS), _CONTESTED, "FROM", rest))


_ACTIVE: Final = _select("memory WHERE space = ? AND key = ? AND status = 'active'")
_PENDING: Final = _select(
    "memory WHERE space = ? AND key = ? AND status = 'pending'"
)  # ORDER BY would cost 25 µs even for no row
_BY_ID: Final = _select("memory WHERE id = ?")
_BY_NUMBER: Final = _select("memory WHERE number = ?")
_NEWEST: Final = _select(  # with the index of slots all rows of the spaces would be read and sorted
    "memory INDEXED BY memory_newest WHERE status = 'active' AND (updated, id) < (?, ?)"
    " AND space IN (SELECT value FROM json_each(?)) ORDER BY updated DESC, id DESC"
)
_NEWEST_TAGGED: Final = _select(
    "tag CROSS JOIN memory USING (number) WHERE tag.tag = ? AND (tag.updated, tag.id) < (?, ?)"
    " AND space IN (SELECT value FROM json_each(?)) ORDER BY tag.updated DESC, tag.id DESC"
)
_FACET: Final = _select(
    "memory WHERE status = 'active' AND entity = ? AND kind = ?"
    " AND space IN (SELECT value FROM json_each(?)) ORDER BY updated DESC, id DESC LIMIT ?"
)
_SPACES: Final = """
WITH RECURSIVE each (space) AS (  -- one step in the index of slots per space, not per row
    SELECT min(space) FROM memory WHERE status = 'active' UNION ALL
    SELECT (SELECT min(space) FROM memory WHERE status = 'active' AND space > each.space) FROM each
    WHERE each.space IS NOT NULL
) SELECT space FROM each WHERE space IS NOT NULL
"""
_POSTINGS: Final = "SELECT doc, count(*) FROM posting WHERE term = ? GROUP BY doc"
_LENGTHS: Final = "SELECT number, terms FROM document WHERE number IN (SELECT value FROM json_each(?))"
_REMEMBERED: Final = "SELECT digest, reply FROM request WHERE session = ? AND idempotency_key = ?"
