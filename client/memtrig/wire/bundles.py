"""A bundle's rows: all that a level keeps, as lines of a file and on their way back. docs/migration.md explains them.

Times are ISO 8601 with an offset, to the microsecond. Everything at its default is left out, so that the same rows are
the same bytes.
"""

from typing import Any, Final, TypeAlias

from msgspec import Struct

from memtrig.wire.exchange import NotTaken
from memtrig.wire.requests import Write
from memtrig.wire.results import Result

TIMES: Final = (
    "created",
    "updated",
    "importance_at",
    "last_recalled",
    "expires_at",
    "valid_from",
    "valid_to",
)
"""The fields of a memory that are times."""


class BundleRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
    """The base of a bundle's rows."""


class BundledStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A step in a memory's life. ``fields`` are what it changed; the first step's those that are at no default.

    What no step changes, ``id``, ``key``, ``space`` and ``content``, is in the memory's own row alone.
    """

    op: str
    at: str
    actor: str
    session: str | None = None
    reason: str | None = None
    fields: dict[str, Any] = {}


class BundledMemory(BundleRow, frozen=True, tag="memory"):
    """A memory as it stands, whatever its status, and its whole life, the oldest step first."""

    id: str
    key: str
    space: str
    content: str
    created: str
    updated: str
    importance_at: str
    kind: str
    source: str
    status: str
    entity: str | None = None
    agent: str | None = None
    session: str | None = None
    tags: list[str] = []
    emotion_tags: list[str] = []
    sentiment: str | None = None
    context: str | None = None
    lang: str | None = None
    attested: bool = False
    quote: str | None = None
    confidence: float | None = None
    reason: str | None = None
    core: bool = False
    pinned: bool = False
    importance: float = 1.0
    last_recalled: str | None = None
    recall_count: int = 0
    seen_count: int = 1
    deny_count: int = 0
    expires_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    contests: str | None = None
    history: list[BundledStep] = []


class BundledWish(BundleRow, frozen=True, tag="suppression"):
    """A wish not to be told of something again; with ``lifted_at`` it was taken back."""

    id: str
    scope: str
    space: str
    at: str
    key: str | None = None
    entity: str | None = None
    memory_id: str | None = None
    reason: str | None = None
    lifted_at: str | None = None


class BundledEntry(BundleRow, frozen=True, tag="entry"):
    """A promise, a note of well-being, another name of an entity, or what closes one of a lower level: its ``sort``."""

    id: str
    sort: str
    space: str
    created: str
    updated: str
    agent: str | None = None
    session: str | None = None
    name: str | None = None
    due: str | None = None
    closed: str | None = None
    body: dict[str, Any] = {}


class BundledEvent(BundleRow, frozen=True, tag="event"):
    """What was done at the level to no memory of it; ``about`` is the lower memory or the wish that it concerned."""

    op: str
    at: str
    actor: str
    session: str | None = None
    reason: str | None = None
    about: str | None = None


class BundledMask(BundleRow, frozen=True, tag="mask"):
    """A lower memory that a delete at the level hides from those who read a key in a space."""

    key: str
    space: str
    memory_id: str
    seen_count: int


class BundledLedger(BundleRow, frozen=True, tag="ledger"):
    """What the level keeps of a lower memory: its own recalls and denials."""

    memory_id: str
    importance: float
    importance_at: str
    last_recalled: str | None = None
    recall_count: int = 0
    deny_count: int = 0


AnyBundled: TypeAlias = BundledMemory | BundledWish | BundledEntry | BundledEvent | BundledMask | BundledLedger


class BundleTake(Write, frozen=True, kw_only=True, tag="bundle.take"):
    """Take up to 32 rows of a bundle in one transaction, as they are: ids, dates, ranks, lives.

    A level that has anything is refused, unless ``trust`` is said, or ``source`` was taken before.
    """

    source: str
    """Which bundle it is: the SHA-256 of this level's file."""
    origin: str = ""
    """Where it was made, when, and the head of the journal that it was made of, in a line."""
    rows: list[AnyBundled] = []
    trust: bool = False
    dry_run: bool = False


class BundleTaken(Result, frozen=True, tag="bundle_taken"):
    """How many rows became what: ``new``, ``known``, ``ahead`` for lives that went on; and those that were refused."""

    level: str
    counts: dict[str, int]
    refused: list[NotTaken] = []
