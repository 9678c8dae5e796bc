"""What is done to one level's file between transactions, alone on the writer's thread."""

import time
from pathlib import Path
from typing import Final

import apsw

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store.files import sync_file
from memtrigd.store.sqlite_level import file_name

PATIENCE: Final = 2.0
"""Seconds that a scrub waits for readers of an old state of the file."""


class SqliteUpkeep:
    """The Upkeep of one file."""

    def __init__(self, connection: apsw.Connection, level: Level) -> None:
        self._connection = connection
        self._level = level

    def scrub(self) -> None:
        """Let nothing deleted remain: not in the index, where it is only marked as gone, nor in free pages or the log.

        The index keeps the terms of what left it until its parts are merged. Rows are overwritten as they are deleted
        (secure_delete), but not the copies that a page keeps of rows that moved to another when it was split: 9 of
        1600 erased rows had one. So the file is written anew. Raises Refusal ``store_locked`` if somebody reads an old
        state for too long.
        """
        self._connection.execute("INSERT INTO lexicon (lexicon) VALUES ('optimize')")
        self._connection.execute("VACUUM")
        deadline = time.monotonic() + PATIENCE
        while True:
            busy, _, _ = next(self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
            if not busy:
                return self._sync_log()
            if time.monotonic() > deadline:
                raise Refusal(
                    "store_locked",
                    f"Somebody reads an old state of {file_name(self._level)}: its log still holds what was erased.",
                    "Say the same again in a moment.",
                    retryable=True,
                )
            time.sleep(0.02)

    def _sync_log(self) -> None:
        """Make it last that the log is empty: SQLite does not, and a power cut would bring back what was erased."""
        try:
            sync_file(Path(self._connection.filename_wal))
        except OSError as error:
            raise apsw.IOError(f"fsync of the log of {file_name(self._level)}: {error.strerror}") from error
