"""What can be asked about the life of a memory: confirmation, denial, forgetting, and what comes to mind."""

from memtrig.wire.requests import Request, Write


class Confirm(Write, frozen=True, kw_only=True, tag="confirm"):
    """Say yes to a waiting memory. An agent relays the user's yes and quotes it; the owner needs no quote."""

    id: str
    quote: str | None = None


class Reject(Write, frozen=True, kw_only=True, tag="reject"):
    """Say no to a waiting or disputed memory: it is kept and never served."""

    id: str
    quote: str | None = None
    reason: str | None = None


class Pin(Write, frozen=True, kw_only=True, tag="pin"):
    """Freeze a memory against every agent, or with ``off`` let it go again. The owner's."""

    key: str | None = None
    id: str | None = None
    off: bool = False


class Deny(Write, frozen=True, kw_only=True, tag="deny"):
    """The user says that a memory is wrong: it counts a tenth, and the second time it is disputed."""

    key: str | None = None
    id: str | None = None
    reason: str | None = None
    quote: str | None = None
    """The user's words, where an agent whose user can be heard denies what the user said."""


class Forget(Write, frozen=True, kw_only=True, tag="forget"):
    """Forget by exactly one of key, id, entity or tag, and do not learn it again unless the user says it."""

    key: str | None = None
    id: str | None = None
    entity: str | None = None
    tag: str | None = None
    kind: str | None = None
    reason: str | None = None
    quote: str | None = None
    """As in deny."""
    dry_run: bool = False
    confirm: int | None = None
    """Where an agent would forget more than 20: the count that it was told."""


class Erase(Write, frozen=True, kw_only=True, tag="erase"):
    """Remove the bytes of all that was ever said under a key, or of one memory by its id. The owner's; no way back.

    ``confirm`` is the count that a dry run told: without it nothing is erased.
    """

    key: str | None = None
    id: str | None = None
    dry_run: bool = False
    confirm: int | None = None


class Expire(Write, frozen=True, kw_only=True, tag="expire"):
    """Sweep what has run out at the caller's own level, and tell what soon will; or end one memory now."""

    key: str | None = None
    id: str | None = None
    dry_run: bool = False


class Unforget(Write, frozen=True, kw_only=True, tag="unforget"):
    """Bring a forgotten memory back and lift its suppression. The owner's."""

    id: str


class Undo(Write, frozen=True, kw_only=True, tag="undo"):
    """Take back the last change of a memory, or all that a session did. The owner's."""

    id: str | None = None
    session: str | None = None
    dry_run: bool = False


class History(Request, frozen=True, tag="history"):
    """All that was ever said under a key, the oldest first."""

    key: str


class Why(Request, frozen=True, tag="why"):
    """Why a memory is known: who said it, what confirmed or replaced it, who recalled it."""

    key: str | None = None
    id: str | None = None


class WhyNot(Request, frozen=True, tag="why_not"):
    """Which rules hide a memory from a session at the act's level. The owner's: ``agent`` and ``space`` are whose."""

    key: str | None = None
    id: str | None = None
    agent: str | None = None
    space: str | None = None


class Review(Request, frozen=True, tag="review"):
    """What waits for an answer: all of it for the owner, its own proposals for an agent."""

    limit: int = 50


class Recall(Request, frozen=True, tag="recall"):
    """What is worth bringing up now."""

    limit: int = 3


class Stats(Request, frozen=True, tag="stats"):
    """Counts and the state of forgetting, of the levels in sight."""


class Decay(Write, frozen=True, kw_only=True, tag="decay"):
    """Run a dream cycle now: at the caller's own level."""

    dry_run: bool = False
    confirm: int | None = None
    """The owner's: how many memories may expire though they are more than 5 %, as a cycle that stopped told."""


class Suppressions(Request, frozen=True, tag="suppressions"):
    """What is not to be brought up or learnt again."""
