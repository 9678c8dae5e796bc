"""All files of one daemon: the four levels, their keys, control.db, and the lock that keeps a second daemon out."""

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

import apsw

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store import control, keys, restore, upgrade, verification
from memtrigd.store.audit import Head
from memtrigd.store.control import SqliteControlReader, SqliteControlWriter
from memtrigd.store.database import create, open_reader, open_writer
from memtrigd.store.faults import unusable
from memtrigd.store.files import keep_private
from memtrigd.store.inspection import TermsOf
from memtrigd.store.manifest import Manifest
from memtrigd.store.restore import Intent
from memtrigd.store.schema import CONTROL, LEVELS
from memtrigd.store.sqlite_level import SqliteLevelReader, file_name
from memtrigd.store.sqlite_writer import SqliteLevelWriter
from memtrigd.store.statements import COUNT
from memtrigd.store.verification import Pace

LOCK: Final = "daemon.lock"
CONTROL_BACK: Final = (
    "It was left as it is. `memtrigctl restore --control` puts that of the newest sound backup in its place."
)


class Vault:
    """The open store. ``unavailable`` tells for each level that can't be used why; the others work without it.

    ``restored`` is the restore that this start finished, ``before`` the backup that it made before it brought files up
    to date. ``poison`` is the first error of the disk, as the writer met it: from then on nothing may be written, by
    nobody.
    """

    def __init__(self, state: Path, lock: int) -> None:
        self.unavailable: dict[Level, Refusal] = {}
        self.poison: Exception | None = None
        self.restored: Intent | None = None
        self.before: Manifest | None = None
        self._state = state
        self._lock = lock
        self._readers: list[apsw.Connection] = []
        self._writers: dict[Level, SqliteLevelWriter] = {}
        self._keys: dict[Level, bytes] = {}
        self._control = self._open_control_or_tell()
        for level in Level:
            try:
                with unusable(file_name(level)):
                    self._writers[level] = self._open_level(level)
            except Refusal as refusal:
                self.unavailable[level] = refusal

    @classmethod
    def open(cls, state: Path) -> Self:
        """Open or make everything under ``state``, private whatever the umask.

        Raises Refusal ``store_locked`` if another daemon has it, and ``level_unavailable`` if control.db is unusable.
        """
        for directory in (state, state / "keys"):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            keep_private(directory, 0o700)
        lock = _acquire(state / LOCK)
        try:
            restored = restore.swap(state)
            before = upgrade.copy_first(state)
            vault = cls(state, lock)
            vault.restored, vault.before = restored, before
            if restored is not None:
                restore.settle(state, restored, vault.writers(), vault.control_writer())
            return vault
        except BaseException:
            os.close(lock)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def readers(self) -> Mapping[Level, SqliteLevelReader]:
        """A fresh set of read-only handles, one for each usable level, for the calling thread."""
        handles = {}
        for level in self._writers:
            try:
                handles[level] = SqliteLevelReader(self._read(file_name(level)), level, self._keys[level])
            except Refusal as refusal:
                self.unavailable[level] = refusal
        return handles

    def control_reader(self) -> SqliteControlReader:
        """A fresh read-only handle to control.db for the calling thread."""
        return SqliteControlReader(self._read(control.FILE))

    def writers(self) -> Mapping[Level, SqliteLevelWriter]:
        """The write handle of each usable level; for the writer's thread only."""
        return self._writers

    def control_writer(self) -> SqliteControlWriter:
        """The write handle of control.db; for the writer's thread only."""
        return self._control

    def verify(
        self, level: Level, heads: Iterable[Head] = (), terms_of: TermsOf | None = None, pace: Pace = lambda: None
    ) -> list[str]:
        """The problems of a level's file, journal and index, also against where control.db says that the journal ended.

        None when sound. Raises Refusal ``level_unavailable``. For any thread: it has handles of its own.
        """
        return verification.verify(self._state, level, heads=heads, terms_of=terms_of, pace=pace)

    def verify_control(self, pace: Pace = lambda: None) -> list[str]:
        """The problems of control.db; none when sound. For any thread."""
        return verification.verify_control(self._state, pace)

    def brought_up_to_date(self) -> dict[Level, tuple[int, int]]:
        """How many memories each level had before this start brought it up to date, and has now; none if it did not."""
        found = {}
        for level in self.before.levels if self.before is not None else ():
            if level in self._writers and self.before is not None:
                counts = self.before.parts[file_name(level)].counts
                before = counts.get("memory", 0) + counts.get("archive", 0)
                ((after,),) = self._writers[level].connection.execute(COUNT)
                found[level] = before, int(str(after))
        return found

    def close(self) -> None:
        """Fold every log into its database, close all handles and let go of the lock. No lane may still run.

        What is damaged stays as it is, and after an error of the disk everything: the log holds all that was
        acknowledged, and only a new process can tell what of it the disk has.
        """
        for reader in self._readers:
            reader.close()
        if self.poison is None:
            self._anchor()
        _close(self._control.connection, fold=self.poison is None)
        for level, writer in self._writers.items():
            _close(writer.connection, fold=self.poison is None and level not in self.unavailable)
        os.close(self._lock)

    def _anchor(self) -> None:
        """Keep in control.db where each journal ends: what is cut off it from now on is missed."""
        for level, writer in self._writers.items():
            with suppress(apsw.Error, Refusal):  # damaged, or the disk is full: the last anchor stays
                end = writer.journal_end()
                if level not in self.unavailable and end[0] and end != self._control.journal_end(level):
                    self._control.keep_journal_end(level, *end)

    def _open_control_or_tell(self) -> SqliteControlWriter:
        """Without it nobody knows who may see what, so the daemon does not start. Raises Refusal with the way back."""
        try:
            with unusable(control.FILE):
                return self._open_control()
        except Refusal as refusal:
            if refusal.code != "level_unavailable" or refusal.message.startswith("schema_newer"):
                raise  # it passes by itself, or a newer memtrigd reads it
            raise Refusal(refusal.code, refusal.message, CONTROL_BACK) from refusal

    def _open_control(self) -> SqliteControlWriter:
        path = self._state / control.FILE
        existed = path.exists()
        if not existed:
            create(path, CONTROL)
        writer = SqliteControlWriter(open_writer(path, CONTROL))
        if not existed:
            self._adopt(writer)
        return writer

    def _adopt(self, writer: SqliteControlWriter) -> None:
        """A lost control.db takes the sessions with it, but not the knowledge of which levels there were."""
        for level in Level:
            if (self._state / file_name(level)).exists() or self._key_path(level).exists():
                writer.set_setting(_created(level), "yes")

    def _open_level(self, level: Level) -> SqliteLevelWriter:
        path = self._state / file_name(level)
        known = self._control.setting(_created(level)) is not None
        if path.exists():
            key = keys.load(self._key_path(level))
        elif not known:
            key = self._create_level(level, path)
        else:
            raise Refusal(
                "level_unavailable",
                f"{path.name} is gone; it was there before.",
                "No empty one is put in its place. Restore it from a backup.",
            )
        writer = SqliteLevelWriter(open_writer(path, LEVELS[level]), level, key)
        if not known:
            self._control.set_setting(_created(level), "yes")
        self._keys[level] = key
        return writer

    def _create_level(self, level: Level, path: Path) -> bytes:
        """The key first: a crash in between leaves a key without a database, which the next start can use."""
        key_path = self._key_path(level)
        key = keys.load(key_path) if key_path.exists() else keys.create(key_path)
        create(path, LEVELS[level])
        return key

    def _key_path(self, level: Level) -> Path:
        return self._state / "keys" / f"{level.slug}.key"

    def _read(self, name: str) -> apsw.Connection:
        connection = open_reader(self._state / name)
        self._readers.append(connection)
        return connection


