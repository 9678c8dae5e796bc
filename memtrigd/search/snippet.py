"""The piece of a text that shows why it was found: around the best of what matches, cut between words."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from memtrigd.search.analyser import terms as terms_of
from memtrigd.search.devanagari import MARK
from memtrigd.search.irregular import BASE
from memtrigd.search.scripts import CJK, SOUTHEAST_ASIAN, ZWJ
from memtrigd.search.weights import FRAGMENT, weight
from memtrigd.search.words import LONGEST

LIMIT: Final = 320
"""Characters of a snippet, its marks counted."""
BYTES: Final = 480
"""Bytes of UTF-8 of a piece of a longer text: a Chinese character tells more than a Latin letter, and costs more."""
WHOLE: Final = (0.0, 1.0)
"""All of a text."""
MARKED: Final = "…"
"""Stands where text was left out."""
TIMES: Final = 64
"""Places of one term that are looked at: where it is said more often, one place is as good as another."""
SLACK: Final = 40
"""Characters that are given up at an end of a snippet, so that it ends between words."""
_STEM: Final = 3
"""Letters by which every form of a longer word begins."""

_CONTINUOUS: Final = re.compile(f"[{''.join((CJK | SOUTHEAST_ASIAN).values())}]")
_LATIN: Final = re.compile("[a-z0-9']+")
_ENDS: Final = re.compile(r"[.!?…]['\")\]]*\s+|[。！？।॥]\s*|\n+\s*")
"""Where a sentence ends, with what stands before the next."""
_VIRAMAS: Final = frozenset("\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u1039\u17d2")
"""What makes one cluster of two consonants."""
_PLAIN: Final = {
    point: base
    for point in range(0xC0, 0x250)
    if len(folded := chr(point).casefold()) == 1
    and (base := ord(unicodedata.normalize("NFD", folded)[0])) < point
    and chr(base).isalpha()
}
"""Letters with accents and the letter that each is without: as many as before, so that places stay."""


class Match(NamedTuple):
    """Where a text has a term."""

    start: int
    end: int
    term: str


def snippet(text: str, terms: Sequence[str], limit: int = LIMIT, part: tuple[float, float] = WHOLE) -> str:
    """Return a text, or of one over ``limit`` characters the piece that has most of some terms of a question.

    Only a ``part`` of it is looked at, from 0 to 1; where nothing matches there, it is the beginning of that. What is
    left out before or behind is marked; no word is cut if it can be helped, and no cluster of characters that are read
    as one. Takes time linear to the text.
    """
    if len(text) <= limit:
        return text
    begin, end = (int(len(text) * each) for each in part)
    found = [each for each in matches(text, terms) if begin <= each.start < end]
    room = _room(text, limit)
    first, last = _best(found, room, begin)
    closer = _room(text[max(0, first - limit) : first + limit], limit)
    if closer < room:  # what is there has more bytes to a character than the rest
        room = closer
        first, last = _best([each for each in found if first <= each.start and each.end <= last], room, first)
    start = _beginning(text, first, max(0, room - (last - first)))
    end = min(len(text), start + room)
    if end < len(text):
        end = _end(text, end, max(start, min(last, end)))
    piece = text[start:end].strip()
    return f"{MARKED * bool(text[:start].strip())}{piece}{MARKED * bool(text[end:].strip())}"


def matches(text: str, terms: Sequence[str]) -> list[Match]:
    """Return where a text has the terms of a question, in order."""
    plain = _folded(text)
    known: dict[str, list[str]] = {}
    found = set()
    for term in terms:
        bare = term.replace(MARK, "")
        if len(bare) < len(term) and len(bare) < 2:
            continue
        words = [bare, *(form for form, base in BASE.items() if base == bare)] if _LATIN.fullmatch(bare) else ()
        for word in words:
            found.update(_words(text, plain, word[: max(_STEM, len(word) - 2)], term, known))
        if not words:
            found.update(Match(place, place + len(bare), term) for place in _places(plain, bare))
    return sorted(found)


def _words(text: str, plain: str, seed: str, term: str, known: dict[str, list[str]]) -> list[Match]:
    """The words that begin like a term and have it; a stem is not in the text as it stands."""
    found = []
    end = 0
    for place in _places(plain, seed):
        start = place
        while start > end and place - start < LONGEST and _LATIN.match(plain, start - 1):
            start -= 1
        if place < end or (word := _LATIN.match(plain, start, start + LONGEST)) is None:
            continue
        end = word.end()
        said = text[start:end]
        if said not in known:
            known[said] = terms_of(said)
        if term in known[said]:
            found.append(Match(start, end, term))
    return found


def _places(plain: str, seed: str) -> list[int]:
    found: list[int] = []
    place = plain.find(seed)
    while place >= 0 and len(found) < TIMES:
        found.append(place)
        place = plain.find(seed, place + len(seed))
    return found


def _folded(text: str) -> str:
    """A text without case and accents in which every character has its place."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(small if len(small := each.lower()) == 1 else each for each in text)
    return lower if lower.isascii() else lower.translate(_PLAIN).replace("’", "'")


