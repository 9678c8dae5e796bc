"""What is answered about the life of a memory."""

from typing import TypeAlias

from msgspec import Struct

from memtrig.wire.results import (
    Deleted,
    Ended,
    Found,
    Got,
    Listed,
    Me,
    Pong,
    Raised,
    Record,
    Result,
    Saved,
    Sessions,
    StatusReport,
    Untrusted,
    Welcome,
)


class Settled(Result, frozen=True, tag="settled"):
    """What became of a memory by confirm, reject, deny, unforget, pin: its new status."""

    id: str
    key: str
    level: str
    status: str
    deny_count: int = 0
    pinned: bool = False
    below: bool = False
    """The memory lies at a lower level: only this level's view of it changed, and the owner is asked."""
    still: list[str] = []
    """After unforget: levels in sight above the memory that hide or deny it still."""


class Noted(Result, frozen=True, tag="noted"):
    """How many sessions of the hook's host heard it."""

    sessions: int


class Adopted(Result, frozen=True, tag="adopted"):
    """What a hook was taken for: how many sessions its host has, and the level of the context that it gets.

    With no session the level is PUBLIC.
    """

    sessions: int
    level: str


class Touched(Struct, frozen=True, kw_only=True):
    """A memory that a forget or an undo reaches."""

    id: str
    key: str
    level: str
    status: str


class Forgotten(Result, frozen=True, tag="forgotten"):
    """What was, or with ``dry_run`` would be, forgotten, and at which levels matching memories stay for the owner."""

    count: int
    memories: list[Touched]
    levels: list[str]
    elsewhere: list[str] = []
    dry_run: bool = False
    suppressed: str | None = None
    hidden: int = 0
    """How many those are that stay there, hidden from here: an agent's ``confirm`` counts them too."""


class Undone(Result, frozen=True, tag="undone"):
    """What was, or would be, taken back, and what could not be because it was changed since."""

    memories: list[Touched]
    kept: list[Touched] = []
    dry_run: bool = False
    entries: int = 0
    """How many promises and notes of well-being."""
    more: int = 0
    """Memories that found no room in this answer."""
    more_kept: int = 0


class Step(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One version in a memory's life: what was done, by whom, when, and which fields it changed."""

    at: str
    op: str
    actor: str
    id: str
    session: str | None = None
    reason: str | None = None
    status: str | None = None
    changed: list[str] = []


class Told(Result, frozen=True, tag="told"):
    """The memories of a key, whatever their status, the oldest first, and every step of their lives."""

    memories: list[Record]
    steps: list[Step]
    more: int = 0
    """Older memories that found no room in this answer."""
    earlier: int = 0
    """Steps that found no room, of the memories that are here."""
    places: list[str] = []
    """Where a memory of a watched folder stands there, as `FILE:LINE`: for the owner who asks why."""


class Item(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something to decide. ``about`` is pending, contested, disputed, expiring, newer_lower or elsewhere."""

    about: str
    memory: Record
    against: Record | None = None
    note: str | None = None


class Reviewed(Result, frozen=True, tag="reviewed"):
    """What waits, and how much of it beyond the limit."""

    items: list[Item]
    more: int = 0


class Idea(Struct, frozen=True, kw_only=True):
    """Something to bring up."""

    memory: Record
    channel: str
    reason: str
    score: float


class Recalled(Result, frozen=True, tag="recalled"):
    """What comes to mind."""

    ideas: list[Idea]


class Curve(Struct, frozen=True, kw_only=True):
    """The figures of one level's forgetting."""

    level: str
    statuses: dict[str, int]
    kinds: dict[str, int]
    core: int
    mean_importance: float | None
    """Of the active memories that are not core."""


class Statistics(Result, frozen=True, tag="statistics"):
    """Figures by level; the weakest and the longest untouched memories over all levels in sight."""

    levels: list[Curve]
    weakest: list[Record]
    stalest: list[Record]


class Dreamt(Result, frozen=True, tag="dreamt"):
    """What a dream cycle did, or would do, at one level. ``undo`` of ``session`` takes back what it expired."""

    level: str
    materialised: int
    expired: int
    asked_again: int
    conflicts: list[str]
    stopped: bool = False
    """It would have changed the status of more than 5 % of the memories, ``expired`` of them, and asks instead."""
    dry_run: bool = False
    more: int = 0
    """Conflicts beyond the 100 that are named."""
    similar: list[list[str]] = []
    """Pairs of active memories of one entity and kind whose texts are near each other: 100 at most."""
    session: str | None = None


class Wish(Struct, frozen=True, kw_only=True):
    """A suppression."""

    id: str
    scope: str
    level: str
    at: str
    entity: str | None = None
    key: str | None = None
    reason: str | None = None


class Wishes(Result, frozen=True, tag="wishes"):
    """The suppressions in sight, the newest first, and how many more there are."""

    suppressions: list[Wish]
    more: int = 0


ToldResult: TypeAlias = (
    Welcome
    | Saved
    | Got
    | Found
    | Listed
    | Deleted
    | Me
    | Pong
    | StatusReport
    | Raised
    | Sessions
    | Ended
    | Untrusted
    | Settled
    | Forgotten
    | Undone
    | Told
    | Reviewed
    | Recalled
    | Statistics
    | Dreamt
    | Wishes
    | Noted
    | Adopted
)
"""Every result but those of ``lived``."""
