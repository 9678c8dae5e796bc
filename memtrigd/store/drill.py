"""The restore drill: a backup is restored into a scratch directory, opened as a daemon would, verified and compared."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store import control
from memtrigd.store.backup import Pace, backups_of, describe
from memtrigd.store.checking import BOTH, verify
from memtrigd.store.manifest import KEYS, Manifest
from memtrigd.store.restore import unpack
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.vault import Vault

SCRATCH: Final = "drill"


def drill(
    state: Path, manifest: Manifest, levels: Iterable[Level], *, pace: Pace = lambda: None
) -> dict[Level, list[str]]:
    """What a restore of each level would come to: problems as sentences without contents, none where it would do.

    Nothing but the scratch directory is written, and that is gone afterwards. Raises OSError where it can't be.
    """
    scratch, place = state / SCRATCH, backups_of(state) / manifest.name
    shutil.rmtree(scratch, ignore_errors=True)
    wanted = list(levels)
    checked = verify(place, manifest, wanted, pace=pace)
    found = {level: [*checked[BOTH], *checked.get(level, [f"{file_name(level)} is not in it."])] for level in wanted}
    sound = [level for level in wanted if not found[level]]
    if not sound:
        return found
    try:
        files = [each for level in sound for each in (f"{KEYS}/{level.slug}.key", file_name(level))]
        unpack(place, manifest, [*files, control.FILE], scratch)
        with Vault.open(scratch) as vault:
            for level in sound:
                found[level] = _problems(vault, manifest, level, pace)
    except Refusal as refusal:
        return {level: found[level] or [refusal.message] for level in wanted}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return found


def _problems(vault: Vault, manifest: Manifest, level: Level, pace: Pace) -> list[str]:
    if level in vault.unavailable:
        return [vault.unavailable[level].message]
    part = manifest.parts[file_name(level)]
    restored = describe(vault.writers()[level].connection, level, pace)
    same = restored.counts == part.counts and restored.digests == part.digests
    if restored.schema == part.schema and not same:
        return [f"The rows of the restored {file_name(level)} are not those that the manifest vouches for."]
    kept = ("memory", "archive", "audit")
    if any(restored.counts.get(table, 0) != part.counts.get(table, 0) for table in kept if table in part.counts):
        return [f"{file_name(level)} loses rows when it is brought up to date."]
    return vault.verify(level)
