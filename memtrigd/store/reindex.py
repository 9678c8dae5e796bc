"""Making the indexes of one level's file anew from its rows. No row is touched but for the name entities are found by.

Each call is a transaction of its own: killed at any moment, the file has the entries of before or those of after.
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.store.database import open_reader
from memtrigd.store.faults import ORDINARY, unusable
from memtrigd.store.inspection import TermsOf, unfit
from memtrigd.store.lexicon import prints, spelling
from memtrigd.store.records import FIELDS, folded, from_row
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.verification import Pace

Prepared = Mapping[int, tuple[Memory, str, int]]
"""By its number a memory as it was, what the index is to have of it, and how many terms that is."""


def renew(connection: apsw.Connection, level: Level, numbers: Sequence[int], terms_of: TermsOf, seconds: float) -> int:
    """Write the entries of memories anew, as many as fit in ``seconds`` and one at least; return how many that were."""
    until, done = time.monotonic() + seconds, 0
    with _transaction(connection):
        for number in numbers:
            _leave(connection, number)
            memory = _memory(connection, level, number)
            if memory is not None and memory.status is Status.ACTIVE:
                terms = terms_of(memory)
                _enter(connection, number, memory, spelling(terms), len(terms))
            done += 1
            if time.monotonic() > until:
                break
    return done


def total(connection: apsw.Connection) -> None:
    """Bring the figures of the index in line with its documents."""
    with _transaction(connection):
        _clear(connection)
        connection.execute(_TOTAL)


def prepare(state: Path, level: Level, terms_of: TermsOf, pace: Pace) -> dict[int, tuple[Memory, str, int]]:
    """Work out what the index is to have of every active memory; for any thread, by a handle of its own.

    Raises Refusal ``level_unavailable``.
    """
    found = {}
    with unusable(file_name(level)), closing(open_reader(state / file_name(level))) as connection:
        for number, memory in _active(connection, level):
            pace()
            terms = terms_of(memory)
            found[number] = memory, spelling(terms), len(terms)
    return found


def replace(connection: apsw.Connection, level: Level, prepared: Prepared, terms_of: TermsOf) -> None:
    """Empty the index and fill it again, in one piece: for one that is too damaged to take an entry out of."""
    with _transaction(connection):
        connection.execute("INSERT INTO lexicon (lexicon) VALUES ('delete-all')")
        connection.execute("DELETE FROM document")
        connection.execute("DELETE FROM tag")
        for number, memory in _active(connection, level):
            was, text, count = prepared.get(number, (None, "", 0))
            if was is None or not _same_words(was, memory):  # saved or changed meanwhile
                terms = terms_of(memory)
                text, count = spelling(terms), len(terms)
            _enter(connection, number, memory, text, count)
        _clear(connection)
        connection.execute(_TOTAL)


def rebuild(connection: apsw.Connection, indexes: Collection[str]) -> None:
    """Make indexes of SQLite's own anew, by name; those of unknown names are none of ours."""
    known = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'index'")}
    for name in sorted(known.intersection(indexes)):
        with _transaction(connection):
            connection.execute(f'REINDEX "{name}"')


class _transaction:
    """All of it, or nothing.

    What SQLite has against the rows themselves, such as two in one slot, is a Refusal: no index can be made of them,
    and nothing is wrong with the disk.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
            return
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        if issubclass(kind, ORDINARY):
            hint = "`memtrigctl selfcheck` may name them; else the way back is a backup."
            raise Refusal("level_unavailable", f"No index can be made of these rows ({kind.__name__}).", hint)


def _leave(connection: apsw.Connection, number: int) -> None:
    connection.execute("DELETE FROM lexicon WHERE rowid = ?", (number,))
    connection.execute("DELETE FROM document WHERE number = ?", (number,))
    connection.execute("DELETE FROM tag WHERE number = ?", (number,))


def _enter(connection: apsw.Connection, number: int, memory: Memory, text: str, count: int) -> None:
    connection.execute("INSERT INTO lexicon (rowid, terms) VALUES (?, ?)", (number, text))
    connection.execute(_DOCUMENT, (number, count, *prints(text), number))
    tags = [(tag, memory.updated, memory.id, number) for tag in dict.fromkeys(memory.tags)]
    connection.executemany("INSERT OR REPLACE INTO tag (tag, updated, id, number) VALUES (?, ?, ?, ?)", tags)
    connection.execute(_FOLD, (folded(memory.entity), number, folded(memory.entity)))


def _clear(connection: apsw.Connection) -> None:
    """Take out the vectors that are none, or of no document: they are made anew from the texts."""
    wrong = [(number,) for number in unfit(connection)]
    connection.executemany("DELETE FROM vector WHERE number = ?", wrong)
    connection.executemany("UPDATE document SET model = x'' WHERE number = ?", wrong)
    connection.execute(_STRAY)


def _memory(connection: apsw.Connection, level: Level, number: int) -> Memory | None:
    row = connection.execute(_ROW + " WHERE number = ?", (number,)).fetchone()
    return None if row is None else from_row(tuple(row), level)


def _active(connection: apsw.Connection, level: Level) -> Iterable[tuple[int, Memory]]:
    for number, *row in connection.execute(_NUMBERED):
        yield number, from_row(tuple(row), level)


def _same_words(one: Memory, other: Memory) -> bool:
    """Tell whether the index has the same of two states of a memory."""
    return all(getattr(one, name) == getattr(other, name) for name in ("key", "content", "entity", "tags", "context"))


_COLUMNS: Final = ", ".join(FIELDS)
_ROW: Final = " ".join(("SELECT", _COLUMNS, "FROM memory"))
_NUMBERED: Final = " ".join(("SELECT number,", _COLUMNS, "FROM memory WHERE status = 'active' ORDER BY number"))
_DOCUMENT: Final = (  # vectors that are there are made of the same text, and take long to make anew
    "INSERT INTO document (number, terms, hashes, times, model)"
    " VALUES (?, ?, ?, ?, coalesce((SELECT min(model) FROM vector WHERE number = ?), x''))"
)
_STRAY: Final = (
    "DELETE FROM vector WHERE number NOT IN (SELECT number FROM document)"
    " OR model <> (SELECT model FROM document WHERE document.number = vector.number)"
)
_TOTAL: Final = (
    "UPDATE corpus SET documents = (SELECT count(*) FROM document),"
    " terms = (SELECT coalesce(sum(terms), 0) FROM document) WHERE one = 1"
)
_FOLD: Final = "UPDATE memory SET entity_folded = ? WHERE number = ? AND entity_folded IS NOT ?"
