"""The user's own words: whether what an agent quotes was really said, and said as a statement."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final

from msgspec import Struct

from memtrigd.domain import negation
from memtrigd.domain.memory import folded

KEPT: Final = 50
"""Utterances of a session that are kept, in memory only."""
KEPT_CHARACTERS: Final = 64 << 10
SHORTEST_QUOTE: Final = 2
"""Letters, digits and the marks on them that a quote must have to attest a part of what was said: one letter is in
every sentence. All of an utterance may be shorter: 好 and y are answers."""

PLACES: Final = 64
"""Places of one utterance at which a quote is looked for: what is said more often than that is said plainly early."""


class Utterance(Struct, frozen=True):
    """What was said, folded for comparison: words with a space between, sentences with a line end between.

    ``telling`` is the same without the words that only look like a denial. ``clauses`` are the places where clauses
    begin, ``questions`` those where sentences begin that ask.
    """

    words: str
    telling: str
    clauses: tuple[int, ...]
    questions: frozenset[int]


class Heard:
    """What one session heard the user say lately: bounded, never on disk, never in a log."""

    def __init__(self) -> None:
        self._said: deque[Utterance] = deque(maxlen=KEPT)

    def hear(self, words: str | Utterance) -> None:
        """Keep an utterance; the oldest give way."""
        self._said.append(uttered(words[:KEPT_CHARACTERS]) if isinstance(words, str) else words)
        while sum(len(said.words) for said in self._said) > KEPT_CHARACTERS and len(self._said) > 1:
            self._said.popleft()

    def attests(self, quote: str) -> bool:
        """Tell whether the quoted words were stated, in one utterance and in this order."""
        return attests(quote, self._said)

    def holds(self, quote: str) -> bool:
        """Tell whether the quoted words were said, as a statement or not."""
        return attests(quote, self._said, stated=False)


def attests(quote: str, said: Iterable[Utterance], *, stated: bool = True) -> bool:
    """Tell whether ``quote`` is in one of some utterances: whole words, whole sentences between them, meaning kept.

    A quote is not cut out of a clause that denies it, and what was asked or supposed was not ``stated``.
    """
    wanted = uttered(quote).words
    if not any(map(str.isalnum, wanted)):
        return False
    is_short = sum(c.isalnum() or unicodedata.category(c)[0] == "M" for c in wanted) < SHORTEST_QUOTE
    return any(
        not (is_short and each.words != wanted)
        and not _is_cut_from_its_denial(each, start, end)
        and not (stated and _is_no_statement(each, start, end))
        for each in said
        for start, end in _found(wanted, each.words)
    )


def uttered(text: str) -> Utterance:
    """Fold an utterance for comparison: without the punctuation between words, that a model may set anew.

    Letters, digits, marks, signs and what stands inside a number or word stay, so that 1.5 is not 15, कि is not की,
    -5 is not 5, x² is not x2 and C# is not C.
    """
    words, clauses, questions = "", [], set()
    for sentence, end in _sentences(_spelt(text)):
        parts = [part for part in (_words(clause) for clause in _CLAUSE_END.split(sentence)) if part]
        if not parts:
            continue
        words += "\n" if words else ""
        if "?" in end or "؟" in end or negation.asks(" ".join(parts)):
            questions.add(len(words))
        for number, part in enumerate(parts):
            words += " " if number else ""
            clauses.append(len(words))
            words += part
    telling = negation.HARMLESS.sub(lambda match: _BLANK * len(match.group()), words)
    return Utterance(words, telling, tuple(clauses), frozenset(questions))


def _spelt(text: str) -> str:
    """Write out what folding would lose: ², ½, and the many spellings of a minus or an apostrophe."""
    spelt = _POWER.sub(r"^\g<0>", _MIXED.sub("+", text))
    return _MINUS.sub("-", folded(spelt).translate(_ONE_WAY))


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """Each sentence with the punctuation that ends it."""
    begun = 0
    for end in _SENTENCE_END.finditer(text):
        yield text[begun : end.start()], end.group()
        begun = end.end()
    yield text[begun:], ""


def _words(clause: str) -> str:
    kept = "".join(c if _speaks(c) else " " for c in clause)
    return " ".join(filter(None, map(_bare, kept.split())))


def _bare(token: str) -> str:
    """Strip the punctuation off a token; a sign stays at a number, and a point at .5 and .NET."""
    bare = token.strip(_EDGES)
    if not bare:
        return ""
    lead = token[: token.index(bare)]
    point = "." if lead.endswith(".") and not lead.endswith("..") else ""
    sign = "-" if lead.removesuffix(".").endswith("-") and _NUMBER.match(bare) else ""
    return sign + point + (bare.lstrip("#@") or bare)


@lru_cache(8192)
def _speaks(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character) in _SPEAKING or character in _INSIDE


def _found(wanted: str, words: str) -> Iterator[tuple[int, int]]:
    """Where some words are, from where to where, without cutting any."""
    start = -1
    for _ in range(PLACES):
        start = words.find(wanted, start + 1)
        if start < 0:
            return
        if _is_whole(words, start, start + len(wanted)):
            yield start, start + len(wanted)


def _is_whole(words: str, start: int, end: int) -> bool:
    """Tell whether a stretch cuts no word or number: "art" was not said in "party", nor 5 in 1.5, nor 三 in 三十."""
    return _parts(words[max(0, start - 1) : start], words[start]) and _parts(words[end - 1], words[end : end + 1])


def _parts(left: str, right: str) -> bool:
    """Tell whether there is the bound of a word between two characters, of which one may be the end of all."""
    if left in _GAPS or right in _GAPS:
        return True
    if unicodedata.category(right)[0] == "M" or (_is_number(left) and _is_number(right)):
        return False
    return _UNSPACED.match(left) is not None or _UNSPACED.match(right) is not None


def _is_number(character: str) -> bool:
    return character.isdigit() or character in _HAN_NUMBERS


def _is_cut_from_its_denial(said: Utterance, start: int, end: int) -> bool:
    """Tell whether a clause denies, outside of the quote, what the quote has of it.

    What denies before the quote reaches into it, whatever that has of its own ("I never said I don't like coffee");
    what denies behind it does if the quote has no denial ("मला कॉफी आवडत | नाही", "I like tea | but no coffee").
    """
    words = said.telling
    if any(words[edge - 1 : edge + 1] == 2 * _BLANK for edge in (start, end)):
        return True
    for first, last in _clauses(said, start, end):
        before, quoted, after = words[first:start], words[max(first, start) : min(last, end)], words[end:last]
        if negation.negates(before) or (negation.negates(after) and not negation.negates(quoted)):
            return True
    return False


def _is_no_statement(said: Utterance, start: int, end: int) -> bool:
    """Tell whether a stretch is of a question, or only supposed."""
    for first, last in _clauses(said, start, end):
        if negation.supposes(said.words[first:start]) or negation.wishes(said.words[end:last]):
            return True
    begun = said.words.rfind("\n", 0, start) + 1
    sentences = accumulate((len(each) + 1 for each in said.words[begun:end].split("\n")[:-1]), initial=begun)
    return any(place in said.questions or _begins_to_suppose(said, place) for place in sentences)


def _begins_to_suppose(said: Utterance, place: int) -> bool:
    first, last = next(_clauses(said, place, place + 1))
    return negation.begins_to_suppose(said.words[first:last].strip())


def _clauses(said: Utterance, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The clauses that a stretch touches, from where to where."""
    first, last = bisect_right(said.clauses, start) - 1, bisect_left(said.clauses, end)
    over = said.clauses[last] if last < len(said.clauses) else len(said.words)
    return pairwise((*said.clauses[first:last], over))


