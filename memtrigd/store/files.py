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
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
