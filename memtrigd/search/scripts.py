"""The writing systems as far as search cares: where a token begins and ends, and how it is to be taken apart."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

ZWJ: Final = "\u200d"
"""The zero width joiner: it builds emoji sequences and conjuncts, and is dropped from words."""

CJK: Final = {
    "han": "々〇㐀-䶿一-鿿豈-龎\U00020000-\U0003ffff",
    "hiragana": "ぁ-ゖゝゞ\u3099\u309a",
    "katakana": "ァ-ヺー-ヿㇰ-ㇿ",
}
"""Scripts without spaces between words, as ranges of letters: here a character may be a word."""

SOUTHEAST_ASIAN: Final = {
    "thai": "ก-ฺเ-๎",
    "lao": "ກ-໎ໜ-ໟ",
    "khmer": "ក-៓ៗៜ៝",
    "burmese": "က-ဿၐ-ႏႚ-႟ꩠ-ꩿ",
}
"""Scripts without spaces between words, as ranges of letters and marks: here a word takes two characters or more."""

_CONTINUOUS: Final = CJK | SOUTHEAST_ASIAN


def _marks() -> str:
    """Every combining mark, as the inside of a character class. (``\\w`` knows letters and digits, but no marks.)"""
    selectors = range(0xFE00, 0xFE10)
    return _ranges(c for c in range(0x300, 0x1F000) if unicodedata.category(chr(c))[0] == "M" and c not in selectors)


def _ranges(points: Iterable[int]) -> str:
    """Write ascending code points as ``a-bc-d``: a class of ranges is an order faster than one of members."""
    spans: list[list[int]] = []
    for point in points:
        if spans and spans[-1][1] == point - 1:
            spans[-1][1] = point
        else:
            spans.append([point, point])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in spans)


_LETTER: Final = rf"[^\W_{''.join(_CONTINUOUS.values())}]"
_PART: Final = rf"{_LETTER}(?>{_LETTER}+|[{_marks()}{ZWJ}]+|'{{1,2}}(?={_LETTER}))*+"
_JOINER: Final = r"[-_./\\:@#&=~+]{1,3}"
_PICTURE: Final = (
    "[\u231a-\u23ff\u25a0-\u27bf\u2b05-\u2b55\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
_EMOJI: Final = rf"{_PICTURE}[\U0001f3fb-\U0001f3ff]?"

TOKEN: Final = re.compile(
    "|".join(f"(?P<{script}>[{letters}]+)" for script, letters in _CONTINUOUS.items())
    + rf"|(?P<compound>{_PART}(?>{_JOINER}{_PART})*+(?>\+\+|#)?)"
    + rf"|(?P<emoji>[\U0001f1e6-\U0001f1ff]{{2}}|{_EMOJI}(?>{ZWJ}{_EMOJI})*+)"
)
"""One token, named by its group. A compound is what stands without a space where spaces are used: ``node.js``, a URL.

All repeats are possessive or atomic, so that matching takes linear time whatever the text.
"""

_LATIN: Final = "0-9A-Za-z\u00aa-\u02ff\u1d00-\u1dbf\u1e00-\u1eff"
_DEVANAGARI: Final = "\u0900-\u0963\u0970-\u097f\ua8e0-\ua8ff"
_HANGUL: Final = "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"

RUN: Final = re.compile(
    f"(?P<latin>[{_LATIN}']+)|(?P<devanagari>[{_DEVANAGARI}]+)|(?P<hangul>[{_HANGUL}]+)"
    f"|(?P<other>[^{_LATIN}{_DEVANAGARI}{_HANGUL}]+)"
)
"""A stretch of one script inside a word: ``Pythonमध्ये`` has two."""

DIGITS: Final = {
    point: unicodedata.digit(chr(point)) for point in range(0x80, 0x20000) if unicodedata.category(chr(point)) == "Nd"
}
"""Decimal digits of every script by code point, with their values: १२ and 12 are one number."""
