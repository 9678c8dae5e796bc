"""A backup before any file's schema is brought up to date: what a newer memtrigd wrote no older one can read."""

import time
from contextlib import closing
from pathlib import Path

import apsw

import memtrigd
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store import backup, control
from memtrigd.store.database import open_reader
from memtrigd.store.manifest import Manifest, listing, without
from memtrigd.store.schema import CONTROL, LEVELS, Schema
from memtrigd.store.sqlite_level import file_name

WHY = "migration"


def copy_first(state: Path) -> Manifest | None:
    """Back up all levels if a file has an older schema than this program writes; None where none has.

    A file that could not be brought up to date at an earlier start, and is still as that start backed it up, needs no
    other backup: then it is that one which is returned, with these files' levels alone. Raises Refusal ``disk_full``
    where there is no room: nothing is brought up to date then. A file that can't be read is none that will be
    written: its level says so when it is opened.
    """
    levels = [level for level in Level if (state / file_name(level)).exists()]
    older: list[Level | None] = [level for level in levels if _is_older(state / file_name(level), LEVELS[level])]
    older += [None] if _is_older(state / control.FILE, CONTROL) else []
    if not older or not levels:
        return None
    last = next((each for each in listing(backup.backups_of(state))[0] if each.why == WHY), None)
    if last is not None and all(_is_as_kept(state, last, of) for of in older):
        return without(last, frozenset(Level).difference(each for each in older if each is not None))
    try:
        return backup.take(state, at=time.time_ns() // 1000, why=WHY, server=memtrigd.__version__, levels=levels)
    except Refusal as refusal:
        if refusal.code == "disk_full":
            raise
        return None


def _is_as_kept(state: Path, manifest: Manifest, of: Level | None) -> bool:
    """Tell whether a file has the rows that a backup has of it, or is one that could not be backed up then either."""
    name = control.FILE if of is None else file_name(of)
    part = manifest.parts.get(name)
    try:
        with closing(open_reader(state / name)) as connection:
            now = backup.describe(connection, of)
    except (Refusal, apsw.Error):
        return part is None
    return part is not None and (now.schema, now.digests) == (part.schema, part.digests)


def _is_older(path: Path, schema: Schema) -> bool:
    """Look at the header: nothing may be opened yet that could be a foreign file."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError:
        return False
    ours = len(header) == 100 and int.from_bytes(header[68:72], "big") == schema.application_id
    return ours and 0 < int.from_bytes(header[60:64], "big") < schema.version
