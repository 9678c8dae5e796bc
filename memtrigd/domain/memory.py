"""The record of one memory, its limits, and what counts as the same text."""

import re
import unicodedata
from enum import StrEnum
from typing import Final

from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros


class Kind(StrEnum):
    """What a memory is about: a closed list, so that a typing error can't found an eleventh."""

    PREFERENCE = "preference"
    EVENT = "event"
    HABIT = "habit"
    RULE = "rule"
    SCENE = "scene"
    RELATIONSHIP = "relationship"
    EMOTION = "emotion"
    IDENTITY = "identity"
    MILESTONE = "milestone"
    GENERAL = "general"


CORE_KINDS: Final = frozenset({Kind.RELATIONSHIP, Kind.IDENTITY})
"""Who we are to each other: core unless said otherwise, and core never fades."""


class Source(StrEnum):
    """Who is behind a claim. STATED is the owner's own; an agent can't say it."""

    STATED = "stated"
    USER_EXPLICIT = "user_explicit"
    FILE_IMPORT = "file_import"
    AUTO_DETECT = "auto_detect"
    SELF_INFERRED = "self_inferred"


class Status(StrEnum):
    """Where a memory stands. Only ACTIVE is ever served."""

    ACTIVE = "active"
    PENDING = "pending"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"
    DISPUTED = "disputed"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"


class Memory(Struct, frozen=True):
    """One memory as it stands now. Times are microseconds UTC; ``importance`` is what it was at ``importance_at``."""

    id: str
    key: str
    level: Level
    space: str
    content: str
    created: Micros
    updated: Micros
    importance_at: Micros
    kind: Kind = Kind.GENERAL
    source: Source = Source.AUTO_DETECT
    status: Status = Status.ACTIVE
    entity: str | None = None
    agent: str | None = None
    session: str | None = None
    tags: tuple[str, ...] = ()
    emotion_tags: tuple[str, ...] = ()
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
    last_recalled: Micros | None = None
    recall_count: int = 0
    seen_count: int = 1
    deny_count: int = 0
    expires_at: Micros | None = None
    valid_from: Micros | None = None
    valid_to: Micros | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    contests: str | None = None
    contested: bool = False
    """Not kept but looked up: whether a waiting proposal of its slot contests this row."""

    @property
    def erased(self) -> bool:
        """Whether nothing is left of it but its place: a content is never blank."""
        return not self.content

    def served(self, now: Micros) -> bool:
        """Tell whether it may be shown at all: active, and not past its date, swept or not."""
        return self.status is Status.ACTIVE and (self.expires_at is None or self.expires_at > now)


_END_PUNCTUATION: Final = ".!?。！？।॥…؟۔"


def canonical(text: str) -> str:
    """Fold a text to the form in which two sayings are the same fact.

    As ``folded``, white space collapsed, no sentence punctuation at the end. Marks are kept: कि is not की;
    inner punctuation is kept: 1.5 mg is not 15 mg. A text of nothing but punctuation stays itself, and so does one of
    nothing that is seen.
    """
    collapsed = " ".join(folded(text).split()) or " ".join(text.split())
    return collapsed.rstrip(_END_PUNCTUATION + " ") or collapsed


def folded(text: str) -> str:
    """Fold a text's letters: NFKC, case fold, and nothing in it that nobody sees.

    An invisible character would make a twin of a memory, or carry a forgotten one past the wish. Only in an emoji it
    makes another picture: the joiner of a family, the tags of a flag.
    """
    if text.isascii():
        return text.casefold()
    once = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    seen = _UNSEEN.sub(r"\g<flag>", _SELECTORS.sub("", once))
    return once if seen == once else unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())


_PICTURE: Final = "\u2190-\u2bff\U0001f000-\U0001faff"
_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180d\u180f]")
"""Text or picture, this or that form of one character."""
_UNSEEN: Final = re.compile(
    "(?P<flag>\U0001f3f4[\U000e0020-\U000e007f]+)"
    f"|\u200d(?![{_PICTURE}])|(?<![{_PICTURE}])\u200d"
    "|[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
"""Default_Ignorable_Code_Point of Unicode (DerivedCoreProperties.txt), but for the selectors."""
