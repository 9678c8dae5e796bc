"""Replicas of the whole store, to try things out on: as it is, and as it would be had some levels never been."""

import os
import shutil
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import apsw

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store import control
from memtrigd.store.database import open_reader
from memtrigd.store.faults import unusable
from memtrigd.store.files import sync_directory, sync_file
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.verification import Pace

PAGES: Final = 256
"""Copied at once: 1 MiB."""
RESERVE: Final = 64 << 20
"""Bytes that are left free on the disk, for those who write meanwhile."""


def replicate(state: Path, whole: Path, lower: Path, above: Iterable[Level], pace: Pace) -> None:
    """Copy the store to ``whole``, and to ``lower`` as it would be without the levels ``above``. Nothing else is there.

    Raises Refusal ``disk_full``, or ``level_unavailable`` for a file that can't be read: half a store proves nothing.
    """
    files = [control.FILE, *map(file_name, Level)]
    size = sum((state / name).stat().st_size for name in files if (state / name).exists())
    if shutil.disk_usage(state).free < 2 * size + RESERVE:
        raise Refusal(
            "disk_full",
            "There is no room for two copies of the store.",
            f"Free {(2 * size + RESERVE) >> 20:,} MiB and try again.",
            retryable=True,
        )
    for place in (whole, lower):
        (place / "keys").mkdir(mode=0o700, parents=True)
    for name in files:
        with unusable(name):
            _copy(state / name, whole / name, pace)
    for level in Level:
        shutil.copy2(state / "keys" / f"{level.slug}.key", whole / "keys")
    dropped = frozenset(above)
    for level in Level:
        if level not in dropped:
            shutil.copy2(whole / file_name(level), lower)
            shutil.copy2(whole / "keys" / f"{level.slug}.key", lower / "keys")
    shutil.copy2(whole / control.FILE, lower)
    _unlearn(lower / control.FILE, dropped)


def keep_pages(state: Path, level: Level, target: Path, pace: Pace) -> None:
    """Copy a level's file page by page, sound or not, and its key, into ``target``. Raises Refusal ``disk_full``."""
    name, key = file_name(level), f"keys/{level.slug}.key"
    if shutil.disk_usage(state).free < (state / name).stat().st_size + RESERVE:
        raise Refusal("disk_full", f"There is no room for a copy of {name}.", "Free some space.", retryable=True)
    (target / "keys").mkdir(mode=0o700, parents=True, exist_ok=True)
    with unusable(name):
        _copy(state / name, target / name, pace)
    sync_file(target / name)
    shutil.copy2(state / key, target / key)
    sync_directory(target)


def _copy(source: Path, target: Path, pace: Pace) -> None:
    """Copy a database as it is at this moment, log included."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with closing(open_reader(source)) as reading:
        reading.execute("BEGIN")
        reading.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # that pins the state
        with closing(apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)) as writing:
            with writing.backup("main", reading, "main") as copying:
                while not copying.done:
                    copying.step(PAGES)
                    pace()
            with suppress(apsw.Error):
                writing.pragma("journal_mode", "delete")


def _unlearn(path: Path, levels: frozenset[Level]) -> None:
    """Take out of control.db all that is there because of some levels: their sessions, and what is kept of each."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        connection.pragma("foreign_keys", "on")
        for level in levels:
            connection.execute("DELETE FROM session WHERE level = ? OR ceiling = ?", (int(level), int(level)))
            connection.execute("DELETE FROM setting WHERE name GLOB ?", (f"*.{level.slug}",))
