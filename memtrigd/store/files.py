"""Files and directories under the state directory: for us alone, and still there after a power cut."""

import os
import shutil
import stat
from io import BufferedWriter
from pathlib import Path
from typing import Final

PIECE: Final = 1 << 20
"""Bytes that are copied at a time."""


def keep_private(path: Path, mode: int = 0o600) -> None:
    """Give ``path`` this mode where it has another one: a file that may not be changed can still be as it should."""
    if stat.S_IMODE(path.stat().st_mode) != mode:
        path.chmod(mode)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable: a new file's own fsync does not."""
    _sync(path, os.O_DIRECTORY)


def sync_file(path: Path) -> None:
    """Make durable what somebody else wrote into a file."""
    _sync(path, 0)


def write_private(path: Path, content: bytes) -> None:
    """Write a new file, mode 0600 whatever the umask, and sync it. Its name is durable once its directory is synced."""
    with _new(path) as file:
        file.write(content)
        _settle(file)


def copy_private(source: Path, target: Path) -> None:
    """Copy a file into a new one, as ``write_private``, however large it is."""
    with source.open("rb") as content, _new(target) as file:
        shutil.copyfileobj(content, file, PIECE)
        _settle(file)


def _new(path: Path) -> BufferedWriter:
    file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    os.fchmod(file.fileno(), 0o600)
    return file


def _settle(file: BufferedWriter) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, os.O_RDONLY | flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
