"""Triggerfish's store: an SQLite file with a table `kv`, and a JSON document for each memory of an agent at a level.

The file is opened as one that nobody changes, so nothing is written beside it. What is still in the log beside it would
then be missing, so such a file is refused: Triggerfish puts it in when it is closed.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import parse_level
from memtrigd.domain.memory import Status
from memtrigd.exchange import items
from memtrigd.exchange.documents import value
from memtrigd.exchange.items import Ignored, Item, Left, Noted, Reading
from memtrigd.exchange.lines import LONGEST
from memtrigd.exchange.markdown import tags

NAME: Final = "triggerfish"
MAGIC: Final = "SQLite format 3\x00"
AGENT: Final = "main-session"
"""The agent that Triggerfish's own sessions share: its keys need no name before them."""
_KNOWN: Final = {
    "key",
    "agentId",
    "classification",
    "content",
    "tags",
    "createdAt",
    "updatedAt",
    "expiresAt",
    "expired",
}
_TECHNICAL: Final = {"sourceSessionId", "lineageId"}
_TABLE: Final = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'kv' AND sql LIKE '%value%'"
_OTHERS: Final = "SELECT count(*) FROM kv WHERE key < 'memory:' OR key >= 'memory;'"
_ROWS: Final = """
SELECT rowid FROM kv WHERE key >= 'memory:' AND key < 'memory;' ORDER BY CASE
  WHEN key LIKE '%:RESTRICTED:%' THEN 3 WHEN key LIKE '%:CONFIDENTIAL:%' THEN 2
  WHEN key LIKE '%:INTERNAL:%' THEN 1 ELSE 0
END, key
"""
"""The lower levels first: where all go to one level and two are of one date, the higher stands, as it did there."""
_ROW: Final = """
SELECT key, length(CAST(value AS BLOB)), CASE WHEN length(CAST(value AS BLOB)) <= ? THEN CAST(value AS BLOB) END
FROM kv WHERE rowid = ?
"""


def looks(head: str, _: Path) -> bool:
    """Tell whether a file is one of SQLite's."""
    return head.startswith(MAGIC)


def read(path: Path, reading: Reading) -> Iterator[Item]:
    """What is in a store. Raises Refusal for a file that is none, or that has a log."""
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        hint = "Close Triggerfish, which puts it in; if it crashed, start it and close it."
        raise Refusal("bad_value", f"What was saved last is still in {log.name}, beside it.", hint)
    ignored = Ignored()
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as store:
            yield from _rows(store, ignored, reading)
    except sqlite3.DatabaseError as error:
        yield Left("the file", "bad_value", f"It is damaged: {error}. What was read before that was taken.")
    yield from ignored.told()


def again(text: str, place: str, reading: Reading) -> Iterator[Item]:
    """What is in a record."""
    return _row(text.encode(errors="surrogatepass"), place, Ignored(), reading)


def _rows(store: sqlite3.Connection, ignored: Ignored, reading: Reading) -> Iterator[Item]:
    store.execute("PRAGMA trusted_schema = OFF")
    store.execute("PRAGMA query_only = ON")
    store.execute("PRAGMA cell_size_check = ON")
    store.execute("PRAGMA temp_store = MEMORY")
    store.text_factory = lambda data: data.decode(errors="replace")
    if not store.execute(_TABLE).fetchone()[0]:
        raise Refusal("bad_value", "It is an SQLite file, but none of Triggerfish: it has no `kv`.", "Name another.")
    others = store.execute(_OTHERS).fetchone()[0]
    if others:
        yield Noted("kv", f"{others:,} entries that are no memories were not taken.")
    for (row,) in store.execute(_ROWS):
        found = store.execute(_ROW, (LONGEST, row)).fetchone()
        if found is None:
            yield Left(f"row {row}", "bad_value", "It is missing: the file is damaged.")
            continue
        name, size, raw = found
        place = str(name)[:200]
        if raw is None:
            yield Left(place, "too_large", f"It has {size:,} bytes; the limit is {LONGEST:,}.")
        else:
            yield from _row(raw, place, ignored, reading)


def _row(raw: bytes, place: str, ignored: Ignored, reading: Reading) -> Iterator[Item]:
    try:
        found = value(raw)
        if not isinstance(found, dict) or not isinstance(found.get("content"), str):
            raise Refusal("bad_request", "It is no memory: it has no `content`.", "Mend it.")
        ignored.add(found, _KNOWN | _TECHNICAL)
        yield from items.taken(_record(found), place, reading)
    except Refusal as refusal:
        yield items.left(place, refusal, raw.decode(errors="replace"))


def _record(found: dict[str, Any]) -> dict[str, Any]:
    """A memory as it was there: `expired` says that it was deleted."""
    key, agent = found.get("key"), found.get("agentId")
    level = found.get("classification")
    return {
        "content": found["content"],
        "key": key if agent in (AGENT, None) or key is None else f"{agent}/{key}",
        "level": parse_level(level).name if isinstance(level, str) else None,
        "tags": tags(found.get("tags")),
        "agent": agent,
        "created": found.get("createdAt"),
        "updated": found.get("updatedAt"),
        "expires_at": found.get("expiresAt"),
        "status": Status.FORGOTTEN if found.get("expired") else Status.ACTIVE,
    }
