"""Reading files of a folder, in the process apart: from the folder down, through no link, each file whole or not."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from memtrigd.exchange.byhand import Told, Unfit, told
from memtrigd.watched.looking import MAX_BYTES, Stamp, stamp_of, strange

MOST = 64 << 20
"""Bytes that are read at one time; the rest is read at the next look."""


class Reading(Struct, frozen=True, tag="folder"):
    """Files of a folder are to be read; ``now`` in microseconds UTC."""

    root: str
    files: list[str]
    now: int


class FileRead(Struct, frozen=True):
    """What a file tells, or why it can't be taken up."""

    file: str
    stamp: Stamp
    told: list[Told] = []
    why: str | None = None


def read(work: Reading) -> list[FileRead]:
    """Read files. What is no more there, or changed meanwhile, is left out. Raises OSError for the folder itself."""
    found, room = list[FileRead](), MOST
    root = os.open(work.root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for file in work.files:
            try:
                with _opened(root, file) as descriptor:
                    status = os.fstat(descriptor)
                    room -= status.st_size
                    if room < 0:
                        break
                    each = _read(descriptor, file, status, work.now)
                    if stamp_of(os.fstat(descriptor)) == each.stamp:
                        found.append(each)
            except FileNotFoundError:
                continue
            except OSError as error:
                found.append(FileRead(file, (), why=f"can't be read: {error.strerror}"))
    finally:
        os.close(root)
    return found


def _read(descriptor: int, file: str, status: os.stat_result, now: int) -> FileRead:
    stamp = stamp_of(status)
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        return FileRead(file, stamp, why="is no regular file of a fitting size")
    why = strange(status)
    if why is not None:
        return FileRead(file, stamp, why=why)
    try:
        return FileRead(file, stamp, told(descriptor, file, now))
    except Unfit as unfit:
        return FileRead(file, stamp, why=str(unfit))


@contextmanager
def _opened(root: int, file: str) -> Iterator[int]:
    """Open a file below a folder, name by name, so that nobody leads us elsewhere by a link in between."""
    *folders, last = file.split("/")
    opened = [root]
    try:
        for each in folders:
            _check(each)
            opened.append(os.open(each, _FOLDER, dir_fd=opened[-1]))
        _check(last)
        opened.append(os.open(last, _FILE, dir_fd=opened[-1]))
        yield opened[-1]
    finally:
        for descriptor in opened[1:]:
            os.close(descriptor)


def _check(name: str) -> None:
    if name in ("", ".", "..") or "\0" in name:
        raise FileNotFoundError(name)


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
