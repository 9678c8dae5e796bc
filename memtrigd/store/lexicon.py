"""How terms are spelt in the full-text index, so that each stays exactly one token, whatever characters it has."""

import hashlib
import re
import string
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

MAX_TOKEN: Final = 1000
"""Characters of a token that are kept as they are: FTS5 cuts tokens at 32,768 bytes, silently."""
MOST_TIMES: Final = 32
"""How often a term is counted in one document at most: a byte holds it, and BM25 has long levelled off there."""

_MARK: Final = "\ufdd0"  # a noncharacter, which no text should hold
_CHANGED: Final = [*map(chr, range(33)), "\x7f", *string.ascii_uppercase]  # by the tokenizer: separators and capitals
_ESCAPES: Final = str.maketrans({_MARK: _MARK * 2} | {c: f"{_MARK}{ord(c):02x}" for c in _CHANGED})
_needs_escape = re.compile(rf"[\x00-\x20\x7fA-Z{_MARK}]").search


def token(term: str) -> str:
    """Spell one term for the index. Different terms have different spellings; a very long one becomes a digest."""
    if len(term) > MAX_TOKEN:
        return f"{_MARK}#{hashlib.blake2b(term.encode(), digest_size=32).hexdigest()}"
    return term.translate(_ESCAPES) if _needs_escape(term) else term


def spelling(terms: Iterable[str]) -> str:
    """Spell the terms of a document as one text, in their order."""
    return " ".join(map(token, terms))


def prints(spelt: str) -> tuple[bytes, bytes]:
    """What an index in memory is made from: the hashes of a document's different tokens, and how often each is there.

    Hashes are in the order of their bytes, so that one document has one form of it.
    """
    counted = Counter(spelt.split(" ") if spelt else ())
    hashed = sorted(zip(map(term_hash, counted), counted.values(), strict=True))
    return b"".join([each for each, _ in hashed]), bytes([min(times, MOST_TIMES) for _, times in hashed])


@lru_cache(maxsize=1 << 15)
def term_hash(spelt: str) -> bytes:
    """The 8 bytes by which a token is known: BLAKE2b without a key, so that a file says the same to every process."""
    return hashlib.blake2b(spelt.encode(), digest_size=8).digest()
