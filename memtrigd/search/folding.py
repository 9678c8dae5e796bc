"""Making what people write in several ways one: compatibility forms, accents, case, digits, apostrophes."""

import re
import unicodedata
from typing import Final

from memtrigd.search.scripts import DIGITS, SOUTHEAST_ASIAN, ZWJ

_ONE_WAY: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u02bc\u02b9\u055a\uff07", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2212\ufe63", "-")
    # soft hyphen, non-joiner, direction marks, fillers, byte order mark, tatweel: seen by nobody, typed by some
    | dict.fromkeys("\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u200b\u200c\u200e\u200f\ufeff\u0640")
    | dict.fromkeys(map(chr, (*range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0x180B, 0x1810))))
    | dict.fromkeys(map(chr, range(0xFE00, 0xFE10)))  # variation selectors: text or picture, one character
    | dict.fromkeys(map(chr, range(0xE0000, 0xE1000)))  # more of them, and tags
    | {chr(point): str(value) for point, value in DIGITS.items()}
)

_SPACELESS: Final = "".join(SOUTHEAST_ASIAN.values())
_END_OF_WORD: Final = re.compile(f"(?<=[{_SPACELESS}])\u200b(?=[{_SPACELESS}])")
"""A zero width space where it has a meaning: Thai and Khmer mark the ends of words with it."""

# The breve of й is no accent: it makes another letter, on which Russian endings depend.
_ACCENT: Final = re.compile(
    "(?<![\u0438\u0418])\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u06d6-\u06ed\u093c]"
)

_SAME_LETTER: Final = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
    | {"ک": "ك", "ی": "ي", "ى": "ي", "ہ": "ه"}  # Persian and Urdu keyboards for Arabic letters
)


def prepare(text: str) -> str:
    """Bring a whole text into one form before it is cut: NFKC, ASCII digits, one apostrophe, nothing invisible."""
    if text.isascii():
        return text
    # twice: with an invisible character gone, letter and accent may compose
    once = unicodedata.normalize("NFKC", _END_OF_WORD.sub(" ", text)).translate(_ONE_WAY)
    return unicodedata.normalize("NFKC", once)


def strip_accents(word: str) -> str:
    """Drop accents, vowel points, the nukta and joiners, keep case. Marks that are the vowels of Indic scripts stay."""
    if word.isascii():
        return word
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", word.replace(ZWJ, "")))
    return unicodedata.normalize("NFC", bare)


def fold(word: str) -> str:
    """Fold case and look-alike letters of a word without accents."""
    folded = word.casefold()
    return folded if folded.isascii() else strip_accents(folded).translate(_SAME_LETTER)
