"""Making what people write in several ways one: compatibility forms, accents, case, digits, apostrophes."""

import re
import unicodedata
from typing import Final

from memtrigd.search.scripts import DIGITS, ZWJ

_ONE_WAY: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u02bc\u02b9\u055a\uff07", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2212\ufe63", "-")
    | {"\u200b": " "}  # zero width space: Thai and Khmer mark the ends of words with it
    # soft hyphen, non-joiner, direction marks, word joiner, byte order mark, tatweel: seen by nobody, typed by some
    | dict.fromkeys(
        "\xad\u034f\u200c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\u0640"
    )
    | dict.fromkeys(map(chr, range(0xFE00, 0xFE10)))  # variation selectors: text or picture, one character
    | dict.fromkeys(map(chr, range(0xE0100, 0xE01F0)))
    | {chr(point): str(value) for point, value in DIGITS.items()}
)

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
    once = unicodedata.normalize("NFKC", text).translate(_ONE_WAY)
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
