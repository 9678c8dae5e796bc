"""Examining one level's file, by what can be done about it: an index is made anew, a torn row comes from a backup.

Nothing is written. While a daemon has the file it is read as any reader reads it; a file that nobody has open is read
without so much as a lock beside it, which only works where no log is left to be folded in.
"""

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

import apsw
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.store import audit, control, database, keys
from memtrigd.store.audit import Head
from memtrigd.store.control import SqliteControlReader
from memtrigd.store.faults import unusable
from memtrigd.store.inspection import TermsOf, astray, wrong_schema
from memtrigd.store.manifest import open_copy
from memtrigd.store.schema import CONTROL, LEVELS, Schema
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.verification import Pace, paced

LINES: Final = 1000
"""Places that SQLite's own check names at most."""
LEXICON: Final = "lexicon"
"""The full-text index, among the indexes that a structure can be damaged in."""

Opening: TypeAlias = Callable[[Path], apsw.Connection]
"""How a file is opened for reading."""


class Examined(Struct, frozen=True):
    """What is wrong with a file. ``broken`` names its indexes with a damaged structure, ``torn`` what is damaged else.

    ``stray`` are the numbers of memories whose index entries are not theirs, ``index`` says so in sentences, as
    ``schema`` and ``journal`` do of theirs. ``newest`` is the moment of the journal's last row.
    """

    schema: list[str] = []
    torn: list[str] = []
    broken: frozenset[str] = frozenset()
    index: list[str] = []
    stray: frozenset[int] = frozenset()
    journal: list[str] = []
    newest: Micros | None = None

    @property
    def mendable(self) -> bool:
        """Whether an index, and nothing but indexes, is not as the rows ask for."""
        return bool(self.index or self.broken) and not (self.schema or self.torn)


def opening(state: Path, *, live: bool) -> Opening:
    """How the files of a state directory are read: ``live`` while a daemon has them open, else without a trace.

    The latter raises Refusal ``store_locked`` for a file with a log that was not folded in.
    """

    def untouched(path: Path) -> apsw.Connection:
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise Refusal(
                "store_locked",
                f"The log of {path.name} is not folded in: the daemon was cut off, or another program has the file.",
                "Start `memtrigd`, which folds it in, and say this again.",
                retryable=True,
            )
        return open_copy(path)

    return database.open_reader if live else untouched


def header(path: Path, schema: Schema) -> int:
    """The schema version in the header of a file. Raises Refusal ``level_unavailable`` for a torn or foreign one."""
    database.inspect(path, schema)
    with unusable(path.name), path.open("rb") as file:
        return int.from_bytes(file.read(100)[60:64], "big")


def examine(
    state: Path, level: Level, open_file: Opening, terms_of: TermsOf | None, pace: Pace = lambda: None
) -> Examined:
    """Examine a level's file, key and journal; without ``terms_of`` the index is looked at for its structure alone.

    Raises Refusal ``level_unavailable`` or ``store_locked``.
    """
    key = keys.read(state / "keys" / f"{level.slug}.key")
    known = _kept_end(state, level, open_file)
    with unusable(file_name(level)), closing(open_file(state / file_name(level))) as connection:
        paced(connection, pace)
        schema = list(wrong_schema(connection, LEVELS[level]))
        torn, broken = structure(connection)
        if schema or torn:  # what is told of rows over a broken schema means nothing
            return Examined(schema=schema, torn=torn, broken=broken)
        journal = audit.verify(connection, key, level, known)
        last = connection.execute("SELECT at FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
        found = list[tuple[int | None, str]]()
        if terms_of is not None and not broken:
            connection.execute("BEGIN")  # rows and index of one moment
            found = list(astray(connection, level, terms_of))
            connection.execute("ROLLBACK")
    return Examined(
        broken=broken,
        index=[f"The index {name} is damaged." for name in sorted(broken)] + [problem for _, problem in found],
        stray=frozenset(number for number, _ in found if number is not None),
        journal=journal,
        newest=None if last is None else int(str(last[0])),
    )


def examine_control(state: Path, open_file: Opening, pace: Pace = lambda: None) -> tuple[list[str], dict[str, str]]:
    """The problems of control.db, and its settings. Raises Refusal ``level_unavailable`` or ``store_locked``."""
    with unusable(control.FILE), closing(open_file(state / control.FILE)) as connection:
        paced(connection, pace)
        problems = list(wrong_schema(connection, CONTROL))
        torn, broken = structure(connection)
        problems += [*torn, *(f"The index {name} is damaged." for name in sorted(broken))]
        settings = {} if problems else SqliteControlReader(connection).settings("")
    return problems, settings


def structure(connection: apsw.Connection) -> tuple[list[str], frozenset[str]]:
    """What SQLite finds damaged: places that no index is made anew for, and the indexes that can be."""
    rows = connection.execute("SELECT rootpage, type, name FROM sqlite_schema WHERE rootpage > 0").fetchall()
    trees = {int(str(page)): _index_of(str(kind), str(name)) for page, kind, name in rows}
    torn, broken = 0, set[str]()
    told = [str(text) for (text,) in connection.execute(f"PRAGMA integrity_check({LINES})")]
    for line in (line for text in told for line in text.splitlines()):
        if line == "ok" or line.startswith("***"):
            continue
        named, place = _OF_INDEX.search(line), _IN_TREE.search(line) or _ON_PAGE.search(line)
        if named:
            broken.add(named.group(1))
        elif "fts5" in line.lower():
            broken.add(LEXICON)
        elif place and (index := trees.get(int(place.group(1)))):
            broken.add(index)
        else:
            torn += 1
    places = "place" if torn == 1 else "places"
    return ([f"The structure of the file is damaged in {torn} {places}."] if torn else []), frozenset(broken)


def _index_of(kind: str, name: str) -> str | None:
    """The index that a tree of the file belongs to; None where it holds rows."""
    if name.startswith(f"{LEXICON}_"):
        return LEXICON
    return name if kind == "index" else None


def _kept_end(state: Path, level: Level, open_file: Opening) -> Head | None:
    """The end of a level's journal that control.db keeps; a damaged one is told of where it is looked at itself."""
    try:
        with unusable(control.FILE), closing(open_file(state / control.FILE)) as connection:
            kept = SqliteControlReader(connection).journal_end(level)
    except Refusal:
        return None
    return None if kept is None else Head(kept[0], bytes.fromhex(kept[1]))


_OF_INDEX: Final = re.compile(r"(?:missing from|# of entries in|non-unique entry in|differ from|of) index (\w+)")
_IN_TREE: Final = re.compile(r"^Tree (\d+) ")
_ON_PAGE: Final = re.compile(r" on page (\d+)$")
"""Tells of an index only where that page is the root of one; else it may be anybody's."""