def _created(level: Level) -> str:
    return f"created.{level.slug}"


def _close(connection: apsw.Connection, *, fold: bool) -> None:
    if fold:
        with suppress(apsw.Error):  # the log holds all, and the next start folds it in
            connection.pragma("wal_checkpoint", "truncate")
    else:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.close()


@contextmanager
def alone(state: Path) -> Iterator[None]:
    """Keep every daemon off a state directory that exists. Raises Refusal ``store_locked`` if one has it."""
    lock = _acquire(state / LOCK)
    try:
        yield
    finally:
        os.close(lock)


def holder(state: Path) -> str | None:
    """The process that has a state directory, "unknown" where it does not say, None where nobody has. Changes nothing.

    For a moment a daemon that starts meanwhile would be kept off, as by another one.
    """
    try:
        lock = os.open(state / LOCK, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except BlockingIOError:
        return os.read(lock, 20).decode(errors="replace").strip() or "unknown"
    finally:
        os.close(lock)


def _acquire(path: Path) -> int:
    """Take the lock and write our pid into it. The kernel lets go when the process ends, however it ends."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.fchmod(lock, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(lock, 20).decode(errors="replace").strip() or "unknown"
        os.close(lock)
        raise Refusal(
            "store_locked",
            f"Another memtrigd (process {holder}) has this store.",
            "Stop it first, or give this one a home of its own.",
        ) from None
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    return lock
