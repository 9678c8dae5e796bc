"""How each SQLite connection is set up: one small function per setting, each with its reason."""

from collections.abc import Callable
from typing import Final, TypeAlias

import apsw

Setting: TypeAlias = Callable[[apsw.Connection], None]

PATIENCE_MS: Final = 1000
"""How long the writer waits for a lock that another process holds; all levels wait with it."""
READ_PATIENCE_MS: Final = 100
"""How long a reader waits: it may run on the loop's thread, and in WAL mode only recovery makes it wait at all."""


def write_ahead_log(connection: apsw.Connection) -> None:
    """Readers never wait for the writer, and a commit is one append and one fsync."""
    connection.pragma("journal_mode", "wal")


def synchronous_full(connection: apsw.Connection) -> None:
    """A commit is on the disk before it returns. NORMAL lost acknowledged rows in power-cut tests, FULL none."""
    connection.pragma("synchronous", "full")


def bounded_log(connection: apsw.Connection) -> None:
    """After a checkpoint the log shrinks again to 64 MiB, however large one burst made it."""
    connection.pragma("journal_size_limit", 64 << 20)


def secure_delete(connection: apsw.Connection) -> None:
    """Deleted bytes are overwritten with zeros: what is erased is not left in free pages."""
    connection.pragma("secure_delete", "on")


def foreign_keys(connection: apsw.Connection) -> None:
    """References are enforced; SQLite leaves them off for the sake of programs from before 2009."""
    connection.pragma("foreign_keys", "on")


def patience(connection: apsw.Connection) -> None:
    """Wait a moment for somebody's lock before giving up: a shell that looks at the file is soon gone."""
    connection.set_busy_timeout(PATIENCE_MS)


def read_patience(connection: apsw.Connection) -> None:
    """Wait, but not so long that the loop's other clients would notice."""
    connection.set_busy_timeout(READ_PATIENCE_MS)


def query_only(connection: apsw.Connection) -> None:
    """A second bar on a handle that is opened read-only: no statement may write, not even to attached files."""
    connection.pragma("query_only", "on")


def untrusted_schema(connection: apsw.Connection) -> None:
    """A file that somebody tampered with can't run functions with side effects from its triggers or views."""
    connection.pragma("trusted_schema", "off")


def cell_size_check(connection: apsw.Connection) -> None:
    """Damage in a page is found when the page is read, not when it has spread."""
    connection.pragma("cell_size_check", "on")


def defensive(connection: apsw.Connection) -> None:
    """No statement can edit the schema table or the shadow tables of the index, which could corrupt the file."""
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)


def quotes_are_names(connection: apsw.Connection) -> None:
    """A misspelt name in double quotes is an error, not silently a string."""
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)


def cache(connection: apsw.Connection) -> None:
    """4 MiB of pages. 16 measured the same; a mapped file is not used: there a disk error is a SIGBUS."""
    connection.pragma("cache_size", -(4 << 10))


def read_cache(connection: apsw.Connection) -> None:
    """1 MiB: there are dozens of handles that read, and the system has the pages as well."""
    connection.pragma("cache_size", -(1 << 10))


COMMON: Final = (untrusted_schema, cell_size_check, defensive, quotes_are_names)
WRITER: Final = (patience, *COMMON, cache, write_ahead_log, synchronous_full, bounded_log, secure_delete, foreign_keys)
READER: Final = (read_patience, *COMMON, read_cache, query_only)
