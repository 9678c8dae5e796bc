"""Opening SQLite files: never a foreign one, never a torn one, never an empty one in place of a lost one."""

import os
from pathlib import Path
from typing import Final

import apsw

from memtrigd.domain.errors import Refusal
from memtrigd.store import pragmas
from memtrigd.store.faults import unusable
from memtrigd.store.files import keep_private, sync_directory
from memtrigd.store.migrations import migrate, refuse_unknown
from memtrigd.store.schema import Schema

_HEADER: Final = 100
"""Bytes of the header of a database (sqlite.org/fileformat2.html, section 1.3)."""


def create(path: Path, schema: Schema) -> None:
    """Make a new database with its schema at ``path``, mode 0600 whatever the umask, whole or not at all.

    It grows beside its place and is renamed into it, so that a crash leaves no half of one. SQLite gives its log files
    the mode of the database.
    """
    if _log(path).exists():
        raise _not_ours(path, "its log is there, but the database is not")
    draft = path.with_suffix(".new")
    for leftover in (draft, draft.with_name(draft.name + "-journal")):
        leftover.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.fchmod(descriptor, 0o600)
    os.close(descriptor)
    connection = apsw.Connection(str(draft), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        pragmas.synchronous_full(connection)
        migrate(connection, schema)
    finally:
        connection.close()
    draft.rename(path)
    sync_directory(path.parent)


def open_writer(path: Path, schema: Schema) -> apsw.Connection:
    """Open an existing database for writing and bring its schema up to date.

    Raises Refusal ``level_unavailable`` or ``store_locked``; then the file is as it was.
    """
    inspect(path, schema)
    with unusable(path.name):
        keep_private(path)
    return _open(path, apsw.SQLITE_OPEN_READWRITE, pragmas.WRITER, schema)


def open_reader(path: Path) -> apsw.Connection:
    """Open a read-only handle to a database that a writer has opened before. Raises as ``open_writer``."""
    return _open(path, apsw.SQLITE_OPEN_READONLY, pragmas.READER, None)


def sqlite_version() -> str:
    """The version of SQLite that is linked in."""
    return apsw.sqlite_lib_version()


def _open(path: Path, flags: int, settings: tuple[pragmas.Setting, ...], schema: Schema | None) -> apsw.Connection:
    with unusable(path.name):
        connection = apsw.Connection(str(path), flags=flags)
        try:
            if schema is not None:
                refuse_unknown(connection, schema, path.name)
                if connection.readonly("main"):  # SQLite falls back to that without a word
                    raise _not_ours(path, "it may not be written")
            for setting in settings:
                setting(connection)
            if schema is not None:
                migrate(connection, schema)
        except BaseException:
            connection.close()
            raise
    return connection


def inspect(path: Path, schema: Schema) -> None:
    """Look at the header with our own eyes, before SQLite may touch a file that is not ours.

    Raises Refusal ``level_unavailable``.
    """
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise _not_ours(path, error.strerror or "it can't be read") from None
    if len(header) < _HEADER or not header.startswith(b"SQLite format 3\x00"):
        raise _not_ours(path, "it is not a database")
    if int.from_bytes(header[68:72], "big") != schema.application_id:
        raise _not_ours(path, "it is the database of another program, purpose or level")
    page = int.from_bytes(header[16:18], "big")
    size = int.from_bytes(header[28:32], "big") * (1 << 16 if page == 1 else page)
    log = _log(path)  # may hold the missing pages, if a crash came before they were folded in
    if path.stat().st_size < size and not (log.exists() and log.stat().st_size):
        raise _not_ours(path, "it was cut short")


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _not_ours(path: Path, why: str) -> Refusal:
    return Refusal(
        "level_unavailable",
        f"{path.name} can't be used: {why}.",
        "It was left as it is. Move it away and restore the right file from a backup.",
    )
