"""What is found after a power cut, and whether it is what was promised."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import apsw
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.search.analyser import terms_of
from memtrigd.store import audit, control
from memtrigd.store.audit import Head
from memtrigd.store.backup import backups_of
from memtrigd.store.checking import verify
from memtrigd.store.manifest import listing
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.vault import Vault

Table: TypeAlias = frozenset[Any]
Rows: TypeAlias = dict[str, dict[str, Table]]
"""The rows of each table of each file. Not those of the journal: its own seals are asked instead."""

_NONE: Final[Table] = frozenset()
_SAID: Final = ("memory", "archive", "version")
"""Tables in which an act of several transactions leaves nothing that is neither old nor new."""


class Promised(Struct, frozen=True):
    """What a cut may not take: rows, where the journals end, backups; ``gone`` are words that nothing may hold.

    ``whole``: what led here is in each file as a whole or not at all. ``rewinds``: it went back to a backup, in all
    files or in none. ``spoilt``: somebody edited an index, and it is not made anew yet.
    """

    rows: Rows
    heads: dict[Level, Head]
    backups: frozenset[str]
    gone: tuple[bytes, ...]
    whole: bool
    rewinds: bool = False
    spoilt: bool = False


def promised(state: Path, *, gone: tuple[bytes, ...] = (), whole: bool = False, spoilt: bool = False) -> Promised:
    """What there is now."""
    rows, heads = _rows(state), {}
    for level in Level:
        with closing(_reading(state / file_name(level))) as connection:
            heads[level] = audit.head(connection)
    backups = frozenset(each.name for each in listing(backups_of(state))[0])
    return Promised(rows, heads, backups, gone, whole, spoilt=spoilt)


def judge(state: Path, before: Promised, after: Promised, *, index: bool) -> list[str]:
    """What is wrong with a store that a cut left between two promises, after it was opened; nothing if all is well."""
    found = [f"{word!r} is still in {name}" for word in before.gone for name in _holding(state, word)]
    try:
        return [*found, *_opened(state, before, after, index=index), *_backups(state, before, after)]
    except (Refusal, apsw.Error, OSError) as error:
        return [*found, f"it can't be used: {error!r}"]


def _opened(state: Path, before: Promised, after: Promised, *, index: bool) -> list[str]:
    found: list[str] = []
    with Vault.open(state) as vault:
        if vault.unavailable:
            return [f"{level.name}: {why.message}" for level, why in vault.unavailable.items()]
        rows = _rows(state)
        kept = {} if after.rewinds and _levels(rows) == _levels(after.rows) else before.heads
        found += vault.verify_control()
        index = index and not (before.spoilt or after.spoilt)
        for level in Level:
            found += vault.verify(level, [kept[level]] if level in kept else [], terms_of if index else None)
        return [*found, *_compared(rows, before, after)]


def _compared(rows: Rows, before: Promised, after: Promised) -> list[str]:
    if after.rewinds and _levels(rows) not in (_levels(before.rows), _levels(after.rows)):
        return ["it is neither what was before the restore nor what was after it"]
    found = []
    for file, tables in rows.items():
        old, new = before.rows[file], after.rows[file]
        if after.whole and tables not in (old, new):
            found.append(f"{file} is neither as it was nor as it was to be: {_told(tables, old)}")
        for table, held in tables.items():
            lost = (old.get(table, _NONE) & new.get(table, _NONE)) - held
            strange = held - (old.get(table, _NONE) | new.get(table, _NONE)) if table in _SAID else _NONE
            found += [f"{file} lost {len(lost)} rows of {table}"] if lost else []
            found += [f"{file} has {len(strange)} rows of {table} that nobody wrote"] if strange else []
    return found


def _told(tables: dict[str, Table], before: dict[str, Table]) -> str:
    return ", ".join(
        f"{table} {len(held - before.get(table, frozenset()))} more, {len(before.get(table, frozenset()) - held)} less"
        for table, held in tables.items()
        if held != before.get(table)
    )


def _levels(rows: Rows) -> Rows:
    return {file: tables for file, tables in rows.items() if file != control.FILE}


def _backups(state: Path, before: Promised, after: Promised) -> list[str]:
    found, unreadable = listing(backups_of(state))
    names = {each.name for each in found}
    problems = [f"backup {name} can't be read" for name in unreadable]
    problems += [f"backup {name} is lost" for name in before.backups & after.backups - names]
    for each in found:
        said = verify(backups_of(state) / each.name, each)
        problems += [f"backup {each.name}: {problem}" for part in said.values() for problem in part]
    return problems


def _rows(state: Path) -> Rows:
    found: Rows = {}
    for file in (control.FILE, *map(file_name, Level)):
        with closing(_reading(state / file)) as connection:
            found[file] = {table: frozenset(_of(connection, table)) for table in _tables(connection)}
    return found


def _reading(path: Path) -> apsw.Connection:
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs="unix")  # unwatched


def _tables(connection: apsw.Connection) -> list[str]:
    tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    return [str(name) for (name,) in connection.execute(tables) if name not in ("audit", "event")]


def _of(connection: apsw.Connection, table: str) -> Iterable[tuple[Any, ...]]:
    where = "WHERE name NOT LIKE 'head.%'" if table == "setting" else ""
    return connection.execute(f'SELECT * FROM "{table}" {where}')


def _holding(state: Path, word: bytes) -> list[str]:
    """Which files of the store itself hold a word; backups are told of where something is erased."""
    return [path.name for path in state.iterdir() if path.is_file() and word in path.read_bytes()]