def _best(found: Sequence[Match], limit: int, unfound: int) -> tuple[int, int]:
    """Where the matches begin and end that tell most within a limit; of windows as good as each other the first."""
    if not found:
        return unfound, unfound
    worth = {each.term: FRAGMENT * weight(each.term) if MARK in each.term else weight(each.term) for each in found}
    inside: Counter[str] = Counter()
    best, score, total, last = (found[0].start, found[0].end), 0.0, 0.0, 0
    for first, match in enumerate(found):
        while last < len(found) and (last == first or found[last].end <= match.start + limit):
            total += worth[found[last].term] * (not inside[found[last].term])
            inside[found[last].term] += 1
            last += 1
        if total > score + 1e-9:
            best, score = (match.start, max(each.end for each in found[first:last])), total
        inside[match.term] -= 1
        total -= worth[match.term] * (not inside[match.term])
    return best


def _room(text: str, limit: int) -> int:
    """How many characters of a text fit both limits, with room for two marks."""
    density = len(text.encode()) / len(text)
    return max(1, min(limit - 2, int((BYTES - 6) / density)))


def _beginning(text: str, first: int, spare: int) -> int:
    """Where a snippet begins: with the sentence of the first match if that is near, else some words before it."""
    start = max(0, first - spare // 3)
    if start == 0:
        return 0
    sentence = next((found.end() for found in _ENDS.finditer(text, start, first) if found.end() <= first), None)
    if sentence is not None:
        return sentence
    near = range(start, min(first, start + SLACK) + 1)
    return next((place for place in near if between_words(text, place)), _whole(text, start))


def _end(text: str, end: int, least: int) -> int:
    near = range(end, max(least, end - SLACK), -1)
    return next((place for place in near if between_words(text, place)), _whole(text, end))


def _whole(text: str, place: int) -> int:
    """The next place from one back where no cluster is cut; that one itself where none is near."""
    near = range(place, max(0, place - LONGEST) - 1, -1)
    return next((each for each in near if between_clusters(text, each)), place)


def between_words(text: str, place: int) -> bool:
    """Tell whether a text may be cut at a place without cutting a word; scripts without spaces may be anywhere."""
    if not 0 < place < len(text):
        return True
    before, behind = text[place - 1], text[place]
    if not between_clusters(text, place):
        return False
    return not (_is_of_word(before) and _is_of_word(behind)) or bool(
        _CONTINUOUS.match(before) or _CONTINUOUS.match(behind)
    )


def between_clusters(text: str, place: int) -> bool:
    """Tell whether a text may be cut at a place without cutting what is read as one character.

    As Unicode's extended grapheme clusters, with conjuncts of Indic scripts and jamo kept together, too.
    """
    if not 0 < place < len(text):
        return True
    before, behind = text[place - 1], text[place]
    if behind.isascii() and before.isascii():
        return not (before == "\r" and behind == "\n")
    if before == ZWJ or before in _VIRAMAS or unicodedata.category(behind)[0] == "M":
        return False
    if behind in (ZWJ, "\u200c") or "\U0001f3fb" <= behind <= "\U0001f3ff" or "\U000e0020" <= behind <= "\U000e007f":
        return False
    pair = (before, behind)
    return not (
        all("\u1100" <= each <= "\u11ff" for each in pair)
        or all("\U0001f1e6" <= each <= "\U0001f1ff" for each in pair)
        or behind in "\u0e33\u0eb3"
        or ("\uac00" <= before <= "\ud7a3" and "\u1160" <= behind <= "\u11ff")
    )


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character in "_'’" or unicodedata.category(character)[0] == "M"
