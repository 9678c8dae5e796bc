"""What is answered when all goes well."""

from msgspec import Struct

from memtrig.wire.folders import WatchedFolder


class Record(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory as a reader sees it. Times are ISO 8601 UTC, importances rounded to 4 decimals.

    Fields with a default here are left out of the frame while they have it.
    """

    id: str
    key: str
    content: str
    level: str
    created: str
    updated: str
    kind: str
    entity: str | None
    tags: list[str]
    status: str
    source: str
    importance: float
    effective_importance: float
    space: str
    agent: str | None = None
    session: str | None = None
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
    contested: bool = False
    authority: str = "self"
    score: float | None = None
    content_bytes: int | None = None
    """Set where ``content`` is only a part, to keep a reply small: get the id for the whole."""
    why: list[str] = []
    """In search results what speaks for it: key, words, meaning, date, name, neighbour."""
    supplement: "Record | None" = None
    newer_lower: "Record | None" = None


class Result(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """The base of all results."""


class Welcome(Result, frozen=True, tag="welcome"):
    """Answer to hello: the session's handle and the token that re-attaches to it."""

    session: str
    resume: str
    level: str
    ceiling: str
    protocol: int
    server: str
    agent: str | None = None
    conversation: str | None = None
    space: str | None = None


class Similar(Struct, frozen=True, kw_only=True):
    """An active memory of the same entity and kind, named so that the caller can replace it if it meant that."""

    id: str
    key: str
    level: str
    content: str


class Saved(Result, frozen=True, tag="saved"):
    """What became of a save: ``outcome`` is new, updated, known, pending, contested or echo."""

    id: str
    key: str
    level: str
    status: str
    outcome: str
    seen_count: int = 1
    supersedes: str | None = None
    contests: str | None = None
    similar: list[Similar] = []
    unheard: bool = False
    """The user can be heard in this session, and was not heard to say what was quoted."""


class Got(Result, frozen=True, tag="got"):
    """The memory that was asked for."""

    memory: Record


class Found(Result, frozen=True, tag="found"):
    """Hits, the best first, each with its ``score`` and ``why``."""

    results: list[Record]
    left_out: int = 0
    """How many more there are, up to ``max_results``, that ``max_tokens`` has no room for."""
    how: str = "lexical"
    """By words alone: lexical; by words and meaning: hybrid."""
    warming: bool = False
    """Whether it will be by meaning, too, when the model is ready."""


class Listed(Result, frozen=True, tag="listed"):
    """A page. ``next_cursor`` is there while more may follow."""

    memories: list[Record]
    next_cursor: str | None = None


class Deleted(Result, frozen=True, tag="deleted"):
    """The copy that was retired, and the levels whose older copies it now masks for those who see this one."""

    key: str
    level: str
    id: str
    masks: list[str] = []


class Me(Result, frozen=True, tag="me"):
    """Who the caller is to the daemon. ``kind`` is agent, owner or hook."""

    kind: str
    level: str
    reads: list[str]
    session: str | None = None
    ceiling: str | None = None
    agent: str | None = None
    conversation: str | None = None
    space: str | None = None
    hearing: str = "none"
    """What is known of the user's own speech in this session: none, feed (a hook tells it), unattended (no user)."""
    untrusted: bool = False
    """It read what strangers wrote: what it saves waits for the owner."""


class Pong(Result, frozen=True, tag="pong"):
    """The sign of life, with the daemon's time."""

    server: str
    time: str


class Dream(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A level's dream cycle: the last one, or the one under way, which has a ``progress`` from 0 to 1."""

    at: str
    progress: float | None = None
    materialised: int = 0
    expired: int = 0
    asked_again: int = 0
    conflicts: int = 0
    similar: int = 0
    stopped: bool = False
    failed: bool = False
    session: str | None = None
    """By it ``undo`` takes back what the cycle expired."""


class Copies(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a level's backups are. ``red``: it is time that somebody sees to them."""

    good: str | None = None
    """When the last good one was made; None before the first."""
    failed: str | None = None
    """The code of why the last one could not be made."""
    drill: str | None = None
    """When a restore was last tried out."""
    drill_failed: bool = False
    """Whether it showed that the backup is no good."""
    red: bool = False


class LevelStatus(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The figures of one level."""

    level: str
    available: bool
    reason: str | None = None
    """Why it is not available, and what to do."""
    memories: dict[str, int]
    """How many memories there are by status; agents are told of the active ones alone."""
    sessions: int | None = None
    """How many sessions are connected at this level; for the owner."""
    dream: Dream | None = None
    """None before the first."""
    backups: Copies | None = None
    embedding_backlog: int | None = None
    """How many memories are not found by their meaning yet; None where there is no model."""


class GuidanceFile(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file of guidance: which version of it is served, and what is wrong with the file itself, if anything is."""

    path: str
    agent: str | None = None
    version: str | None = None
    """None while nothing of it is served."""
    at: str | None = None
    problem: str | None = None
    """While it is set the last good version stays in force."""


class ModelStatus(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How it is with the model that tells what texts mean: "off", "warming", "ready" or "failed"."""

    state: str
    name: str | None = None
    """While it is ready."""
    why: str | None = None
    """Why it is not; for the owner."""
    done: int = 0
    """How far it is while it is warming, of ``of``; 0 where nobody counts."""
    of: int = 0


class StatusReport(Result, frozen=True, tag="status"):
    """How the daemon is: only the levels that the caller may see. ``home``, ``pid`` and guidance are for the owner."""

    server: str
    protocol: int
    schema: int
    started: str
    levels: list[LevelStatus]
    pid: int | None = None
    home: str | None = None
    guidance: list[GuidanceFile] = []
    folders: list[WatchedFolder] = []
    """The watched folders in which something is wrong, or held: for the owner."""
    model: ModelStatus | None = None


class Session(Struct, frozen=True, kw_only=True):
    """A session as the owner sees it."""

    session: str
    level: str
    ceiling: str
    origin: str
    opened: str
    connections: int
    agent: str | None = None
    conversation: str | None = None
    space: str | None = None
    ended: str | None = None
    untrusted: bool = False


class Raised(Result, frozen=True, tag="raised"):
    """The level that is now in force, on disk before this is said."""

    session: str
    level: str


class Untrusted(Result, frozen=True, tag="untrusted"):
    """The session is held for untrusted, on disk before this is said."""

    session: str


class Sessions(Result, frozen=True, tag="sessions"):
    """The newest sessions, and how many more there are."""

    sessions: list[Session]
    more: int = 0


class Ended(Result, frozen=True, tag="ended"):
    """The session is over."""

    session: str
