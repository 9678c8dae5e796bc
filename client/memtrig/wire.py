"""The messages on the socket: the one module that daemon and client share. docs/protocol.md explains them.

A frame is a 4-byte big-endian length and a msgpack map. Requests are ``Call`` frames, replies ``Answer`` frames with
the same ``id``. No request that an agent can send has a level: unknown fields are an error, so it can't be slipped in.
"""

from typing import Any, Final, TypeAlias

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

PROTOCOL: Final = 1
MAX_FRAME: Final = 8 << 20
"""Bytes of a frame's body: room for the largest content (1 MiB) several times over, checked before buffering."""
PREFIX: Final = 4
"""Bytes of the length before each body."""


class Call(Struct, frozen=True, forbid_unknown_fields=True):
    """One request: ``id`` is chosen by the client, unique among those in flight, and comes back in the answer."""

    id: int
    request: Raw


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
    """The base of all requests."""


class Hello(Request, frozen=True, tag="hello"):
    """First on a level socket. Names are labels for provenance: they grant and refuse nothing."""

    protocol: int
    agent: str | None = None
    conversation: str | None = None
    space: str | None = None
    client: str | None = None
    resume: str | None = None


class Save(Request, frozen=True, tag="save"):
    """Remember ``content``. Without a key one is made. The level is the session's, always."""

    content: str
    key: str | None = None
    kind: str = "general"
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
    replaces: str | None = None
    idempotency_key: str | None = None


class Get(Request, frozen=True, tag="get"):
    """The copy of ``key`` that this session sees."""

    key: str


class Search(Request, frozen=True, tag="search"):
    """The memories nearest to a question in natural language, best first."""

    query: str
    max_results: int = 10


class List(Request, frozen=True, tag="list"):
    """All memories that this session sees, the newest first, in pages."""

    tag: str | None = None
    limit: int = 50
    cursor: str | None = None


class Delete(Request, frozen=True, tag="delete"):
    """Retire the copy of ``key`` at exactly the session's level; it is kept for the audit."""

    key: str
    idempotency_key: str | None = None


class Whoami(Request, frozen=True, tag="whoami"):
    """Who the daemon takes the caller for."""


class Ping(Request, frozen=True, tag="ping"):
    """A sign of life."""


class GetStatus(Request, frozen=True, tag="status"):
    """How the daemon is, as far as the caller may see."""


Data: TypeAlias = Save | Get | Search | List | Delete
AgentRequest: TypeAlias = Hello | Save | Get | Search | List | Delete | Whoami | Ping | GetStatus


class Act(Request, frozen=True, tag="act"):
    """The owner acts as if at ``level``: unsaid, reads see every level and writes go to INTERNAL."""

    request: Data
    level: str | None = None


class SessionOpen(Request, frozen=True, tag="session.open"):
    """A host opens a session for an agent; the answer carries a connected descriptor (SCM_RIGHTS).

    Without a ceiling the session stays at its level. With ``resume`` it is the old session, at its current level.
    """

    agent: str | None = None
    level: str = "INTERNAL"
    ceiling: str | None = None
    conversation: str | None = None
    space: str | None = None
    resume: str | None = None


class SessionRaise(Request, frozen=True, tag="session.raise"):
    """Ratchet a session up to ``level``; never down, never over its ceiling."""

    session: str
    level: str
    reason: str


class SessionList(Request, frozen=True, tag="session.list"):
    """The sessions that are connected, or with ``all`` every one that is kept."""

    all: bool = False


class SessionEnd(Request, frozen=True, tag="session.end"):
    """End a session: its connections close and its token is void."""

    session: str


ControlRequest: TypeAlias = (
    Act | SessionOpen | SessionRaise | SessionList | SessionEnd | Whoami | Ping | GetStatus
)  # no Hello: the control socket knows its caller by uid
HookRequest: TypeAlias = Whoami | Ping


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
    """Set where ``content`` is only the beginning, to keep a reply small: get the key for the whole."""
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


class Got(Result, frozen=True, tag="got"):
    """The memory that was asked for."""

    memory: Record


class Found(Result, frozen=True, tag="found"):
    """Hits, the best first, each with its ``score``."""

    results: list[Record]


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


class Pong(Result, frozen=True, tag="pong"):
    """The sign of life, with the daemon's time."""

    server: str
    time: str


class LevelStatus(Struct, frozen=True, kw_only=True):
    """The figures of one level."""

    level: str
    available: bool
    memories: dict[str, int]
    """How many memories there are by status."""
    sessions: int | None = None
    """How many sessions are connected at this level; for the owner."""


class StatusReport(Result, frozen=True, tag="status"):
    """How the daemon is: only the levels that the caller may see. ``home`` and ``pid`` are for the owner."""

    server: str
    protocol: int
    schema: int
    started: str
    levels: list[LevelStatus]
    pid: int | None = None
    home: str | None = None


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


class Raised(Result, frozen=True, tag="raised"):
    """The level that is now in force, on disk before this is said."""

    session: str
    level: str


class Sessions(Result, frozen=True, tag="sessions"):
    """The list of sessions."""

    sessions: list[Session]


class Ended(Result, frozen=True, tag="ended"):
    """The session is over."""

    session: str


AnyResult: TypeAlias = (
    Welcome | Saved | Got | Found | Listed | Deleted | Me | Pong | StatusReport | Raised | Sessions | Ended
)


class Error(Struct, frozen=True, kw_only=True):
    """A refusal: a stable code, a sentence, the way out, and whether the same request may succeed later."""

    code: str
    message: str
    hint: str = ""
    retryable: bool = False


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One reply: ``result`` or ``error``. ``incomplete`` names visible levels that could not be consulted."""

    id: int
    result: AnyResult | UnsetType = UNSET
    error: Error | UnsetType = UNSET
    incomplete: list[str] = []


_encoder = msgspec.msgpack.Encoder()
decode_call = msgspec.msgpack.Decoder(Call).decode
decode_agent = msgspec.msgpack.Decoder(AgentRequest).decode
decode_control = msgspec.msgpack.Decoder(ControlRequest).decode
decode_hook = msgspec.msgpack.Decoder(HookRequest).decode
decode_answer = msgspec.msgpack.Decoder(Answer).decode


def frame(message: Call | Answer) -> bytes:
    """Encode a message and put its length before it."""
    body = _encoder.encode(message)
    return len(body).to_bytes(PREFIX, "big") + body


def call(number: int, request: Request) -> bytes:
    """Frame a request under ``number``."""
    return frame(Call(number, Raw(_encoder.encode(request))))


def as_builtin(message: Struct) -> Any:
    """Turn a message into plain dicts and lists, defaults included, as ``--json`` prints it."""
    return msgspec.to_builtins(msgspec.structs.asdict(message))
