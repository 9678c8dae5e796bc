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
    pattern = re.compile(_bound(wanted[0], "(?<!") + re.escape(wanted) + _bound(wanted[-1], "(?!"))
    return any(pattern.search(words) for words in said)


def spoken(words: str) -> str:
    """Fold words for comparison: canonical, and without the punctuation between words, that a model may set anew.

    Letters, digits, marks and the signs inside a number or word stay, so that 1.5 is not 15 and कि is not की.
    """
    kept = "".join(c if _speaks(c) else " " for c in canonical(words))
    return " ".join(token.strip(_EDGES) for token in kept.split() if token.strip(_EDGES))


def _speaks(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M" or character in _INSIDE


def _bound(edge: str, look: str) -> str:
    """Keep a quote from cutting a word, where the script has words: "art" was not said in "party"."""
    return look + r"[\w\u0900-\u0dff])" if edge.isascii() or "\u0900" <= edge <= "\u0dff" else ""


_INSIDE: Final = ".,:'’+-_/@%#&"
_EDGES: Final = ".,:'’-_/"
