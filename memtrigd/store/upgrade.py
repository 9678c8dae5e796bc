"""A backup before any file's schema is brought up to date: what a newer memtrigd wrote no older one can read."""

import time
from pathlib import Path

import memtrigd
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store import backup, control
from memtrigd.store.manifest import Manifest
from memtrigd.store.schema import CONTROL, LEVELS, Schema
from memtrigd.store.sqlite_level import file_name

WHY = "migration"


def copy_first(state: Path) -> Manifest | None:
    """Back up all levels if a file has an older schema than this program writes; None where none has.

    Raises Refusal ``disk_full`` where there is no room: nothing is brought up to date then. A file that can't be read
    is none that will be written: its level says so when it is opened.
    """
    levels = [level for level in Level if (state / file_name(level)).exists()]
    older = [
        _is_older(state / control.FILE, CONTROL),
        *(_is_older(state / file_name(each), LEVELS[each]) for each in levels),
    ]
    if not any(older) or not levels:
        return None
    try:
        return backup.take(state, at=time.time_ns() // 1000, why=WHY, server=memtrigd.__version__, levels=levels)
    except Refusal as refusal:
        if refusal.code == "disk_full":
            raise
        return None


def _is_older(path: Path, schema: Schema) -> bool:
    """Look at the header: nothing may be opened yet that could be a foreign file."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError:
        return False
    ours = len(header) == 100 and int.from_bytes(header[68:72], "big") == schema.application_id
    return ours and 0 < int.from_bytes(header[60:64], "big") < schema.version
