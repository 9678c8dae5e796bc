"""Reads of one level's SQLite file."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import apsw

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import Micros
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Subject, Suppression
from memtrigd.store import audit, sqlite_erasing
from memtrigd.store import statements as sql
from memtrigd.store.handles import Row, Values
from memtrigd.store.history import state_at
from memtrigd.store.interface import Change, Corpus, Event, Ledger, Remembered, Version
from memtrigd.store.interface_journal import Sealed
from memtrigd.store.lexicon import token
from memtrigd.store.records import changes_in, folded, from_row, wish_from_row
from memtrigd.store.sqlite_bringing import BringingReader
from memtrigd.store.sqlite_entries import EntryReader
from memtrigd.store.sqlite_index import SqliteIndexReader
from memtrigd.store.sqlite_scrubbing import ScrubbingReader
from memtrigd.store.sqlite_shares import SqliteShareReader
from memtrigd.store.sqlite_vectors import VectorReading

_LAST: Final = 2**63 - 1
_AFTER_ALL: Final = (_LAST, "")
_INACTIVE: Final = json.dumps([status for status in Status if status is not Status.ACTIVE])


def file_name(level: Level) -> str:
    """What the file of a level is called."""
    return f"{level.slug}.db"


class SqliteLevelReader(
    EntryReader, ScrubbingReader, SqliteIndexReader, SqliteShareReader, VectorReading, BringingReader
):
    """The LevelReader of one file, over a connection that is this handle's own. ``key`` is that of its audit.

    Raises Refusal ``level_unavailable`` or ``store_locked`` where the file can't be read.
    """

    def __init__(self, connection: apsw.Connection, level: Level, key: bytes) -> None:
        super().__init__(connection, file_name(level))
        self._level = level
        self._key = key

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
        return self._one(sql.ACTIVE, (space, key))

    def pending(self, key: str, space: str) -> list[Memory]:
        """The waiting proposals of a slot, the oldest first."""
        return sorted(self._each(sql.PENDING, (space, key)), key=_age)

    def refused(self, key: str, space: str) -> list[Memory]:
        """Rejected, disputed and forgotten rows of a slot, the newest first; not those that were only deleted."""
        return sorted(
            self._each(sql.REFUSED, (space, key)), key=lambda memory: (memory.updated, memory.id), reverse=True
        )

    def told(self, key: str, spaces: Sequence[str]) -> list[Memory]:
        """Every row that a key ever had, whatever its status, the oldest first."""
        asked = {"key": key, "spaces": json.dumps(spaces)}
        return sorted([*self._each(sql.TOLD, asked), *self._each(sql.ARCHIVED_TOLD, asked)], key=_age)

    def select(
        self,
        spaces: Sequence[str],
        statuses: Sequence[str],
        *,
        entities: Sequence[str] = (),
        kind: str | None = None,
        tag: str | None = None,
        session: str | None = None,
        expires_before: Micros | None = None,
        updated_since: Micros | None = None,
    ) -> Iterator[Memory]:
        """Rows with one of ``statuses`` that fit all that is given, the newest first.

        Read as they are asked for, like ``newest``: who changes rows takes them all first. ``tag`` is matched whole.
        """
        names = json.dumps([folded(name) for name in entities]) if entities else None
        filters = {"entities": names, "kind": kind, "tag": tag, "session": session}
        asked = {**filters, "expires_before": expires_before, "updated_since": updated_since}
        given = {name: value for name, value in asked.items() if value is not None}
        wanted = {f"status{place}": status for place, status in enumerate(dict.fromkeys(statuses))}
        if not wanted:
            return iter(())
        statement = sql.selection(list(wanted.values()), list(given))
        return self._each(statement, {"spaces": json.dumps(spaces), **wanted, **given})

    def after(self, number: int, limit: int) -> list[tuple[int, Memory]]:
        """Active and pending rows with their numbers, in number order after ``number``: 500 of them in 3 ms."""
        rows = self._rows(sql.AFTER, {"number": number, "limit": limit})
        return [(number, from_row(tuple(row), self._level)) for number, *row in rows]

    def expiring(self, before: Micros) -> int:
        """How many active memories end before ``before``, or have: 200,000 of them are counted in 10 ms."""
        return int(self._rows(sql.EXPIRING, (before,))[0][0])

    def versions(self, memory_id: str) -> list[Version]:
        """The life of a memory, the oldest step first."""
        return list(map(_version, self._rows(sql.VERSIONS, (memory_id,))))

    def before(self, version: Version) -> Memory | None:
        """The memory as it was before one of its versions; None before its first, and if it was erased."""
        earlier = [each for each in self.versions(version.memory_id) if each.seq < version.seq]
        return state_at(earlier, self._level) if earlier and earlier[0].fields else None

    def session_versions(self, session: str) -> list[Version]:
        """All that a session did at this level, the newest first."""
        return list(map(_version, self._rows(sql.SESSION_VERSIONS, (session,))))

    def versions_since(self, at: Micros) -> Iterator[Version]:
        """All that happened at this level since a moment, the newest first; read as they are asked for."""
        return map(_version, self._lazily(sql.VERSIONS_SINCE, (at,)))

    def session_events(self, session: str) -> list[Event]:
        """What a session did at this level to no memory of it, the newest first."""
        return [Event(*row) for row in self._rows(sql.SESSION_EVENTS, (session,))]

    def events_since(self, at: Micros) -> Iterator[Event]:
        """What was done at this level since a moment to no memory of it, the newest first; read as they are asked."""
        return (Event(*row) for row in self._lazily(sql.EVENTS_SINCE, (at,)))

    def suppressions(self, limit: int | None = None) -> list[Suppression]:
        """What is not to be learnt again, the newest first; neither lifted ones nor those that an erase left."""
        return list(map(wish_from_row, self._rows(sql.SUPPRESSIONS, (-1 if limit is None else limit,))))

    def wishes(self, subject: Subject) -> list[Suppression]:
        """The standing suppressions that cover a subject, those that an erase left too, the newest first."""
        asked = {
            "key": subject.key,
            "space": subject.space,
            "entities": json.dumps([folded(name) for name in subject.entities]),
            "digest": subject.digest,
            "key_digest": subject.key_digest,
        }
        found = {wish.id: wish for wish in map(wish_from_row, self._rows(sql.WISHES, asked))}
        covering = (wish for wish in found.values() if wish.covers(subject))
        return sorted(covering, key=lambda wish: (wish.at, wish.id), reverse=True)

    def wishes_about(self, memory_id: str) -> list[Suppression]:
        """Every suppression that was made with a memory, lifted or not."""
        return list(map(wish_from_row, self._rows(sql.WISHES_ABOUT, (memory_id,))))

    def wish(self, suppression_id: str) -> Suppression | None:
        """The suppression with this id, lifted or not."""
        row = self._first(sql.WISH, (suppression_id,))
        return None if row is None else wish_from_row(row)

    def was_wished(self, entity: str) -> bool:
        """Tell whether an entity, by its canonical name, was ever to be brought up no more, lifted since or not."""
        return self._first("SELECT 1 FROM suppression WHERE entity_folded = ? LIMIT 1", (folded(entity),)) is not None

    def has_wishes(self) -> bool:
        """Tell whether any suppression stands here at all."""
        return self._first("SELECT 1 FROM suppression WHERE lifted_at IS NULL LIMIT 1") is not None

    def digest(self, canonical_text: str) -> bytes:
        """The keyed digest under which a forgotten text is known at this level."""
        return audit.text_digest(self._key, canonical_text)

    def key_digest(self, space: str, key: str) -> bytes:
        """The keyed digest under which an erased key is known at this level."""
        return audit.key_digest(self._key, space, key)

    def ledger(self, memory_id: str) -> Ledger | None:
        """What this level keeps of a memory of a lower one."""
        row = self._first(sql.LEDGER, (memory_id,))
        return None if row is None else Ledger(**dict(zip(Ledger.__struct_fields__, row, strict=True)))

    def ledger_ids(self) -> list[str]:
        """The ids of all lower memories of which this level keeps anything."""
        return [memory_id for (memory_id,) in self._rows("SELECT memory_id FROM ledger")]

    def by_id(self, memory_id: str) -> Memory | None:
        """The row with this id, whatever its status."""
        return self._one(sql.BY_ID, (memory_id,)) or self._one(sql.ARCHIVED_BY_ID, (memory_id,))

    def masks(self, key: str, spaces: Sequence[str]) -> list[Mask]:
        """What deletes at this level hide of a key, for readers of ``spaces``."""
        rows = self._rows(sql.MASKS, (key, sqlite_erasing.alias(self._key, key)))
        return [Mask(memory_id, seen, self._level, space) for space, memory_id, seen in rows if space in spaces]

    def masks_on(self, memory_id: str) -> list[Mask]:
        """What this level hides of one lower memory, for readers of any space."""
        rows = self._rows("SELECT space, seen_count FROM mask WHERE memory_id = ? ORDER BY space", (memory_id,))
        return [Mask(memory_id, seen, self._level, space) for space, seen in rows]

    def masked(self) -> list[str]:
        """The ids of all lower memories that have a mask here, in order."""
        return [memory_id for (memory_id,) in self._rows(sql.MASKED)]

    def denied(self) -> list[str]:
        """The ids of all lower memories that were denied here, in order."""
        return [memory_id for (memory_id,) in self._rows(sql.DENIED)]

    def newest(self, spaces: Sequence[str], tag: str | None, before: tuple[Micros, str] | None) -> Iterator[Memory]:
        """Active rows by (updated, id) descending, strictly before ``before``.

        Rows are read as they are asked for; the handle keeps its snapshot until the iterator is done or dropped.
        """
        updated, memory_id = before or _AFTER_ALL
        wanted = {"updated": updated, "id": memory_id, "spaces": json.dumps(spaces), "tag": tag}
        return self._each(sql.NEWEST if tag is None else sql.NEWEST_TAGGED, wanted)

    def core(self, spaces: Sequence[str]) -> Iterator[Memory]:
        """Active rows that never fade, the newest first; read as they are asked for, like ``newest``."""
        return self._each(sql.CORE, {"spaces": json.dumps(spaces)})

    def spaces(self) -> list[str]:
        """The spaces that have memories here, in service or not, in order."""
        return sorted(space for (space,) in self._rows(sql.SPACES))

    def facet(self, entities: Sequence[str], kind: str, spaces: Sequence[str], limit: int) -> list[Memory]:
        """Active rows of an entity, by whichever of its names, and of a kind, the newest first."""
        names = json.dumps([folded(name) for name in entities])
        wanted = {"entities": names, "kind": kind, "spaces": json.dumps(spaces), "limit": limit}
        return list(self._each(sql.FACET, wanted))

    def corpus(self) -> Corpus:
        """The figures of this level's index; they are kept, not counted."""
        return Corpus(*self._rows("SELECT documents, terms FROM corpus")[0])

    def postings(self, term: str) -> list[tuple[int, int]]:
        """(document, times) for each indexed memory that has the term."""
        return [(document, times) for document, times in self._rows(sql.POSTINGS, (token(term),))]

    def document(self, number: int) -> Memory | None:
        """The memory behind a document number."""
        return self._one(sql.BY_NUMBER, (number,))

    def counts(self) -> dict[str, int]:
        """How many memories there are by status; statuses without any are left out."""
        counts = {Status.ACTIVE.value: self.corpus().documents, **dict(self._rows(sql.INACTIVE, (_INACTIVE,)))}
        archived = self._rows("SELECT count(*) FROM archive")[0][0]
        counts[Status.SUPERSEDED.value] = counts.get(Status.SUPERSEDED.value, 0) + archived
        return {status: count for status, count in counts.items() if count}

    def remembered(self, session: str | None, idempotency_key: str) -> Remembered | None:
        """The answer that this session's request with that key got at this level."""
        row = self._first(sql.REMEMBERED, (session or "", idempotency_key))
        return None if row is None else Remembered(*row)

    def journal(self, place: int | None, since: Micros | None, limit: int, *, oldest_first: bool) -> list[Sealed]:
        """The journal's rows behind ``place`` that are not older than ``since``; ``limit`` at most."""
        statement, first = (sql.JOURNAL_ON, 0) if oldest_first else (sql.JOURNAL_BACK, _LAST)
        rows = self._rows(statement, (first if place is None else place, -_LAST if since is None else since, limit))
        return [Sealed(**dict(zip(Sealed.__struct_fields__, (*row[:-1], row[-1].hex()), strict=True))) for row in rows]

    def journal_end(self) -> tuple[int, str]:
        """The number and the seal (hexadecimal) of the journal's newest row: an anchor to keep outside the file."""
        seq, mac = self._first(audit.NEWEST) or (0, b"")
        return seq, mac.hex()

    def _one(self, statement: str, values: Values) -> Memory | None:
        row = self._first(statement, values)
        return None if row is None else from_row(row, self._level)

    def _each(self, statement: str, values: Values) -> Iterator[Memory]:
        return (from_row(row, self._level) for row in self._lazily(statement, values))


def _age(memory: Memory) -> tuple[Micros, Micros, str]:
    return memory.created, memory.updated, memory.id  # an update begins when what it replaces began


def _version(row: Row) -> Version:
    seq, memory_id, op, actor, session, at, reason, fields = row
    change = Change(op=op, actor=actor, session=session, at=at, reason=reason)
    return Version(seq=seq, memory_id=memory_id, change=change, fields=changes_in(fields))
