"""Taking a backup while writes go on: snapshots of all files, copied page by page, checked, and renamed into place.

The snapshots are pinned before the first page is copied, control.db's first: so no head that it keeps is newer than
the journal it is about. What is copied is compared row by row with what was read in the snapshot.
"""

import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias

import apsw
import msgspec

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.store import audit, control, keys
from memtrigd.store.database import open_reader
from memtrigd.store.faults import refusal_for
from memtrigd.store.files import sync_directory, sync_file, write_private
from memtrigd.store.manifest import DRAFT, FILE, FORMAT, KEYS, Manifest, Part, name_at, open_copy
from memtrigd.store.manifest import sha256 as file_sha256
from memtrigd.store.migrations import version_of
from memtrigd.store.sqlite_level import file_name

PAGES: Final = 256
"""Copied at once: 1 MiB."""
ROWS: Final = 512
"""Digested at once."""
PARTIAL: Final = "-partial"
"""Ends the name of a backup that lacks a level which it was to have."""
RESERVE: Final = 32 << 20
"""Bytes that a backup leaves free on the disk, for those who write meanwhile."""

Pace: TypeAlias = Callable[[], None]
"""Called between two slices of work: it may wait, or raise to end it."""


def backups_of(state: Path) -> Path:
    """The directory of the backups of a state directory."""
    return state / "backups"


def take(
    state: Path, *, at: Micros, why: str, server: str, levels: Iterable[Level] = Level, pace: Pace = lambda: None
) -> Manifest:
    """Back up ``levels``, control.db and the keys; return the manifest of what is then there as a whole.

    A level that can't be read is left out, and ``failed`` says why. Raises Refusal ``disk_full``, or
    ``level_unavailable`` where no level at all can be read; then nothing of it is left.
    """
    levels, root = list(levels), backups_of(state)
    root.mkdir(mode=0o700, exist_ok=True)
    sweep(root)
    _room_for(state, root, levels)
    name = name_at(at, root, *(levels if len(levels) < len(Level) else ()))
    draft = root / (DRAFT + name)
    try:
        for directory in (draft, draft / KEYS):
            directory.mkdir(mode=0o700)
        manifest = Manifest(format=FORMAT, name=name, at=at, why=why, server=server, parts={}, keys={})
        manifest = _copied(state, draft, manifest, levels, pace)
        if manifest.failed:
            manifest = msgspec.structs.replace(manifest, name=name_at(at, root, *manifest.levels) + PARTIAL)
        write_private(draft / FILE, msgspec.json.format(msgspec.json.encode(manifest)))
        for directory in (draft / KEYS, draft):
            sync_directory(directory)
        draft.rename(root / manifest.name)
        sync_directory(root)
    except BaseException as error:
        shutil.rmtree(draft, ignore_errors=True)
        if isinstance(error, (apsw.Error, OSError)):
            raise _refusal(error, "the backup") from error
        raise
    return manifest


def sweep(root: Path) -> None:
    """Take away what a crash left of a backup that was being written, or being taken away."""
    for draft in root.glob(DRAFT + "*"):
        shutil.rmtree(draft, ignore_errors=True)


def remove(place: Path) -> None:
    """Take a backup away: first its name, so that no crash leaves half of one under it."""
    gone = place.with_name(DRAFT + place.name)
    shutil.rmtree(gone, ignore_errors=True)
    place.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def describe(connection: apsw.Connection, level: Level | None, pace: Pace = lambda: None) -> Part:
    """Count and digest every row of a database, the index apart; ``bytes`` and ``sha256`` are the file's to fill in."""
    tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    counts, digests = dict[str, int](), dict[str, str]()
    for table in sorted(str(name) for (name,) in connection.execute(tables)):
        counts[table], digests[table] = _digest(connection, table, pace)
    last = audit.head(connection) if level is not None else None
    journal = None if last is None else (last.seq, last.mac.hex())
    return Part(bytes=0, sha256="", schema=version_of(connection), counts=counts, digests=digests, journal=journal)


def faults_of(connection: apsw.Connection, pace: Pace = lambda: None) -> list[str]:
    """What SQLite finds wrong with the structure of a database; none when sound."""

    def go_on() -> bool:
        pace()
        return False

    connection.set_progress_handler(go_on, 1_000_000)
    try:
        found = [line for (line,) in connection.execute("PRAGMA integrity_check(10)")]
    finally:
        connection.set_progress_handler(None)
    return [] if found == ["ok"] else [f"its structure is damaged in {len(found)} places"]


