"""Bringing back control.db from a backup, for a store whose daemon can't start without it."""

import time
from pathlib import Path

from memtrigd.doctor.files import newest_sound
from memtrigd.domain.errors import Refusal
from memtrigd.store.backup import backups_of
from memtrigd.store.checking import BOTH, verify
from memtrigd.store.manifest import Manifest, find
from memtrigd.store.restore import REPLACED, Intent, stage
from memtrigd.store.vault import Vault, alone


def control_back(state: Path, name: str | None) -> tuple[Manifest, str]:
    """Put control.db of a backup, the newest sound one unsaid, in the place of the one there is.

    Returns the backup, and where what made way is kept. Every session ends: what was raised since is not known any
    more. Cut off at any step, nothing was done or the next start of the daemon finishes it. Raises Refusal
    ``store_locked`` while a daemon runs, ``not_found``, ``level_unavailable`` for a damaged backup.
    """
    if not state.is_dir():
        raise Refusal("not_found", f"There is no store in {state}.", "Name its home with --home DIR.")
    with alone(state):
        manifest = newest_sound(state, None, lambda: None) if name is None else find(backups_of(state), name)
        if manifest is None:
            hint = "Move control.db away: `memtrigd` makes a new one from what it finds, and every session ends."
            raise Refusal("not_found", "No backup has a sound control.db.", hint)
        wrong = verify(backups_of(state) / manifest.name, manifest, [])[BOTH]
        if wrong:
            raise Refusal("level_unavailable", f"Backup {manifest.name} is damaged: {wrong[0]}", "Name another one.")
        intent = Intent(name=manifest.name, at=time.time_ns() // 1000, levels=[], control=True, made=manifest.at)
        stage(state, manifest, intent)
    Vault.open(state).close()  # which puts it in its place; a daemon that starts first does the same
    return manifest, f"{REPLACED}/{intent.at}"
