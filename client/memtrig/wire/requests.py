"""What can be asked. No request that an agent can send has a level: unknown fields are an error."""

from msgspec import Struct


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
    """The base of all requests."""


class Write(Request, frozen=True):
    """The base of all requests that change something. A retry with the same key is answered like the first try."""

    idempotency_key: str | None = None


class Hello(Request, frozen=True, tag="hello"):
    """First on a level socket. Names are labels for provenance: they grant and refuse nothing."""

    protocol: int
    agent: str | None = None
    conversation: str | None = None
    space: str | None = None
    client: str | None = None
    resume: str | None = None


class Save(Write, frozen=True, kw_only=True, tag="save"):
    """Remember ``content``. Without a key one is made. The level is the session's, always."""

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
    replaces: str | None = None
    reason: str | None = None
    """Why it is worth keeping."""
    pinned: bool | None = None
    """The owner's: no agent replaces, denies or expires it."""
    redact: bool = False
    """Keep the rest where a text holds a credential, with ``[redacted KIND]`` in its place."""
    force: bool = False
    """The owner's: keep a credential all the same."""


class Get(Request, frozen=True, tag="get"):
    """The copy of ``key`` that this session sees, or the memory of ``id``, as a search named it."""

    key: str | None = None
    id: str | None = None


class Search(Request, frozen=True, tag="search"):
    """The memories nearest to a question in natural language, best first.

    ``since`` and ``until`` bound when they were last said: from the one on, before the other. Both have an offset.
    """

    query: str
    max_results: int = 10
    since: str | None = None
    until: str | None = None
    kind: str | None = None
    tags: list[str] = []
    """Only those that have every one."""
    entity: str | None = None
    """Only those about it, by whichever of its names."""
    source: str | None = None
    max_tokens: int | None = None
    """What the results may take to read; what has no room is counted in ``left_out``."""
    full: bool = False
    """Whole contents, not the pieces that were found."""
    lexical: bool = False
    """Only what has a word of the question or is what it names: nothing by its meaning, its date or its neighbours."""
    zone: str | None = None
    """The IANA name of the time zone in which days of the question are meant; unsaid, the daemon's."""


class List(Request, frozen=True, tag="list"):
    """All memories that this session sees, the newest first, in pages. ``since`` and ``until`` are as in ``search``."""

    tag: str | None = None
    limit: int = 50
    cursor: str | None = None
    since: str | None = None
    until: str | None = None


class Delete(Write, frozen=True, kw_only=True, tag="delete"):
    """Retire the copy of ``key`` at exactly the session's level; it is kept for the audit."""

    key: str


class Whoami(Request, frozen=True, tag="whoami"):
    """Who the daemon takes the caller for."""


class Ping(Request, frozen=True, tag="ping"):
    """A sign of life."""


class GetStatus(Request, frozen=True, tag="status"):
    """How the daemon is, as far as the caller may see."""
