"""What a journal can't vouch for and still must hold: the schema, the structure, and the index over the rows.

All of it can be made anew from the rows; but an edited trigger writes what nobody asked for, and an edited index hides
a memory from every search.
"""

import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, TypeAlias

import apsw

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store import lexicon
from memtrigd.store.interface_vectors import MOST_SCALE
from memtrigd.store.lexicon import token
from memtrigd.store.migrations import migrate, version_of
from memtrigd.store.records import FIELDS, from_row
from memtrigd.store.schema import Schema

TermsOf: TypeAlias = Callable[[Memory], Sequence[str]]
"""What the analyser makes of a memory, repeats included."""
Counting: TypeAlias = Callable[[int, int], None]
"""Hears of how much so much was looked at."""

MOST_TIMES: Final = 32
"""How often a term counts at most: beyond it, the ways in which a memory enters the index may differ."""
_HASH: Final = (1 << 64) - 1
EVERY: Final = 1000
"""Memories between two counts that are told."""


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


def wrong_index(
    connection: apsw.Connection, level: Level, terms_of: TermsOf, counted: Counting = lambda _, __: None
) -> Iterator[str]:
    """Compare the index with what it would be, were it made anew from the rows. Sentences name ids, no contents."""
    return (problem for _, problem in astray(connection, level, terms_of, counted))


def astray(
    connection: apsw.Connection, level: Level, terms_of: TermsOf, counted: Counting = lambda _, __: None
) -> Iterator[tuple[int | None, str]]:
    """As ``wrong_index``, each with the number of the memory whose entries are wrong; None where no one's are."""
    for problem, query in _BY_QUERY:
        for what, number in connection.execute(query):
            yield number, problem.format(what)
    for number in unfit(connection):
        yield number, f"A vector of memory number {number} is none."
    prints, lengths = _indexed(connection)
    for number, length in connection.execute("SELECT number, terms FROM document"):
        if lengths[number] != length:
            yield number, f"Document {number} of the index has another length than its words."
    active = len(prints)
    for done, (number, hashes, times, *row) in enumerate(connection.execute(_ACTIVE)):
        if done % EVERY == 0:
            counted(done, active)
        memory = from_row(tuple(row), level)
        terms = terms_of(memory)
        same = (hashes, times) == lexicon.prints(lexicon.spelling(terms))
        if prints.pop(number, 0) & _HASH != _fingerprint(terms) or not same:
            yield number, f"Memory {memory.id} is not found by its own words: the index has others."
    for number in prints:
        yield number, f"The index holds words of memory number {number}, which is not active."


def unfit(connection: apsw.Connection) -> set[int]:
    """The memories of which a vector can be none: not as long as most of its model, or of a scale that none has."""
    found, lengths = list[tuple[int, bytes, int]](), defaultdict[bytes, Counter[int]](Counter)
    wrong = set[int]()
    for number, model, length, scale in connection.execute(_SIZES):
        lengths[model][length] += 1
        found.append((number, model, length))
        if length <= _SCALE.size or not 0.0 < _SCALE.unpack(scale)[0] <= MOST_SCALE:
            wrong.add(number)
    usual = {model: each.most_common(1)[0][0] for model, each in lengths.items()}
    return wrong | {number for number, model, length in found if length != usual[model]}


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
    before, times = ("", 0), 0
    for row in connection.execute("SELECT term, doc FROM posting"):  # in this order
        if row == before:
            times += 1
            continue
        if times:
            prints[before[1]] += _of_spelling(before[0], min(times, MOST_TIMES))
            lengths[before[1]] += times
        before, times = row, 1
    if times:
        prints[before[1]] += _of_spelling(before[0], min(times, MOST_TIMES))
        lengths[before[1]] += times
    return prints, lengths


def _fingerprint(terms: Sequence[str]) -> int:
    if len(set(terms)) == len(terms):
        return sum(map(_of_once, terms)) & _HASH
    return sum(_of_spelling(token(term), min(times, MOST_TIMES)) for term, times in Counter(terms).items()) & _HASH


def _of_spelling(spelt: str, times: int) -> int:
    """A sum of these is the same in any order; Python's hash is keyed anew in each process, so none can be forged."""
    return hash((spelt, times))


@lru_cache(maxsize=1 << 16)
def _of_once(term: str) -> int:
    """Of a term that a memory has once, as most: texts share their words."""
    return _of_spelling(token(term), 1)


_ROWS: Final = ", ".join(f"memory.{field}" for field in FIELDS)
_ACTIVE: Final = " ".join(
    ("SELECT number, hashes, times,", _ROWS, "FROM memory LEFT JOIN document USING (number) WHERE status = 'active'")
)
_SCALE: Final = struct.Struct("<f")
_SIZES: Final = "SELECT number, model, length(data), substr(data, 1, 4) FROM vector"
_OWN_TAGS: Final = "SELECT value, updated, memory.id, number FROM memory, json_each(tags) WHERE status = 'active'"
_FOUND_BY: Final = "SELECT tag, updated, id, number FROM tag"
_BY_QUERY: Final = (
    (
        "Memory {} is missing in the index.",
        "SELECT id, number FROM memory LEFT JOIN document USING (number) WHERE status = 'active' AND terms IS NULL",
    ),
    (
        "The index has a document of memory number {}, which is not active.",
        "SELECT number, number FROM document WHERE number NOT IN (SELECT number FROM memory WHERE status = 'active')",
    ),
    (
        "The index holds a vector of memory number {}, which is not active.",
        "SELECT DISTINCT number, number FROM vector WHERE number NOT IN (SELECT number FROM document)",
    ),
    (
        "Memory number {} does not have the vectors that the index says it has.",
        " ".join(
            (
                "SELECT number, number FROM document LEFT JOIN",
                "(SELECT number, min(model) AS low, max(model) AS high FROM vector GROUP BY number) USING (number)",
                "WHERE model <> coalesce(low, x'') OR low <> high",
            )
        ),
    ),
    (
        "The figures of the index are not the sums over its documents.{}",
        " ".join(
            (
                "SELECT '', NULL FROM corpus",
                "WHERE (documents, terms) <> (SELECT count(*), coalesce(sum(terms), 0) FROM document)",
            )
        ),
    ),
    (
        "Memory {} is not found by its tags.",
        " ".join(("SELECT DISTINCT id, number FROM (", _OWN_TAGS, "EXCEPT", _FOUND_BY, ")")),
    ),
    (
        "Memory {} is found by a tag that it does not have.",
        " ".join(("SELECT DISTINCT id, number FROM (", _FOUND_BY, "EXCEPT", _OWN_TAGS, ")")),
    ),
    (
        "Memory {} is looked up under another entity than its own.",
        "SELECT id, number FROM memory WHERE (entity IS NULL) <> (entity_folded IS NULL)",
    ),
)
