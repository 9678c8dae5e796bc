"""All files of one daemon: the four levels, their keys, control.db, and the lock that keeps a second daemon out."""

import fcntl
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

import apsw

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store import keys
from memtrigd.store.control import ControlReader, ControlWriter
from memtrigd.store.database import create, open_reader, open_writer
from memtrigd.store.schema import CONTROL, LEVELS
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.sqlite_writer import SqliteLevelWriter


class Vault:
    """The open store. ``unavailable`` tells for each level that can't be used why; the others work without it."""

    def __init__(self, state: Path, lock: int) -> None:
        self.unavailable: dict[Level, Refusal] = {}
        self._state = state
        self._lock = lock
        self._readers: list[apsw.Connection] = []
        self._writers: dict[Level, SqliteLevelWriter] = {}
        self._keys: dict[Level, bytes] = {}
        self._control = self._open_control()
        for level in Level:
            try:
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
            directory.chmod(0o700)
        lock = _acquire(state / "daemon.lock")
        try:
            return cls(state, lock)
        except BaseException:
            os.close(lock)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def readers(self) -> Mapping[Level, SqliteLevelReader]:
        """A fresh set of read-only handles, one for each usable level, for the calling thread."""
        return {level: SqliteLevelReader(self._read(_file(level)), level, self._keys[level]) for level in self._writers}

    def control_reader(self) -> ControlReader:
        """A fresh read-only handle to control.db for the calling thread."""
        return ControlReader(self._read("control.db"))

    def writers(self) -> Mapping[Level, SqliteLevelWriter]:
        """The write handle of each usable level; for the writer's thread only."""
        return self._writers

    def control_writer(self) -> ControlWriter:
        """The write handle of control.db; for the writer's thread only."""
        return self._control

    def audit_key(self, level: Level) -> bytes:
        """The key of a level's journal. Raises Refusal ``level_unavailable``."""
        return keys.load(self._key_path(level))

    def close(self) -> None:
        """Fold every log into its database, close all handles and let go of the lock. No lane may still run."""
        for reader in self._readers:
            reader.close()
        for connection in (self._control.connection, *(writer.connection for writer in self._writers.values())):
            with suppress(apsw.Error):  # on a failed disk; the log holds all, and the next start folds it in
                connection.pragma("wal_checkpoint", "truncate")
            connection.close()
        os.close(self._lock)

    def _open_control(self) -> ControlWriter:
        path = self._state / "control.db"
        existed = path.exists()
        if not existed:
            create(path, CONTROL)
        control = ControlWriter(open_writer(path, CONTROL))
        if not existed:
            self._adopt(control)
        return control

    def _adopt(self, control: ControlWriter) -> None:
        """A lost control.db takes the sessions with it, but not the knowledge of which levels there were."""
        for level in Level:
            if (self._state / _file(level)).exists() or self._key_path(level).exists():
                control.set_setting(_created(level), "yes")

    def _open_level(self, level: Level) -> SqliteLevelWriter:
        path = self._state / _file(level)
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


def _file(level: Level) -> str:
    return f"{level.slug}.db"


def _created(level: Level) -> str:
    return f"created.{level.slug}"


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