_BLANK: Final = "\0"
"""No utterance has it: it is no letter and no sign."""
_GAPS: Final = ("", " ", "\n")
_SPEAKING: Final = ("Mn", "Mc", "Me", "Sc", "Sm")
"""Marks, currencies and the signs of mathematics: to leave them out makes another number of it."""
_INSIDE: Final = ".,:'-+_/@%#&^°"
_EDGES: Final = ".,:'-_/"
_ONE_WAY: Final = str.maketrans("’‘‐−⁄", "''--/", "|~")
_MINUS: Final = re.compile(r"(?<!\S)[-–](?=[.\d])|(?<!\S)[-–](?=[^\w\s]\d)")
_NUMBER: Final = re.compile(r"\W?\d")
_POWER: Final = re.compile("[⁺⁻]*[⁰¹²³⁴-⁹]+")
_MIXED: Final = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
"""2½ is 2+1/2: neither 2 nor 21/2."""
_TITLES: Final = "".join(rf"(?<!\b{title})" for title in ("dr", "mr", "mrs", "ms", "prof", "st", "डॉ"))
_SENTENCE_END: Final = re.compile(
    rf"""(?:[!?。।॥؟۔]|\.{{2,}}|{_TITLES}\.(?=[\s"')\]”]|$)|\n\s*\n)(?:\.(?!\w)|[\s!?。।॥؟۔"')\]”])*"""
)
_CLAUSE_END: Final = re.compile(r"[,:](?!\S)|(?<!\d),|,(?!\d)|[;、]")
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, Kana and Han, which set no space between words, and Hangul, which adds particles."""
_HAN_NUMBERS: Final = "〇零一二三四五六七八九十百千万萬亿億两兩半"
