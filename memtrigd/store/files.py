"""Files and directories under the state directory: for us alone, and still there after a power cut."""

import os
import stat
from pathlib import Path


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
    """Write a new file, mode 0600, and sync it. Its name is durable once its directory is synced."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, os.O_RDONLY | flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
