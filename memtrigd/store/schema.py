"""The kinds of file and their schemas: one file per level, and control.db, which names no content."""

from collections.abc import Callable
from typing import Final, TypeAlias

import apsw
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.store import schema_level

Step: TypeAlias = Callable[[apsw.Connection], None]
"""What turns a schema of one version into the next; it runs inside a transaction of its own."""


class Schema(Struct, frozen=True):
    """A kind of file: ``application_id`` marks it (SQLite header, offset 68), step n makes version n of n - 1."""

    application_id: int
    steps: tuple[Step, ...]

    @property
    def version(self) -> int:
        """The newest version that this program knows."""
        return len(self.steps)


def _control_1(connection: apsw.Connection) -> None:
    connection.execute(_CONTROL)


def _control_2(connection: apsw.Connection) -> None:
    connection.execute(_UNTRUSTED)


_UNTRUSTED: Final = """
ALTER TABLE session ADD COLUMN untrusted INTEGER NOT NULL DEFAULT 0 CHECK (untrusted IN (0, 1));
CREATE TRIGGER distrust_never_ends BEFORE UPDATE OF untrusted ON session
WHEN new.untrusted < old.untrusted BEGIN SELECT RAISE (ABORT, 'distrust never ends'); END;
"""
_CONTROL: Final = """
CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    id           TEXT PRIMARY KEY,
    token_hash   BLOB NOT NULL UNIQUE,
    agent        TEXT,
    conversation TEXT,
    space        TEXT,
    origin       TEXT NOT NULL,
    start_level  INTEGER NOT NULL,
    level        INTEGER NOT NULL,
    ceiling      INTEGER NOT NULL,
    opened       INTEGER NOT NULL,
    seen         INTEGER NOT NULL,
    ended        INTEGER,
    hearing      TEXT NOT NULL DEFAULT 'none',
    CHECK (start_level <= level AND level <= ceiling)
) STRICT;
CREATE TRIGGER taint_never_falls BEFORE UPDATE OF level, ceiling ON session
WHEN new.level < old.level OR new.ceiling > old.ceiling BEGIN SELECT RAISE (ABORT, 'taint never falls'); END;

CREATE TABLE raised (
    session    TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    from_level INTEGER NOT NULL,
    to_level   INTEGER NOT NULL,
    at         INTEGER NOT NULL
) STRICT;
CREATE INDEX raised_of ON raised (session, at);
"""

_LEVEL: Final = (
    schema_level.first,
    schema_level.second,
    schema_level.third,
    schema_level.fourth,
    schema_level.fifth,
)
LEVELS: Final = {level: Schema(0x4D545230 + level, _LEVEL) for level in Level}
"""Each level has a mark of its own ("MTR0" to "MTR3"), so that no file can be served as that of another level."""
VERSION: Final = LEVELS[Level.PUBLIC].version
"""The schema version of the levels' files."""
CONTROL: Final = Schema(0x4D545243, (_control_1, _control_2))  # "MTRC"
