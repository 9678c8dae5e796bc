"""Putting a backup in the place of what there is: staged beside it, then swapped by renames before anything is opened.

The intent is written when all that it needs lies staged and synced. From then on a start finishes the swap wherever
the last one was cut off; before it, what was staged is swept. What makes way is not deleted: it is set aside whole.
"""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.store import control
from memtrigd.store.audit import Head, holds
from memtrigd.store.backup import backups_of
from memtrigd.store.control import SqliteControlWriter
from memtrigd.store.faults import unusable
from memtrigd.store.files import copy_private, sync_directory, write_private
from memtrigd.store.interface import Change
from memtrigd.store.manifest import KEYS, Manifest, sha256
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.sqlite_writer import SqliteLevelWriter

INTENT: Final = "restore.json"
STAGED: Final = "restoring"
REPLACED: Final = "replaced"
OP: Final = "restore"
"""The journal's word for it."""


class Intent(Struct, frozen=True, kw_only=True):
    """A restore under way: from which backup, when it was asked for, which levels, and whether control.db too.

    ``made`` is the moment of the backup.
    """

    name: str
    at: Micros
    levels: list[Level]
    control: bool = False
    made: Micros = 0

    @property
    def files(self) -> list[str]:
        """What is swapped, by name under the state directory: a level's key before its database."""
        names = [each for level in self.levels for each in (f"{KEYS}/{level.slug}.key", file_name(level))]
        return [*names, control.FILE] if self.control else names


def unpack(place: Path, manifest: Manifest, files: Iterable[str], target: Path) -> None:
    """Copy files of a backup into ``target``, each compared with its digest and synced.

    Raises Refusal ``level_unavailable`` for one that is not what was written, OSError where it can't be written.
    """
    (target / KEYS).mkdir(mode=0o700, parents=True)
    target.chmod(0o700)
    for file in files:
        key = file.removeprefix(f"{KEYS}/")
        expected = manifest.keys[key] if key != file else manifest.parts[file].sha256
        copy_private(place / file, target / file)
        if sha256(target / file) != expected:
            raise Refusal(
                "level_unavailable",
                f"{file} of backup {manifest.name} is damaged; nothing was restored.",
                "`memtrigctl backup list` shows the others.",
            )
    for directory in (target / KEYS, target):
        sync_directory(directory)


def stage(state: Path, manifest: Manifest, intent: Intent) -> None:
    """Lay a backup's files beside those in use, and write the intent: the next start puts them in their place."""
    staged, draft = state / STAGED, state / f"{INTENT}.new"
    shutil.rmtree(staged, ignore_errors=True)
    try:
        unpack(backups_of(state) / manifest.name, manifest, intent.files, staged)
        draft.unlink(missing_ok=True)
        write_private(draft, msgspec.json.encode(intent))
    except BaseException:
        draft.unlink(missing_ok=True)
        shutil.rmtree(staged, ignore_errors=True)
        raise
    sync_directory(state)
    draft.rename(state / INTENT)
    sync_directory(state)


def swap(state: Path) -> Intent | None:
    """Put staged files in their places, as far as that is not done; return what is to be ``settled`` then.

    Only while nothing of the store is open. It may be cut off and begun again at any point. Raises Refusal
    ``level_unavailable`` where the intent can't be read: then nothing was touched.
    """
    (state / f"{INTENT}.new").unlink(missing_ok=True)
    try:
        intent = msgspec.json.decode((state / INTENT).read_bytes(), type=Intent)
    except FileNotFoundError:
        shutil.rmtree(state / STAGED, ignore_errors=True)
        return None
    except (OSError, msgspec.DecodeError):
        raise Refusal(
            "level_unavailable",
            f"A restore is under way, and {state / INTENT} can't be read.",
            f"Move it and {STAGED}/ away to start with what there is.",
        ) from None
    aside = aside_of(state, intent)
    (aside / KEYS).mkdir(mode=0o700, parents=True, exist_ok=True)
    for file in intent.files:
        staged = state / STAGED / file
        if not staged.exists():
            continue  # it is in its place
        for end in ("-wal", "-shm", "-journal", ""):
            old = state / f"{file}{end}"
            if old.exists():
                old.rename(aside / f"{file}{end}")
        for directory in (state, state / KEYS, aside, aside / KEYS):
            sync_directory(directory)
        staged.rename(state / file)
        for directory in (state / STAGED, state / STAGED / KEYS, state, state / KEYS):
            sync_directory(directory)
    return intent


def settle(state: Path, intent: Intent, writers: Mapping[Level, SqliteLevelWriter], rows: SqliteControlWriter) -> None:
    """Let each restored journal tell of it, and control.db know where it ends now; then the restore is over.

    Where control.db itself was restored every session ends: what has been raised since is no longer known. The ends of
    journals that it has may be of a time line that a later restore left, as that journal tells, sealed: they are kept
    anew. Any other end that a journal lacks stays, and ``audit verify`` tells of it.
    """
    for level in intent.levels:
        writer = writers.get(level)
        if writer is None:  # the file that was put there can't be used: its level says why
            continue
        with unusable(file_name(level)):
            _note(writer, intent)
        with unusable(control.FILE):
            rows.reset_journal_end(level, *writer.journal_end())
            rows.drop_setting(f"{control.ANALYSED}{level.slug}")  # the backup may be of before this analyser
    if intent.control:
        with unusable(control.FILE):
            rows.end_all(intent.at)
        for level, writer in writers.items():
            with unusable(file_name(level)):
                left = _left(writer, rows.journal_end(level), intent.made)
            if left:
                rows.reset_journal_end(level, *writer.journal_end())
    (state / INTENT).unlink()
    sync_directory(state)
    shutil.rmtree(state / STAGED, ignore_errors=True)


def _note(writer: SqliteLevelWriter, intent: Intent) -> None:
    """Let the journal tell of the restore, once however often this is begun."""
    if any(event.op == OP and event.at == intent.at for event in writer.events_since(intent.at)):
        return
    writer.connection.execute("BEGIN IMMEDIATE")
    writer.note(Change(op=OP, actor="owner", session=None, at=intent.at, reason=intent.name))
    writer.connection.execute("COMMIT")


def _left(writer: SqliteLevelWriter, end: tuple[int, str] | None, since: Micros) -> bool:
    """Tell whether a journal lacks an end that it had before ``since``, because a restore since then left that line."""
    if end is None or holds(writer.connection, Head(end[0], bytes.fromhex(end[1]))):
        return False
    return any(event.op == OP for event in writer.events_since(since))


def aside_of(state: Path, intent: Intent) -> Path:
    """Where what makes way for a restore is set aside."""
    return state / REPLACED / str(intent.at)


def set_aside(state: Path) -> list[tuple[Micros, Path]]:
    """What earlier restores set aside, with the moment of each, the newest first."""
    places = (state / REPLACED).iterdir() if (state / REPLACED).is_dir() else ()
    return sorted(((int(place.name), place) for place in places if place.name.isdecimal()), reverse=True)
