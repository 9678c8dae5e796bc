"""Recording what a process does to the files under a directory, in one order: SQLite's doing and Python's.

SQLite's writes, truncations, syncs, creations and deletions come through a VFS that hands all of it on to the usual
one. Python's creations, renames and deletions come from an audit hook, its syncs from ``os.fsync``. What Python writes
is taken from the file when it is synced or renamed: until then it is not on the disk for certain, and torn at will.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import apsw
from msgspec import Struct


class Create(Struct, frozen=True):
    """A new name, of a new empty file; ``directory`` of a new directory."""

    path: str
    directory: bool = False


class Rename(Struct, frozen=True):
    """A file or directory gets another name; what had that before is gone."""

    path: str
    to: str


class Remove(Struct, frozen=True):
    """A name is gone."""

    path: str


class Write(Struct, frozen=True):
    """Bytes at an offset."""

    path: str
    at: int
    data: bytes


class Content(Struct, frozen=True):
    """All that a file holds, as Python wrote it."""

    path: str
    data: bytes


class Truncate(Struct, frozen=True):
    """A file gets another size."""

    path: str
    size: int


class Sync(Struct, frozen=True):
    """All that was done to a file before, or to the names in a directory, is on the disk."""

    path: str


class Mark(Struct, frozen=True):
    """Something that was promised to somebody by now."""

    number: int


Step: TypeAlias = Create | Rename | Remove | Write | Content | Truncate | Sync | Mark

_SYNCS_ITS_NAME = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL | apsw.SQLITE_OPEN_WAL
"""Files whose directory SQLite syncs with their first sync (UNIXFILE_DIRSYNC)."""


class Recorder:
    """What happens under a directory while it is recording; ``steps`` has it in order."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._root: str | None = None
        self._by_sqlite: set[str] = set()
        self._fsync = os.fsync
        self._vfs = _Vfs(self)
        sys.addaudithook(self._audited)

    @contextmanager
    def recording(self, root: Path) -> Iterator[list[Step]]:
        """Record what happens under ``root`` meanwhile."""
        self.steps, self._by_sqlite = [], set()
        self._root = os.path.realpath(root)
        os.fsync = self._synced
        try:
            yield self.steps
        finally:
            os.fsync = self._fsync
            self._root = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Look aside."""
        root, self._root = self._root, None
        try:
            yield
        finally:
            self._root = root

    def note(self, step: Step) -> None:
        """Keep a step of SQLite's, if it is within the directory."""
        if not isinstance(step, Mark) and self.within(step.path):
            self._by_sqlite.add(step.path)
            self.steps.append(step)

    def within(self, path: str) -> bool:
        """Whether a path is one that is recorded: the directory itself or what is in it."""
        return self._root is not None and (path == self._root or path.startswith(self._root + os.sep))

    def _audited(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Python is about to change names."""
        if self._root is None:
            return
        match event, arguments:
            case "open", (str() | os.PathLike() | bytes() as path, _, int(flags)) if flags & os.O_CREAT:
                self._named(path, None, directory=False)
            case "os.mkdir", (path, _, int(at)):
                self._named(path, at, directory=True)
            case "os.rename", (path, to, int(at), int(to_at)):
                self._renamed(_absolute(path, at), _absolute(to, to_at))
            case "os.remove" | "os.rmdir", (path, int(at)):
                gone = _absolute(path, at)
                if self.within(gone) and os.path.lexists(gone):
                    self.steps.append(Remove(gone))
                    self._by_sqlite.discard(gone)

    def _named(self, path: Any, at: int | None, *, directory: bool) -> None:
        made = _absolute(path, at)
        if self.within(made) and not os.path.lexists(made):
            self.steps.append(Create(made, directory))

    def _renamed(self, path: str, to: str) -> None:
        if self.within(path) and os.path.lexists(path):
            if os.path.isfile(path) and path not in self._by_sqlite:
                self.steps.append(Content(path, _read(path)))
            if path in self._by_sqlite:
                self._by_sqlite.add(to)
            self._by_sqlite.discard(path)
            self.steps.append(Rename(path, to))

    def _synced(self, descriptor: int) -> None:
        self._fsync(descriptor)
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        if not self.within(path):
            return
        if os.path.isfile(path) and path not in self._by_sqlite:
            self.steps.append(Content(path, _read(path)))
        self.steps.append(Sync(path))


class _Vfs(apsw.VFS):
    """The usual VFS, watched. It is the default from then on, for this process has no other way to open files."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._base = apsw.vfs_names()[0]
        super().__init__("recording", self._base, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> "_File":
        path = os.path.realpath(name.filename() if isinstance(name, apsw.URIFilename) else name) if name else ""
        new = self._recorder.within(path) and not os.path.lexists(path)
        file = _File(self._recorder, self._base, name, flags, path)
        if new and os.path.lexists(path):
            file.names_itself = bool(flags[0] & _SYNCS_ITS_NAME)
            self._recorder.note(Create(path))
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        path = os.path.realpath(filename)
        self._recorder.note(Remove(path))
        if syncdir:
            self._recorder.note(Sync(os.path.dirname(path)))


class _File(apsw.VFSFile):
    """A file of SQLite's, watched."""

    names_itself = False

    def __init__(self, recorder: Recorder, base: str, name: Any, flags: list[int], path: str) -> None:
        self._recorder = recorder
        self._path = path
        super().__init__(base, name, flags)

    def xWrite(self, data: Any, offset: int) -> None:
        super().xWrite(data, offset)
        self._recorder.note(Write(self._path, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._recorder.note(Truncate(self._path, newsize))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._recorder.note(Sync(self._path))
        if self.names_itself:
            self.names_itself = False
            self._recorder.note(Sync(os.path.dirname(self._path)))


def _absolute(path: Any, at: int | None) -> str:
    """The full path of a name, below an open directory where there is one."""
    name = os.fsdecode(path)
    if at is not None and at >= 0:
        name = os.path.join(os.readlink(f"/proc/self/fd/{at}"), name)
    return os.path.join(os.path.realpath(os.path.dirname(name) or "."), os.path.basename(name))


def _read(path: str) -> bytes:
    return Path(path).read_bytes()
