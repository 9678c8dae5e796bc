"""Verifying one file of the store as a whole: schema and structure, the journal and what it vouches for, the index.

It has read-only handles of its own, so it may run on any thread, beside the daemon's writes. What it reads is one
state of the file; the log can't be folded in while that is read.
"""

from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

import apsw

from memtrigd.domain.levels import Level
from memtrigd.store import audit, control, keys
from memtrigd.store.audit import Head
from memtrigd.store.control import SqliteControlReader
from memtrigd.store.database import open_reader
from memtrigd.store.faults import unusable
from memtrigd.store.inspection import TermsOf, wrong_index, wrong_schema, wrong_structure
from memtrigd.store.schema import CONTROL, LEVELS
from memtrigd.store.sqlite_level import file_name

Pace: TypeAlias = Callable[[], None]
"""Called every few milliseconds of work: it may wait, or raise to end it."""

Heard: TypeAlias = Callable[[str, int, int], None]
"""Hears what is looked at now, how much of it was, and of how much; 0 of 0 where nobody counts."""

STEPS: Final = 20_000
"""Steps of SQLite's machine between two calls of a pace: about a millisecond."""


def verify(
    state: Path,
    level: Level,
    *,
    heads: Iterable[Head] = (),
    terms_of: TermsOf | None = None,
    pace: Pace = lambda: None,
    heard: Heard = lambda *_: None,
) -> list[str]:
    """The problems of a level's file, none when sound: sentences that name ids and numbers, no contents.

    Its journal must hold the head that control.db keeps, and ``heads``, which were kept elsewhere. Without
    ``terms_of`` the index is not looked at. Raises Refusal ``level_unavailable`` or ``store_locked``.
    """
    key = keys.load(state / "keys" / f"{level.slug}.key")
    with closing(open_reader(state / control.FILE)) as connection:
        kept = SqliteControlReader(connection).journal_end(level)
    known = None if kept is None else Head(kept[0], bytes.fromhex(kept[1]))
    with unusable(file_name(level)), closing(open_reader(state / file_name(level))) as connection:
        paced(connection, pace)
        heard("structure", 0, 0)
        found = [*wrong_schema(connection, LEVELS[level]), *wrong_structure(connection)]
        if found:
            return found  # what is told of rows over a broken schema means nothing
        heard("journal", 0, 0)
        found = audit.verify(connection, key, level, known)
        lost = (head for head in heads if not audit.holds(connection, head))
        found += [f"The journal does not hold row {head.seq} with the seal that was given." for head in lost]
        if terms_of is not None:
            connection.execute("BEGIN")
            found += wrong_index(connection, level, terms_of, partial(heard, "index"))
            connection.execute("ROLLBACK")
    return found


def journal_end(state: Path, level: Level) -> Head | None:
    """Where a level's journal ends, None of an empty one. Raises Refusal ``level_unavailable`` or ``store_locked``."""
    with unusable(file_name(level)), closing(open_reader(state / file_name(level))) as connection:
        end = audit.head(connection)
    return end if end.seq else None


def verify_control(state: Path, pace: Pace = lambda: None) -> list[str]:
    """The problems of control.db's schema and structure. No journal vouches for its rows."""
    with unusable(control.FILE), closing(open_reader(state / control.FILE)) as connection:
        paced(connection, pace)
        return [*wrong_schema(connection, CONTROL), *wrong_structure(connection)]


def paced(connection: apsw.Connection, pace: Pace) -> None:
    """Let ``pace`` be called again and again while SQLite works on a connection."""

    def step() -> bool:
        pace()
        return False

    connection.set_progress_handler(step, STEPS)
