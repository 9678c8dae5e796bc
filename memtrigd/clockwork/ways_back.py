"""What is done with backups that are there, in their lane: told of, read through, tried out, gone back to."""

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from memtrig import wire
from msgspec.structs import replace

import memtrigd
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.store import backup, copies, restore
from memtrigd.store.backup import Pace, backups_of
from memtrigd.store.checking import verify
from memtrigd.store.drill import drill
from memtrigd.store.lanes import stopping
from memtrigd.store.manifest import Manifest, find, listing
from memtrigd.store.sqlite_level import file_name


def copy_of(manifest: Manifest) -> wire.Copy:
    """A backup as it is told of."""
    return wire.Copy(
        name=manifest.name,
        at=to_iso(manifest.at),
        why=manifest.why,
        levels=[level.name for level in manifest.levels],
        bytes=manifest.bytes,
        failed=[level.name for level in Level if level.slug in manifest.failed],
    )


def listed(state: Path, request: wire.BackupList) -> wire.Backups:
    """Tell which backups there are."""
    found, unreadable = listing(backups_of(state))
    shown = found[: max(0, request.limit)]
    return wire.Backups(backups=list(map(copy_of, shown)), more=len(found) - len(shown), unreadable=unreadable)


def verified(state: Path, request: wire.BackupVerify, pace: Pace) -> wire.BackupVerified:
    """Read a backup through. Raises Refusal ``not_found``."""
    manifest = find(backups_of(state), request.name)
    found = verify(backups_of(state) / manifest.name, manifest, pace=pace)
    return wire.BackupVerified(backup=copy_of(manifest), problems=[each for said in found.values() for each in said])


def found_in(state: Path, request: wire.Restore) -> tuple[wire.Copy, Memory]:
    """Find a memory in the backup that is named, or in the newest that holds it. Raises Refusal ``not_found``."""
    levels = (parse_level(request.level),) if request.level is not None else tuple(Level)
    root = backups_of(state)
    within = [find(root, request.name)] if request.name is not None else listing(root)[0]
    manifest, memory = copies.memory_in(root, within, levels, request.memory or "")
    return copy_of(manifest), memory


def tried_out(state: Path, *, pace: Pace) -> Mapping[Level, list[str]]:
    """Try out for each level the newest backup that holds it; return what is wrong with it, nothing if all is well."""
    found: dict[Level, list[str]] = {}
    for manifest in listing(backups_of(state))[0]:
        new = [level for level in manifest.levels if level not in found]
        found |= drill(state, manifest, new, pace=pace) if new else {}
    return found


def laid_ready(state: Path, request: wire.Restore, now: Micros, started: Micros, pace: Pace) -> wire.Restored:
    """Verify a backup, back up what there is, and lay levels ready for the next start; with ``dry_run`` only verify.

    Raises Refusal ``not_found``, ``level_unavailable`` for one that is damaged, ``disk_full``: then nothing is laid;
    ``stopping`` where another restore waits for the next start, which would else find half of this one.
    """
    if (state / restore.INTENT).exists():
        raise stopping()
    named = (parse_level(request.level),) if request.level is not None else ()
    manifest = find(backups_of(state), request.name, named, but="restore")
    levels = [level for level in named or manifest.levels if level in manifest.levels]
    if not levels:
        raise Refusal("not_found", f"Backup {manifest.name} does not hold that level.", _LIST)
    found = verify(backups_of(state) / manifest.name, manifest, levels, pace=pace)
    problems = [each for said in found.values() for each in said]
    if problems:
        raise Refusal("level_unavailable", f"Backup {manifest.name} is damaged: {problems[0]}", _LIST)
    told = wire.Restored(
        backup=copy_of(manifest),
        levels=[level.name for level in levels],
        before=copies.counts_now(state, levels),
        after={level.name: copies.count(manifest.parts[file_name(level)]) for level in levels},
        dry_run=request.dry_run,
    )
    if request.dry_run:
        return told
    safety = _safety(state, now, pace)
    try:
        restore.stage(state, manifest, restore.Intent(name=manifest.name, at=now, levels=levels))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        message = "There is no room to lay the backup ready; nothing was restored."
        raise Refusal(
            "disk_full", message, "Free some space: it needs as much as the backup has.", retryable=True
        ) from error
    return replace(told, safety=safety, restarting=True, started=to_iso(started))


def _safety(state: Path, now: Micros, pace: Pace) -> str | None:
    """Back up what is to make way; None where nothing of it can be read: it is set aside as it is then."""
    try:
        return backup.take(state, at=now, why="restore", server=memtrigd.__version__, pace=pace).name
    except Refusal as refusal:
        if refusal.code in ("disk_full", "stopping"):
            raise
        return None


_LIST: Final = "`memtrigctl backup list` shows what there is."
