"""What is asked and answered about moving in: records of other programs, in batches, and what frames an import."""

from typing import TypeAlias

from msgspec import Struct

from memtrig.wire.backups import Copy
from memtrig.wire.requests import Request, Write
from memtrig.wire.results import Result


class ImportRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A memory from elsewhere. Times are ISO 8601; unsaid ones are now, and later ones than now count as now.

    A source over user_explicit counts as that. ``level`` is that of its origin: it never goes to a lower one.
    """

    content: str
    key: str | None = None
    kind: str | None = None
    source: str | None = None
    entity: str | None = None
    tags: list[str] = []
    emotion_tags: list[str] = []
    sentiment: str | None = None
    context: str | None = None
    lang: str | None = None
    quote: str | None = None
    confidence: float | None = None
    core: bool | None = None
    expires_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    reason: str | None = None
    pinned: bool | None = None
    status: str = "active"
    level: str | None = None
    agent: str | None = None
    created: str | None = None
    updated: str | None = None
    importance: float | None = None
    importance_at: str | None = None
    last_recalled: str | None = None
    recall_count: int = 0
    seen_count: int = 1
    deny_count: int = 0
    forget_reason: str | None = None
    """Why it is not to be brought up, where its status is forgotten."""


class _Beside(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
    """The base of what comes beside memories."""


class ImportAlias(_Beside, frozen=True, tag="import_alias"):
    """Another name of an entity."""

    alias: str
    entity: str


class ImportWish(_Beside, frozen=True, tag="import_wish"):
    """An entity that is not to be brought up. What is served of it here keeps the wish out."""

    entity: str
    reason: str | None = None
    at: str | None = None


class ImportPromise(_Beside, frozen=True, tag="import_promise"):
    """A promise to the user, kept if it says when."""

    text: str
    deadline: str | None = None
    entity: str | None = None
    created: str | None = None
    done_at: str | None = None


class ImportWellness(_Beside, frozen=True, tag="import_wellness"):
    """How the user was on a day."""

    date: str
    mood: str
    recorded: str | None = None
    sleep_hours: float | None = None
    sleep_quality: str | None = None
    note: str | None = None


ImportEntry: TypeAlias = ImportAlias | ImportWish | ImportPromise | ImportWellness


class Import(Write, frozen=True, kw_only=True, tag="import"):
    """Take up to 32 records and entries in one transaction, each by itself: one that is refused keeps no other out.

    What was taken before, by key and text, is known and stays as it is. ``dry_run`` only tells.
    """

    records: list[ImportRecord] = []
    entries: list[ImportEntry] = []
    """What comes beside memories; taken after them."""
    space: str | None = None
    redact: bool = False
    """Keep the rest where a text holds a credential, with ``[redacted KIND]`` in its place."""
    dry_run: bool = False


class ImportBegin(Request, frozen=True, tag="import.begin"):
    """Back levels up before an import, wait for it, and keep in mind that an import is under way."""

    level: str = "INTERNAL"
    levels: list[str] = []
    """Further ones: all are in one backup."""


class ImportEnd(Request, frozen=True, tag="import.end"):
    """The import came to its end."""

    id: str


class NotTaken(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A record that was refused: its number in the batch, from 0, entries after the records, and why."""

    number: int
    code: str
    message: str
    hint: str = ""


class Imported(Result, frozen=True, tag="imported"):
    """How many records became what: new, updated, known, pending, contested, echo; older and closed are history."""

    level: str
    counts: dict[str, int]
    refused: list[NotTaken] = []
    entries: dict[str, int] = {}
    """How many of what came beside them are new or known."""


class ImportBegun(Result, frozen=True, tag="import_begun"):
    """The id by which the import is ended, and the backup that was made."""

    id: str
    backup: Copy


class ImportEnded(Result, frozen=True, tag="import_ended"):
    """It is not under way any more."""

    id: str
