"""Whether a backup is what it was when it was taken: file by file, row by row, and its journals by their keys."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store import audit, control, keys
from memtrigd.store.backup import Pace, describe, faults_of
from memtrigd.store.control import SqliteControlReader
from memtrigd.store.manifest import KEYS, Manifest, Part, open_copy, sha256
from memtrigd.store.schema import CONTROL, LEVELS
from memtrigd.store.sqlite_level import file_name

BOTH: Final = None
"""In place of a level: control.db, which all of them need."""


def verify(
    place: Path, manifest: Manifest, levels: Iterable[Level] | None = None, *, pace: Pace = lambda: None
) -> dict[Level | None, list[str]]:
    """What is wrong with a backup, for each level that it holds, or that is named, and for control.db (None).

    Sentences that name files and numbers, no contents. It reads all of it; nothing is written, and nothing left.
    """
    wanted = manifest.levels if levels is None else [level for level in levels if level in manifest.levels]
    found: dict[Level | None, list[str]] = {BOTH: _wrong(place, control.FILE, manifest, None, pace)}
    for level in wanted:
        found[level] = _wrong(place, file_name(level), manifest, level, pace)
    return found


def _wrong(place: Path, file: str, manifest: Manifest, level: Level | None, pace: Pace) -> list[str]:
    part = manifest.parts.get(file)
    if part is None:
        return [f"{file} is not in it."]
    try:
        found = _wrong_bytes(place, file, manifest, level)
        if found:
            return found
        with closing(open_copy(place / file)) as connection:
            return _wrong_rows(connection, file, part, level, pace) or _wrong_journal(connection, place, level)
    except (OSError, apsw.Error, Refusal) as error:
        return [f"{file} can't be read ({type(error).__name__})."]


def _wrong_bytes(place: Path, file: str, manifest: Manifest, level: Level | None) -> list[str]:
    wrong = [] if sha256(place / file) == manifest.parts[file].sha256 else [f"{file} is not the file that was written."]
    if level is not None:
        key = f"{level.slug}.key"
        if sha256(place / KEYS / key) != manifest.keys.get(key):
            wrong.append(f"keys/{key} is not the key that was written.")
    return wrong


def _wrong_rows(connection: apsw.Connection, file: str, part: Part, level: Level | None, pace: Pace) -> list[str]:
    schema = CONTROL if level is None else LEVELS[level]
    if connection.pragma("application_id") != schema.application_id:
        return [f"{file} is the database of another level or program."]
    if part.schema > schema.version:
        return [f"{file} has schema {part.schema}; this memtrigd knows {schema.version}."]
    faults = faults_of(connection, pace)
    if faults:
        return [f"{file}: {fault}." for fault in faults]
    told = msgspec.structs.replace(describe(connection, level, pace), bytes=part.bytes, sha256=part.sha256)
    return [] if told == part else [f"The rows of {file} are not those that the manifest vouches for."]


def _wrong_journal(connection: apsw.Connection, place: Path, level: Level | None) -> list[str]:
    """Problems of the journal that the key finds, and of a head that control.db has beside it."""
    if level is None:
        return []
    if connection.pragma("user_version") != LEVELS[level].version:
        return []  # the checks read the newest schema; the drill brings a copy up to date first
    with closing(open_copy(place / control.FILE)) as beside:
        kept = SqliteControlReader(beside).journal_end(level)
    known = None if kept is None else audit.Head(kept[0], bytes.fromhex(kept[1]))
    return audit.verify(connection, keys.load(place / KEYS / f"{level.slug}.key"), level, known)
