"""What is done with backups that are there: copied further, thinned out, looked into for one memory."""

import shutil
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import Micros
from memtrigd.domain.retention import Keep, kept
from memtrigd.store import keys
from memtrigd.store.backup import backups_of, remove, sweep
from memtrigd.store.database import open_reader
from memtrigd.store.files import sync_directory, write_private
from memtrigd.store.manifest import DRAFT, FILE, KEYS, Manifest, Part, listing, open_copy, without
from memtrigd.store.restore import set_aside, unpack
from memtrigd.store.sqlite_level import SqliteLevelReader, file_name
from memtrigd.store.statements import COUNT

BEFORE: Final = ("migration", "restore", "import", "repair")
"""Why a backup was made before something that could go wrong: the newest of them stays until it is known to be well."""


def copy_out(state: Path, manifest: Manifest, directories: Iterable[Path], never: frozenset[Level]) -> list[str]:
    """Copy a backup to further directories, without the levels that never leave; return those that did not get it.

    A directory that is not there is a disk that is not plugged in: none is made.
    """
    missed = []
    lacking = without(manifest, never)
    for directory in directories:
        if not lacking.levels:
            continue
        draft = directory / (DRAFT + manifest.name)
        if not directory.is_dir():
            missed.append(str(directory))
            continue
        try:
            sweep(directory)
            unpack(
                backups_of(state) / manifest.name,
                lacking,
                [*(f"{KEYS}/{name}" for name in lacking.keys), *lacking.parts],
                draft,
            )
            write_private(draft / FILE, msgspec.json.format(msgspec.json.encode(lacking)))
            sync_directory(draft)
            draft.rename(directory / manifest.name)
            sync_directory(directory)
        except (OSError, Refusal):
            shutil.rmtree(draft, ignore_errors=True)
            missed.append(str(directory))
    return missed


def thin_out(directory: Path, keep: Keep, now: Micros) -> list[str]:
    """Take away the backups that ``keep`` does not keep, each kind by itself; return their names.

    Those of the same levels and keys are of a kind: one that lacks a level does not stand in for one that has it, nor
    one of another store, with which a directory of copies may be shared.
    """
    kinds: dict[tuple[tuple[str, str], ...], list[Manifest]] = defaultdict(list)
    for manifest in listing(directory)[0]:
        kinds[tuple(sorted(manifest.keys.items()))].append(manifest)
    gone = []
    for manifests in kinds.values():
        moments = kept((each.at for each in manifests), keep, now)
        staying = {each.name for each in [next((m for m in manifests if m.why == why), None) for why in BEFORE] if each}
        gone += [each.name for each in manifests if each.at not in moments and each.name not in staying]
    for name in gone:
        remove(directory / name)
    return gone


def drop_set_aside(state: Path, before: Micros) -> None:
    """Take away what restores before a moment set aside."""
    for at, place in set_aside(state):
        if at < before:
            shutil.rmtree(place, ignore_errors=True)


def memory_in(
    root: Path, manifests: Sequence[Manifest], levels: Sequence[Level], memory_id: str
) -> tuple[Manifest, Memory]:
    """Find a memory in the first of some backups that has it in service or waiting, else in the first that has it.

    Raises Refusal ``not_found``.
    """
    found = [
        (manifest, memory)
        for manifest in manifests
        for level in levels
        if level in manifest.levels and (memory := _look(root / manifest.name, level, memory_id)) is not None
    ]
    if not found:
        hint = "`memtrigctl backup list` shows them."
        raise Refusal("not_found", "No backup that was looked into has this memory.", hint)
    return next((each for each in found if each[1].status in (Status.ACTIVE, Status.PENDING)), found[0])


def count(part: Part) -> int:
    """How many memories a level's database holds, whatever their state."""
    return sum(part.counts.get(table, 0) for table in ("memory", "archive"))


def counts_now(state: Path, levels: Iterable[Level]) -> dict[str, int]:
    """How many memories each level holds now, as ``count``; a level that can't be read is left out."""
    found = {}
    for level in levels:
        try:
            with closing(open_reader(state / file_name(level))) as connection:
                ((rows,),) = connection.execute(COUNT)
                found[level.name] = int(str(rows))
        except (Refusal, apsw.Error, OSError):
            continue
    return found


def _look(place: Path, level: Level, memory_id: str) -> Memory | None:
    try:
        with closing(open_copy(place / file_name(level))) as connection:
            return SqliteLevelReader(connection, level, keys.load(place / KEYS / f"{level.slug}.key")).by_id(memory_id)
    except (apsw.Error, OSError):
        return None
