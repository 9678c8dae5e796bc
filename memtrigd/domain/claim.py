"""A claim: what somebody asks to be remembered, checked and put in order before any rule looks at it."""

import hashlib
import math
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
MAX_MARKS: Final = 30
"""Combining marks in a row."""
MAX_NOTE: Final = 4096
"""Bytes of UTF-8 of a context, a reason or a quote."""


class Claim(Struct, frozen=True, kw_only=True):
    """A checked claim. ``key``, ``kind`` and ``core`` are None where the speaker named none."""

    content: str
    key: str | None = None
    kind: Kind | None = None
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
    reason: str | None = None
    pinned: bool | None = None

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
    if len(text) > 4 * limit:  # before normalising, which may only shorten it by so much
        raise _too_long(field, len(text), limit)
    clean = _normalised(text, field).strip()
    if is_blank(clean):
        raise Refusal("bad_value", f"The {field} is blank.", "Give one with at least one visible character.")
    if len(clean) > limit:
        raise _too_long(field, len(clean), limit)
    if clean.isprintable():  # most names: no need to look at each character
        return clean
    bad = next((c for c in clean if unicodedata.category(c) in _NO_PLACE_IN_NAMES), None)
    if bad is not None:
        raise Refusal("bad_value", f"The {field} holds the control character U+{ord(bad):04X}.", "Leave it out.")
    return clean


def text(value: str, field: str, limit_bytes: int = MAX_CONTENT) -> str:
    """Check a free text: NFC, not blank, no NUL, within ``limit_bytes`` of UTF-8. Inner white space is kept."""
    if len(value) > limit_bytes:  # before anything is done with it: a character has a byte at least
        raise _too_many_bytes(field, len(value.encode()), limit_bytes)
    clean = _normalised(value, field)
    if is_blank(clean):
        raise Refusal("bad_value", f"The {field} is blank.", "Give one with at least one visible character.")
    if "\x00" in clean:
        raise Refusal("bad_value", f"The {field} holds a NUL character.", "Store binary data elsewhere.")
    size = len(clean.encode())
    if size > limit_bytes:
        raise _too_many_bytes(field, size, limit_bytes)
    return clean


def is_blank(text: str) -> bool:
    """Tell whether nothing of a text can be seen."""
    return all(unicodedata.category(c) in _INVISIBLE for c in text)


def tags(values: list[str] | tuple[str, ...], field: str = "tag") -> tuple[str, ...]:
    """Check tags one by one, drop repeats, keep the order. At most MAX_TAGS."""
    if len(values) > MAX_TAGS:
        raise Refusal("too_large", f"There are {len(values):,} {field}s; the limit is {MAX_TAGS}.", "Choose the best.")
    return tuple(dict.fromkeys(name(value, field, MAX_TAG) for value in values))


def kind(text: str | None) -> Kind | None:
    """Read a kind in any case, None where nobody named one. Raises ``bad_kind`` and lists the ten."""
    if text is None:
        return None
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


def auto_key(kind: Kind | None, entity: str | None, content: str) -> str:
    """Make a key for a claim without one: kind, entity, first words, and a digest of the content.

    The digest of the canonical text keeps "likes cats" off "likes coffee" and brings two sayings of one fact together.
    """
    folded = canonical(content)
    spelt = (c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in folded[:400])
    words = "".join(spelt).split()[:4]  # not by a regex: \w ends a Devanagari word at its vowel signs
    about = (entity or "").casefold().replace(" ", "-")[:64]
    stem = "-".join(filter(None, [(kind or Kind.GENERAL).value, about, *words]))
    digest = hashlib.blake2s(folded.encode(), digest_size=8).hexdigest()
    return unicodedata.normalize("NFC", f"{stem[:200]}-{digest}")


def _normalised(text: str, field: str) -> str:
    """Bring a text to NFC. Raises ``bad_value`` for a heap of marks that no script has.

    Sorting n marks takes n² steps: 40,000 of them on one letter would hold up everybody for seconds. 30 in a row are
    the limit of the Stream-Safe Text Format (UAX 15, section 13).
    """
    if text.isascii():
        return text
    row = 0
    for mark in map(unicodedata.combining, text):
        row = row + 1 if mark else 0
        if row > MAX_MARKS:
            raise Refusal(
                "bad_value",
                f"The {field} has more than {MAX_MARKS} combining marks on one letter.",
                "No script needs so many; leave them out.",
            )
    return unicodedata.normalize("NFC", text)


def _too_long(field: str, characters: int, limit: int) -> Refusal:
    return Refusal(
        "too_large",
        f"The {field} has {characters:,} characters; the limit is {limit}.",
        f"Choose a shorter {field}; long text belongs into the content.",
    )


def _too_many_bytes(field: str, size: int, limit: int) -> Refusal:
    return Refusal(
        "too_large",
        f"The {field} has {size:,} bytes of UTF-8; the limit is {limit:,}.",
        "Ask for less at a time."
        if field == "query"
        else "Save it in parts, each with its own key, or keep the long text in a file and remember where it is.",
    )


_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"})
_NO_PLACE_IN_NAMES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