def _copied(state: Path, draft: Path, manifest: Manifest, levels: list[Level], pace: Pace) -> Manifest:
    with ExitStack() as stack:
        pinned: dict[Level | None, apsw.Connection] = {None: _pinned(stack, state / control.FILE)}
        failed: dict[str, str] = {}
        for level in levels:
            try:
                _copy_key(state, draft, level)
                pinned[level] = _pinned(stack, state / file_name(level))
            except (Refusal, apsw.Error, OSError) as error:
                failed[level.slug] = _why(error, file_name(level))
        parts = dict[str, Part]()
        for of, source in pinned.items():
            file = control.FILE if of is None else file_name(of)
            try:
                parts[file] = _copy(source, draft / file, of, pace)
            except (Refusal, apsw.Error) as error:
                refusal = error if isinstance(error, Refusal) else refusal_for(error, file)
                if of is None or refusal is None or refusal.code == "disk_full":
                    raise
                failed[of.slug] = _why(error, file)
                (draft / file).unlink(missing_ok=True)
    good = [level for level in levels if file_name(level) in parts]
    if not good:
        raise Refusal("level_unavailable", "No level could be read; there is nothing to back up.", _SEE)
    for level in levels:
        if level not in good:
            (draft / KEYS / f"{level.slug}.key").unlink(missing_ok=True)
    kept = {f"{level.slug}.key": file_sha256(draft / KEYS / f"{level.slug}.key") for level in good}
    return msgspec.structs.replace(manifest, parts=parts, keys=kept, failed=failed)


def _pinned(stack: ExitStack, path: Path) -> apsw.Connection:
    """A handle that sees the file as it is now for as long as the stack lives."""
    if not path.exists():
        raise Refusal("level_unavailable", f"{path.name} is gone.", _SEE)
    connection = open_reader(path)
    stack.callback(connection.close)
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    return connection


def _copy(source: apsw.Connection, path: Path, level: Level | None, pace: Pace) -> Part:
    """Copy one pinned database and check the copy. Raises Refusal ``level_unavailable`` where it is not sound."""
    read = describe(source, level, pace)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    target = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        target.pragma("synchronous", "off")  # one fsync at the end is enough
        with target.backup("main", source, "main") as copying:
            while not copying.done:
                copying.step(PAGES)
                pace()
        target.pragma("journal_mode", "delete")  # one file, with no log beside it
    finally:
        target.close()
    sync_file(path)
    copy = open_copy(path)
    try:
        faults = faults_of(copy, pace)
        written = describe(copy, level, pace) if not faults else read
    finally:
        copy.close()
    if faults or written != read:
        says = faults[0] if faults else "the copy differs from what was read"
        raise Refusal("level_unavailable", f"{path.name} could not be copied soundly: {says}.", _SEE)
    return msgspec.structs.replace(written, bytes=path.stat().st_size, sha256=file_sha256(path))


def _digest(connection: apsw.Connection, table: str, pace: Pace) -> tuple[int, str]:
    count, digest = 0, sha256()
    for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - a name that the file itself has
        count += 1
        digest.update(msgspec.msgpack.encode(row))
        if count % ROWS == 0:
            pace()
    return count, digest.hexdigest()


def _copy_key(state: Path, draft: Path, level: Level) -> None:
    name = f"{level.slug}.key"
    write_private(draft / KEYS / name, keys.load(state / KEYS / name))


def _room_for(state: Path, root: Path, levels: list[Level]) -> None:
    """Raise ``disk_full`` before the disk is: those who write would feel it."""
    needed = RESERVE
    for name in (control.FILE, *map(file_name, levels)):
        for end in ("", "-wal"):
            with suppress(OSError):
                needed += (state / f"{name}{end}").stat().st_size
    if shutil.disk_usage(root).free < needed:
        raise _full()


def _why(error: Exception, file: str) -> str:
    refusal = _refusal(error, file)
    return f"{refusal.code}: {refusal.message}"


def _refusal(error: Exception, what: str) -> Refusal:
    if isinstance(error, Refusal):
        return error
    if isinstance(error, apsw.FullError) or (isinstance(error, OSError) and error.errno in _FULL):
        return _full()
    known = refusal_for(error, what) if isinstance(error, apsw.Error) else None
    return known or Refusal("level_unavailable", f"{what} failed ({type(error).__name__}).", _SEE)


def _full() -> Refusal:
    return Refusal(
        "disk_full",
        "There is no room for a backup; nothing of it was kept.",
        "Free some space: it needs as much as the store has, and a little more.",
        retryable=True,
    )


_FULL: Final = (28, 122)
"""ENOSPC and EDQUOT."""
_SEE: Final = "`memtrigctl doctor` tells more."
