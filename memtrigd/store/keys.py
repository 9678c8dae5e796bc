"""Secret keys, each 32 random bytes in a file: one for each level's audit, one that seals what MCP clients carry."""

import contextlib
import os
from pathlib import Path
from typing import Final

from memtrigd.domain.errors import Refusal
from memtrigd.store.files import keep_private, sync_directory, write_private

KEY_BYTES: Final = 32


def create(path: Path) -> bytes:
    """Make a new key, mode 0600, on disk before it returns. The caller knows that ``path`` does not exist.

    It is written beside its place and renamed, so that a crash leaves a whole key or none.
    """
    key = os.urandom(KEY_BYTES)
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    write_private(draft, key)
    draft.rename(path)
    sync_directory(path.parent)
    return key


def load(path: Path) -> bytes:
    """Read a key and keep it private. Raises Refusal ``level_unavailable`` if it is missing or not a key."""
    key = read(path)
    keep_private(path)
    return key


def read(path: Path) -> bytes:
    """Read a key and change nothing. Raises as ``load``."""
    try:
        key = path.read_bytes()
    except OSError as error:
        raise _unusable(path, error.strerror or "unreadable") from None
    if len(key) != KEY_BYTES:
        raise _unusable(path, f"{len(key)} bytes instead of {KEY_BYTES}")
    return key


def kept(path: Path) -> bytes:
    """The key of a file that may be made anew: what it sealed is lost then, and nothing else.

    Where none can be kept there is one for this run.
    """
    with contextlib.suppress(Refusal):
        return load(path)
    try:
        return create(path)
    except OSError:
        return os.urandom(KEY_BYTES)


def _unusable(path: Path, why: str) -> Refusal:
    return Refusal(
        "level_unavailable",
        f"The audit key keys/{path.name} can't be used: {why}.",
        "Restore it from a backup: a new key could not vouch for the old journal.",
    )
