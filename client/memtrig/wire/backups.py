"""What is asked and answered about backups: copies of the store, and the ways back from one."""

from msgspec import Struct

from memtrig.wire.requests import Request, Write
from memtrig.wire.results import Result
from memtrig.wire.told import Touched


class Backup(Request, frozen=True, tag="backup"):
    """Queue a backup of the caller's own level; at most one an hour. Does not wait for it."""


class BackupNow(Request, frozen=True, tag="backup.now"):
    """Back up every level, or one, and wait for it."""

    level: str | None = None


class BackupList(Request, frozen=True, tag="backup.list"):
    """The backups that there are, the newest first: ``limit`` of them."""

    limit: int = 100


class BackupVerify(Request, frozen=True, tag="backup.verify"):
    """Read a backup through, the newest unsaid: is it what was written, and are its journals sound?"""

    name: str | None = None


class Restore(Write, frozen=True, kw_only=True, tag="restore"):
    """Put a backup, the newest unsaid, in the place of what there is: all levels of it, one, or one memory by its id.

    A backup of what there is comes first. Levels are put back by a restart of the daemon, which is told and not waited
    for; a memory is put back at once, as a change of the owner's.
    """

    name: str | None = None
    level: str | None = None
    memory: str | None = None
    dry_run: bool = False


class Copy(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A backup. ``why`` is scheduled, owner or agent; or what came after it: migration, restore, import or repair.

    ``failed`` are levels that it was to have.
    """

    name: str
    at: str
    why: str
    levels: list[str]
    bytes: int
    failed: list[str] = []


class BackupQueued(Result, frozen=True, tag="backup_queued"):
    """``outcome`` is queued, or recent: then there was one within the hour. ``last`` is the last good one."""

    level: str
    outcome: str
    last: str | None = None


class BackedUp(Result, frozen=True, tag="backed_up"):
    """The backup that was made, and whether a further directory that is to have a copy lacks it."""

    backup: Copy
    not_copied: list[str] = []


class Backups(Result, frozen=True, tag="backups"):
    """The newest backups, how many more there are, and what looks like one and can't be read."""

    backups: list[Copy]
    more: int = 0
    unreadable: list[str] = []


class BackupVerified(Result, frozen=True, tag="backup_verified"):
    """What is wrong with a backup; nothing if it is as it was written."""

    backup: Copy
    problems: list[str] = []


class Restored(Result, frozen=True, tag="restored"):
    """What is, or with ``dry_run`` would be, restored. ``before`` and ``after`` count the memories of each level.

    ``safety`` is the backup that was made before. With ``restarting`` the daemon, which started at ``started``, ends
    now and comes back with it.
    """

    backup: Copy
    levels: list[str] = []
    before: dict[str, int] = {}
    after: dict[str, int] = {}
    safety: str | None = None
    memory: Touched | None = None
    restarting: bool = False
    started: str | None = None
    dry_run: bool = False
