"""What is asked and answered about guidance: what agents are told about the use of their memory."""

from msgspec import Struct

from memtrig.wire.requests import Request
from memtrig.wire.results import GuidanceFile, Result


class GuidanceGet(Request, frozen=True, tag="guidance.get"):
    """The owner's words for the caller's agent, and the state of its memory: for a host to put before its model.

    ``budget_tokens`` is the room of the state; with ``query``, the user's words, memories that fit these are in it: the
    first 1,000 characters of it are looked at.
    """

    budget_tokens: int = 1500
    query: str | None = None
    state_only: bool = False
    """Leave the owner's words out: the model has read them in this conversation."""


class GuidanceShow(Request, frozen=True, tag="guidance.show"):
    """The owner's words for all agents, or for one, and the files that they are from. The owner's."""

    agent: str | None = None


class GuidanceCheck(Request, frozen=True, tag="guidance.check"):
    """Whether a text, or else the file for all agents or for one, can be guidance; nothing changes. The owner's."""

    text: str | None = None
    agent: str | None = None


class GuidanceHistory(Request, frozen=True, tag="guidance.history"):
    """The versions of the file for all agents, or of that for one, the newest first. The owner's."""

    agent: str | None = None
    against: int = 1
    """Which version before the newest that one is to be compared with."""


class Guidance(Result, frozen=True, tag="guidance"):
    """Guidance for one session. ``version`` and ``at`` are of the owner's words, ``source`` names their files."""

    text: str
    version: str
    at: str
    source: str


class GuidanceShown(Result, frozen=True, tag="guidance.shown"):
    """The owner's words as they are in force, with no state of any session, and the files that they are from."""

    text: str
    version: str
    at: str
    source: str
    files: list[GuidanceFile]


class GuidanceChecked(Result, frozen=True, tag="guidance.checked"):
    """What keeps a text from being guidance (``problems``), what to mind (``notes``), and about how long it is."""

    problems: list[str]
    notes: list[str] = []
    tokens: int = 0


class GuidanceVersion(Struct, frozen=True, kw_only=True):
    """A version of a file, and since when it was in force."""

    version: str
    at: str
    text: str


class GuidanceVersions(Result, frozen=True, tag="guidance.versions"):
    """The versions that are kept, the newest first."""

    path: str
    versions: list[GuidanceVersion]
    against: int = 1
    """As it was asked."""
