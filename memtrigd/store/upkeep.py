"""What is done to one level's file between transactions, alone on the writer's thread."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store import gaps, lexicon_parts, pragmas
from memtrigd.store.files import sync_file
from memtrigd.store.lexicon_parts import Part
from memtrigd.store.sqlite_level import file_name

PATIENCE: Final = 2.0
"""Seconds that a scrub waits for readers of an old state of the file; whoever writes goes on meanwhile."""
HOLD_MS: Final = 20
"""How long each try waits for them, and every writer with it."""
MERGED: Final = 32
"""Pages of the index that a step puts together: some 10 ms."""
WALKED: Final = 4 * gaps.PIECE
"""Bytes of the file that a step walks through: some 5 ms; 50 where every gap holds something."""


class SqliteUpkeep:
    """The Upkeep of one file."""

    def __init__(self, connection: apsw.Connection, level: Level) -> None:
        self._connection = connection
        self._level = level

    def scrub(self) -> Iterator[None]:
        """Let nothing deleted remain: not in the index, where it is only marked as gone, nor in gaps or the log."""
        yield from self._merge()
        if self._connection.pragma("page_count") > gaps.MOST_PAGES:
            self._connection.execute("VACUUM")
            yield from self._fold()
            return
        at: int | None = 0
        while at is not None:
            yield from self._fold()
            at = self._clear(at)
            if at is not None:
                yield

    def _merge(self) -> Iterator[None]:
        """Put together each part of the index of which anything was deleted by now, with whatever else it takes."""
        owed = {part for part, deleted in self._parts().items() if deleted}
        negative = True
        while owed:
            with self._alone():
                moved = self._merge_some(-MERGED if negative else MERGED)
            owed &= self._parts().keys()
            negative = not moved  # what is newer may keep FTS5 from going on with what a negative number began
            if owed:
                yield

    def _merge_some(self, pages: int) -> bool:
        before = self._connection.total_changes()
        self._connection.execute("INSERT INTO lexicon (lexicon, rank) VALUES ('merge', ?)", (pages,))
        return self._connection.total_changes() - before >= 2

    def _parts(self) -> dict[Part, bool]:
        ((structure,),) = self._connection.execute(lexicon_parts.STRUCTURE)
        assert isinstance(structure, bytes)
        return lexicon_parts.parts(structure)

    def _fold(self) -> Iterator[None]:
        """Fold the log in and empty it. Raises Refusal ``store_locked`` if somebody reads an old state for too long."""
        deadline = time.monotonic() + PATIENCE
        while not self._folded():
            if time.monotonic() > deadline:
                raise Refusal(
                    "store_locked",
                    f"Somebody reads an old state of {file_name(self._level)}: its log still holds what was erased.",
                    "Say the same again in a moment.",
                    retryable=True,
                )
            yield
        try:  # SQLite does not make it last that the log is empty, and a power cut would bring back what was erased
            sync_file(Path(self._connection.filename_wal))
        except OSError as error:
            raise apsw.IOError(f"fsync of the log of {file_name(self._level)}: {error.strerror}") from error

    def _folded(self) -> bool:
        self._connection.set_busy_timeout(HOLD_MS)
        try:
            busy, _, _ = next(self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
            return not busy
        finally:
            pragmas.patience(self._connection)

    def _clear(self, at: int) -> int | None:
        """Clear the gaps of some of the file, from a byte on; return where the next step begins, None at the end.

        The file is all there is of the store, for the log is empty and nobody writes.
        """
        with self._alone():
            if Path(self._connection.filename_wal).stat().st_size:  # somebody else's, since it was folded in
                return at
            file = self._file()
            try:
                size = file.xFileSize()
                end = min(at + WALKED, size)
                found = gaps.clear(file, at, end)
            finally:
                file.xClose()
        if found:  # what the cache has of these pages would come back with the next change of them
            self._connection.release_memory()
        return end if end < size else None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep whoever else might write the file away meanwhile; what is done by SQLite is one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _file(self) -> apsw.VFSFile:
        flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0]
        return apsw.VFSFile(self._connection.open_vfs, self._connection.filename, flags)
