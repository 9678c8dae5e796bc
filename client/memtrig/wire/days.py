"""What can be asked about a person's days: promises, well-being, the week, other names, and what is to be told."""

from memtrig.wire.requests import Request, Write


class PromiseAdd(Write, frozen=True, kw_only=True, tag="promise.add"):
    """Keep what was promised to the user, and until when. The level is the session's."""

    text: str
    deadline: str | None = None
    entity: str | None = None


class PromiseDone(Write, frozen=True, kw_only=True, tag="promise.done"):
    """A promise was kept; ``undone`` opens it again."""

    id: str
    undone: bool = False


class PromiseList(Request, frozen=True, tag="promise.list"):
    """The open promises in sight, the next due first; with ``all`` those that were kept too."""

    all: bool = False
    limit: int = 100


class PromiseCheck(Request, frozen=True, tag="promise.check"):
    """The promises that are due, or will be within so many hours."""

    within_hours: float = 0.0


class WellnessAdd(Write, frozen=True, kw_only=True, tag="wellness.add"):
    """Note how the user is today: ``mood`` in their words, hours of sleep from 0 to 24."""

    mood: str
    sleep_hours: float | None = None
    sleep_quality: str | None = None
    note: str | None = None


class WellnessList(Request, frozen=True, tag="wellness.list"):
    """How the user was in the last ``days``, the newest first."""

    days: int = 30


class AliasAdd(Write, frozen=True, kw_only=True, tag="alias.add"):
    """Another name of an entity, exact. The owner's."""

    alias: str
    entity: str


class AliasRemove(Write, frozen=True, kw_only=True, tag="alias.remove"):
    """Let a name stand for itself again. The owner's."""

    alias: str


class AliasList(Request, frozen=True, tag="alias.list"):
    """The other names in sight."""


class Week(Request, frozen=True, tag="week"):
    """What agents learned, guessed, contested and forgot in the last ``days``. The owner's.

    ``since`` says a moment in their place, with an offset.
    """

    days: int = 7
    limit: int = 50
    since: str | None = None


class Subscribe(Request, frozen=True, tag="subscribe"):
    """Be told on this connection of what happens at the levels in sight: by notices, as docs/protocol.md says.

    ``to`` has promise_due, memory_expiring or proposal_waiting; empty is no more of any.
    """

    to: list[str]
