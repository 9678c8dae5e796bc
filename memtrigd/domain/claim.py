"""A claim: what somebody asks to be remembered, checked and put in order before any rule looks at it."""

import hashlib
import math
import re
import unicodedata
from typing import Final

from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import CORE_KINDS, Kind, Source, canonical
from memtrigd.domain.moments import Micros

MAX_KEY: Final = 256
"""Characters of a key, an entity, an agent, a space or a context's name. Keys are addresses, not texts."""
MAX_CONTENT: Final = 1 << 20
"""Bytes of UTF-8 of a content: 1 MiB, an eighth of a frame."""
MAX_TAGS: Final = 64
MAX_TAG: Final = 128
MAX_NOTE: Final = 4096
"""Bytes of UTF-8 of a context, a reason or a quote."""


class Claim(Struct, frozen=True, kw_only=True):
    """A checked claim. ``key`` is None where the speaker named none; ``core`` None where nobody chose."""

    content: str
    key: str | None = None
    kind: Kind = Kind.GENERAL
    source: Source = Source.AUTO_DETECT
    entity: str | None = None
    tags: tuple[str, ...] = ()
    emotion_tags: tuple[str, ...] = ()
    sentiment: str | None = None
    context: str | None = None
    lang: str | None = None
    quote: str | None = None
    confidence: float | None = None
    core: bool | None = None
    expires_at: Micros | None = None
    valid_from: Micros | None = None
    valid_to: Micros | None = None
    replaces: str | None = None

    @property
    def is_core(self) -> bool:
        """Whether the memory would be core: as said, else by its kind; an inference is never core by itself."""
        if self.core is None:
            return self.kind in CORE_KINDS and self.source is not Source.SELF_INFERRED
        return self.core


def name(text: str, field: str, limit: int = MAX_KEY) -> str:
    """Check a one-line name (key, entity, tag, agent, space): NFC, trimmed, not blank, no control characters.

    Names are opaque: ``../../x`` or ``a/b:c`` are names like any other. Raises ``bad_value`` or ``too_large``.
    """
    clean = unicodedata.normalize("NFC", text).strip()
    if not any(unicodedata.category(c)[0] in _VISIBLE for c in clean):
        raise Refusal("bad_value", f"The {field} is blank.", f"Give a {field} with at least one visible character.")
    if len(clean) > limit:
        raise Refusal(
            "too_large",
            f"The {field} has {len(clean)} characters; the limit is {limit}.",
            f"Choose a shorter {field}; long text belongs into the content.",
        )
    if clean.isprintable():  # most names: no need to look at each character
        return clean
    bad = next((c for c in clean if unicodedata.category(c) in _NO_PLACE_IN_NAMES), None)
    if bad is not None:
        raise Refusal("bad_value", f"The {field} holds the control character U+{ord(bad):04X}.", "Leave it out.")
    return clean


def text(value: str, field: str, limit_bytes: int = MAX_CONTENT) -> str:
    """Check a free text: NFC, not blank, no NUL, within ``limit_bytes`` of UTF-8. Inner white space is kept."""
    clean = unicodedata.normalize("NFC", value)
    if not clean.strip():
        raise Refusal("bad_value", f"The {field} is blank.", f"Give a {field} with at least one visible character.")
    if "\x00" in clean:
        raise Refusal(
            "bad_value", f"The {field} holds a NUL character.", "Text has no NUL; store binary data elsewhere."
        )
    size = len(clean.encode())
    if size > limit_bytes:
        raise Refusal(
            "too_large",
            f"The {field} has {size:,} bytes of UTF-8; the limit is {limit_bytes:,}.",
            "Save it in parts, each with its own key, or keep the long text in a file and remember where it is.",
        )
    return clean


def tags(values: list[str] | tuple[str, ...], field: str = "tag") -> tuple[str, ...]:
    """Check tags one by one, drop repeats, keep the order. At most MAX_TAGS."""
    if len(values) > MAX_TAGS:
        raise Refusal("too_large", f"There are {len(values):,} {field}s; the limit is {MAX_TAGS}.", "Choose the best.")
    return tuple(dict.fromkeys(name(value, field, MAX_TAG) for value in values))


def kind(text: str) -> Kind:
    """Read a kind in any case. Raises ``bad_kind`` and lists the ten."""
    try:
        return Kind(text.strip().lower())
    except ValueError:
        every = " ".join(k.value for k in Kind)
        raise Refusal("bad_kind", f"There is no kind {text[:40]!r}.", f"The kinds are: {every}.") from None


def source(text: str | None, *, owner: bool) -> Source:
    """Read a source; unsaid it is the owner's statement or an agent's auto_detect. Only the owner says ``stated``."""
    if text is None:
        return Source.STATED if owner else Source.AUTO_DETECT
    allowed = [s.value for s in Source if owner or s is not Source.STATED]
    if text not in allowed:
        raise Refusal("bad_source", f"{text[:40]!r} is not a source here.", f"The sources are: {' '.join(allowed)}.")
    return Source(text)


def confidence(value: float | None) -> float | None:
    """Check a confidence: a finite number from 0 to 1, or unsaid."""
    if value is not None and not (math.isfinite(value) and 0.0 <= value <= 1.0):
        raise Refusal("bad_value", f"The confidence {value} is not between 0 and 1.", "0 is a blind guess, 1 certain.")
    return value


def auto_key(kind: Kind, entity: str | None, content: str) -> str:
    """Make a key for a claim without one: kind, entity, first words, and a digest of the content.

    The digest of the canonical text keeps "likes cats" off "likes coffee" and brings two sayings of one fact together.
    """
    folded = canonical(content)
    words = re.findall(r"\w+", folded[:400])[:4]
    stem = "-".join(filter(None, [kind.value, (entity or "").casefold().replace(" ", "-")[:64], *words]))
    digest = hashlib.blake2s(folded.encode(), digest_size=8).hexdigest()
    return unicodedata.normalize("NFC", f"{stem[:200]}-{digest}")


_VISIBLE: Final = frozenset("LNPSM")
_NO_PLACE_IN_NAMES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
