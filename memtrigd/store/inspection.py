"""What a journal can't vouch for and still must hold: the schema, the structure, and the index over the rows.

All of it can be made anew from the rows; but an edited trigger writes what nobody asked for, and an edited index hides
a memory from every search.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Final, TypeAlias

import apsw

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store.lexicon import token
from memtrigd.store.migrations import migrate, version_of
from memtrigd.store.records import FIELDS, from_row
from memtrigd.store.schema import Schema

TermsOf: TypeAlias = Callable[[Memory], Sequence[str]]
"""What the analyser makes of a memory, repeats included."""

MOST_TIMES: Final = 32
"""How often a term counts at most: beyond it, the ways in which a memory enters the index may differ."""
_HASH: Final = (1 << 64) - 1


def wrong_schema(connection: apsw.Connection, schema: Schema) -> Iterator[str]:
    """Compare the marks, tables, indexes and triggers of a file with those that this program makes."""
    if connection.pragma("application_id") != schema.application_id:
        yield "The file bears the mark of another level or program."
    if version_of(connection) != schema.version:
        yield f"The file says that it has schema {version_of(connection)}; it should have {schema.version}."
        return
    made, found = _made(schema), _objects(connection)
    for name in sorted(made.keys() | found.keys()):
        if name not in found:
            yield f"The {name[0]} {name[1]} is gone."
        elif name not in made:
            yield f"The {name[0]} {name[1]} is none that memtrigd makes."
        elif made[name] != found[name]:
            yield f"The {name[0]} {name[1]} is not as memtrigd makes it."


def wrong_structure(connection: apsw.Connection) -> Iterator[str]:
    """What SQLite finds wrong with its pages, and with its indexes over the tables; at most ten places are counted."""
    found = [line for (line,) in connection.execute("PRAGMA integrity_check(10)")]
    if found != ["ok"]:
        many = "ten places or more" if len(found) >= 10 else f"{len(found)} {'place' if len(found) == 1 else 'places'}"
        yield f"The structure of the file is damaged in {many}."


def wrong_index(connection: apsw.Connection, level: Level, terms_of: TermsOf) -> Iterator[str]:
    """Compare the index with what it would be, were it made anew from the rows. Sentences name ids, no contents."""
    for problem, query in _BY_QUERY:
        for (what,) in connection.execute(query):
            yield problem.format(what)
    prints, lengths = _indexed(connection)
    for number, length in connection.execute("SELECT number, terms FROM document"):
        if lengths[number] != length:
            yield f"Document {number} of the index has another length than its words."
    for number, *row in connection.execute(_ACTIVE):
        memory = from_row(tuple(row), level)
        if prints.pop(number, 0) != _fingerprint(map(token, terms_of(memory))):
            yield f"Memory {memory.id} is not found by its own words: the index has others."
    if prints:
        yield f"The index holds words of {len(prints)} memories that are not active."


@cache
def _made(schema: Schema) -> dict[tuple[str, str], str]:
    connection = apsw.Connection(":memory:")
    try:
        migrate(connection, schema)
        return _objects(connection)
    finally:
        connection.close()


def _objects(connection: apsw.Connection) -> dict[tuple[str, str], str]:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat_'")
    return {(kind, name): f"{table} {text}" for kind, name, table, text in rows}


def _indexed(connection: apsw.Connection) -> tuple[dict[int, int], Counter[int]]:
    """For each document the fingerprint of the terms that the index has of it, and how many these are.

    One walk through the index: grouped by SQLite it would take a hundred times as long.
    """
    prints: dict[int, int] = defaultdict(int)
    lengths = Counter[int]()
    for (term, number), found in groupby(connection.execute("SELECT term, doc FROM posting")):  # in this order
        times = sum(1 for _ in found)
        prints[number] = prints[number] + _of_term(term, times) & _HASH
        lengths[number] += times
    return prints, lengths


def _fingerprint(tokens: Iterator[str]) -> int:
    times: dict[str, int] = defaultdict(int)
    for each in tokens:
        times[each] += 1
    return sum(_of_term(term, count) for term, count in times.items()) & _HASH


def _of_term(term: str, times: int) -> int:
    """A sum of these is the same in any order; Python's hash is keyed anew in each process, so none can be forged."""
    return hash((term, min(times, MOST_TIMES))) & _HASH


_ROWS: Final = ", ".join(f"memory.{field}" for field in FIELDS)
_ACTIVE: Final = " ".join(("SELECT number,", _ROWS, "FROM memory WHERE status = 'active'"))
_OWN_TAGS: Final = "SELECT value, updated, memory.id, number FROM memory, json_each(tags) WHERE status = 'active'"
_FOUND_BY: Final = "SELECT tag, updated, id, number FROM tag"
_BY_QUERY: Final = (
    (
        "Memory {} is missing in the index.",
        "SELECT id FROM memory LEFT JOIN document USING (number) WHERE status = 'active' AND terms IS NULL",
    ),
    (
        "The index has a document of memory number {}, which is not active.",
        "SELECT number FROM document WHERE number NOT IN (SELECT number FROM memory WHERE status = 'active')",
    ),
    (
        "The figures of the index are not the sums over its documents.{}",
        "SELECT '' FROM corpus WHERE (documents, terms) <> (SELECT count(*), coalesce(sum(terms), 0) FROM document)",
    ),
    (
        "Memory {} is not found by its tags.",
        " ".join(("SELECT DISTINCT id FROM (", _OWN_TAGS, "EXCEPT", _FOUND_BY, ")")),
    ),
    (
        "Memory {} is found by a tag that it does not have.",
        " ".join(("SELECT DISTINCT id FROM (", _FOUND_BY, "EXCEPT", _OWN_TAGS, ")")),
    ),
    (
        "Memory {} is looked up under another entity than its own.",
        "SELECT id FROM memory WHERE (entity IS NULL) <> (entity_folded IS NULL)",
    ),
)
