"""What is answered about a person's days and the upkeep of their store."""

from typing import TypeAlias

from msgspec import Struct

from memtrig.wire.audits import Audited, AuditRows, Proof
from memtrig.wire.backups import BackedUp, BackupQueued, Backups, BackupVerified, Restored
from memtrig.wire.bundles import BundleTaken
from memtrig.wire.doctor import Diagnosis
from memtrig.wire.exchange import ImportBegun, Imported, ImportEnded
from memtrig.wire.folders import WatchedFolder
from memtrig.wire.guidance import Guidance, GuidanceChecked, GuidanceShown, GuidanceVersions
from memtrig.wire.metrics import Exposition
from memtrig.wire.names import NameList
from memtrig.wire.results import Record, Result
from memtrig.wire.secrets import SecretsScrubbed
from memtrig.wire.told import Item, ToldResult, Touched


class Erased(Result, frozen=True, tag="erased"):
    """What was, or with ``dry_run`` would be, erased; the levels that still have the key, and the backups too."""

    count: int
    memories: list[Touched]
    level: str
    elsewhere: list[str] = []
    backups: list[str] = []
    dry_run: bool = False


class Expired(Result, frozen=True, tag="expired"):
    """What ran out and was swept, and what ends within three days (``remind``)."""

    count: int
    memories: list[Touched]
    remind: list[Record] = []
    more: int = 0
    """How many more end within three days."""
    dry_run: bool = False


class Rule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule that hides a row: level, status, pending, mask, forgotten, denied, shadowed, expired, space or erased."""

    rule: str
    memory: Touched
    says: str
    hint: str = ""


class Hidden(Result, frozen=True, tag="hidden"):
    """What a session would see of a key (``served``), and each rule that hides a row of it."""

    level: str
    served: Touched | None = None
    rules: list[Rule] = []
    more: int = 0
    """Rules that found no room in this answer."""


class Promise(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A promise. ``status`` is open, due or done."""

    id: str
    text: str
    level: str
    status: str
    created: str
    deadline: str | None = None
    done_at: str | None = None
    entity: str | None = None
    agent: str | None = None
    session: str | None = None


class Promised(Result, frozen=True, tag="promised"):
    """The promise as it now is."""

    promise: Promise


class Promises(Result, frozen=True, tag="promises"):
    """Promises, how many more there are, and how many in sight are open past their deadline."""

    promises: list[Promise]
    more: int = 0
    unfulfilled: int = 0


class Wellness(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the user was. ``date`` is the day where they live."""

    id: str
    date: str
    mood: str
    level: str
    recorded: str
    sleep_hours: float | None = None
    sleep_quality: str | None = None
    note: str | None = None
    agent: str | None = None


class WellnessNoted(Result, frozen=True, tag="wellness_noted"):
    """The note that was kept."""

    noted: Wellness


class WellnessTold(Result, frozen=True, tag="wellness_told"):
    """The notes, the newest first, and the mean of the hours of sleep that they have."""

    notes: list[Wellness]
    more: int = 0
    mean_sleep: float | None = None


class Alias(Struct, frozen=True, kw_only=True):
    """Another name of an entity."""

    alias: str
    entity: str
    level: str
    at: str


class Aliases(Result, frozen=True, tag="aliases"):
    """The other names in sight, or the one that was added or removed."""

    aliases: list[Alias]


class Weekly(Result, frozen=True, tag="weekly"):
    """The week: ``about`` of an item is learned, guessed, contested or forgot; ``counts`` are of all there were."""

    since: str
    counts: dict[str, int]
    items: list[Item]
    more: int = 0


class Subscribed(Result, frozen=True, tag="subscribed"):
    """What this connection is told of from now on."""

    to: list[str]


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="notice"):
    """Something to know, unasked: ``about`` is what was subscribed to, ``count`` how many there are at the level."""

    about: str
    level: str
    at: str
    id: str | None = None
    text: str | None = None
    count: int = 1


class Vacuumed(Result, frozen=True, tag="vacuumed"):
    """How many superseded memories were, or would be, archived."""

    archived: int
    level: str
    dry_run: bool = False


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that is not as it should be, and what to do about it."""

    level: str
    problem: str
    id: str | None = None
    hint: str = ""


class Checked(Result, frozen=True, tag="checked"):
    """What was looked at, and what was found."""

    memories: int
    problems: list[Problem]
    more: int = 0


class Left(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was begun and not ended when the daemon last stopped, and what became of it."""

    what: str
    level: str
    at: str
    became: str


class Recovered(Result, frozen=True, tag="recovered"):
    """What an interruption left; empty when nothing was."""

    left: list[Left]


class Initialised(Result, frozen=True, tag="initialised"):
    """What is set up, by name: the answer to a question that nobody need ask."""

    ready: bool
    level: str
    facts: dict[str, str]


class Watched(Result, frozen=True, tag="watched"):
    """The folders that were asked about, as they are now."""

    folders: list[WatchedFolder]


AnyResult: TypeAlias = (
    ToldResult
    | Erased
    | Expired
    | Hidden
    | Promised
    | Promises
    | WellnessNoted
    | WellnessTold
    | Aliases
    | Weekly
    | Subscribed
    | Vacuumed
    | Checked
    | Recovered
    | Initialised
    | Guidance
    | GuidanceShown
    | GuidanceChecked
    | GuidanceVersions
    | NameList
    | BackupQueued
    | BackedUp
    | Backups
    | BackupVerified
    | Restored
    | Imported
    | BundleTaken
    | ImportBegun
    | ImportEnded
    | Audited
    | AuditRows
    | Exposition
    | Proof
    | Diagnosis
    | SecretsScrubbed
    | Watched
)
"""Every result."""
