"""The user's own words: whether what an agent quotes was really said."""

import re
import unicodedata
from collections import deque
from collections.abc import Iterable
from typing import Final

from memtrigd.domain.memory import canonical

KEPT: Final = 50
"""Utterances of a session that are kept, in memory only."""
KEPT_CHARACTERS: Final = 64 << 10
SHORTEST_QUOTE: Final = 2
"""Characters, letters and digits only, that a quote must have to attest anything: one letter is in every sentence."""


class Heard:
    """What one session heard the user say lately: bounded, never on disk, never in a log."""

    def __init__(self) -> None:
        self._said: deque[str] = deque(maxlen=KEPT)

    def hear(self, words: str) -> None:
        """Keep an utterance; the oldest give way."""
        self._said.append(spoken(words[:KEPT_CHARACTERS]))
        while sum(map(len, self._said)) > KEPT_CHARACTERS and len(self._said) > 1:
            self._said.popleft()

    def attests(self, quote: str) -> bool:
        """Tell whether the quoted words were said, in one utterance and in this order."""
        return attests(quote, self._said)


def attests(quote: str, said: Iterable[str]) -> bool:
    """Tell whether ``quote`` is in one of some utterances that went through ``spoken``, at the bounds of words."""
    wanted = spoken(quote)
    if sum(c.isalnum() for c in wanted) < SHORTEST_QUOTE:
        return False
    before = _NO_WORD_BEFORE * _is_bound(wanted[0]) + _NO_NUMBER_BEFORE * wanted[0].isdigit()
    after = _NO_WORD_AFTER * _is_bound(wanted[-1]) + _NO_NUMBER_AFTER * wanted[-1].isdigit()
    pattern = re.compile(before + re.escape(wanted) + after)
    return any(pattern.search(words) for words in said)


def spoken(words: str) -> str:
    """Fold words for comparison: canonical, and without the punctuation between words, that a model may set anew.

    Letters, digits, marks and the signs inside a number or word stay, so that 1.5 is not 15 and कि is not की.
    """
    kept = "".join(c if _speaks(c) else " " for c in canonical(words))
    return " ".join(token.strip(_EDGES) for token in kept.split() if token.strip(_EDGES))


def _speaks(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M" or character in _INSIDE


def _is_bound(edge: str) -> bool:
    """Tell whether a quote must not cut the word at its edge: "art" was not said in "party"."""
    return re.match(_LETTER, edge) is not None


_INSIDE: Final = ".,:'’+-_/@%#&"
_EDGES: Final = ".,:'’-_/"
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Kana and Han, which set no space between words, and Hangul, which adds particles."""
_LETTER: Final = rf"(?![{_UNSPACED}])[\w\u0300-\u036f\u0900-\u0dff]"
"""A letter, digit or mark of a script that sets words apart; to re the vowel signs of Indic scripts are no letters."""
_NO_WORD_BEFORE: Final = rf"(?<!{_LETTER})"
_NO_WORD_AFTER: Final = rf"(?!{_LETTER})"
_NO_NUMBER_BEFORE: Final = r"(?<!\d[.,:/])"
_NO_NUMBER_AFTER: Final = r"(?![.,:/]\d)"
