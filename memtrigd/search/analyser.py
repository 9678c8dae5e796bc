"""What a text is made of: the one function behind index and query, so that they can't drift apart."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Final

from memtrigd.domain.memory import Memory
from memtrigd.search import words
from memtrigd.search.folding import prepare
from memtrigd.search.grams import grams
from memtrigd.search.scripts import CJK, SOUTHEAST_ASIAN, TOKEN, ZWJ
from memtrigd.search.stopwords import STOPWORDS
from memtrigd.search.words import Token

_SEPARATOR: Final = re.compile(r"[/\\:@&=~]+")
_HYPHEN: Final = re.compile(r"[-_.#+]+")
_SKIN: Final = re.compile("[\U0001f3fb-\U0001f3ff]")

VERSION: Final = 1
"""Which analyser this is. One that makes other terms asks an index for what it does not have: with a new number each
level's index is made anew when the daemon starts."""
MOST_TIMES: Final = 32
"""How often a term counts in one memory: BM25 has long levelled off there (0.97 of its limit), and a text that says one
word a hundred thousand times would slow down everybody's search for that word."""
STEMMED: Final = 20_000
"""Different words of one text that are analysed. The others are indexed as they stand: a mebibyte of made-up words
would take ten seconds to stem, and nobody asks for the 20,001st in another form."""


def terms(text: str) -> list[str]:
    """Return the terms of a text for the index, repeats included. Takes any ``str``, in time linear to its length."""
    found: list[str] = []
    analysed: dict[str, tuple[str, ...]] = {}  # a text repeats its words: each is taken apart once
    for match in TOKEN.finditer(prepare(text)):
        script, piece = str(match.lastgroup), match.group()
        if script == "compound":
            if piece not in analysed:
                if len(analysed) >= STEMMED:
                    found += words.whole(piece).terms
                    continue
                analysed[piece] = _known(piece) if len(piece) <= words.LONGEST else _compound_terms(piece)
            found += analysed[piece]
            continue
        found += (term for token in _TAKE_APART[script](piece) for term in token.terms)
    return found


def query_terms(text: str) -> list[str]:
    """Return the different terms of a question, without stop words unless it has nothing else."""
    tokens = list(_tokens(text))
    telling = [token for token in tokens if token.surface not in STOPWORDS]
    return list(dict.fromkeys(term for token in telling or tokens for term in token.terms))


def whole_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text that is one identifier of several words, as `node.js`: as it stands. Else none.

    Of an option, as `--dry-run`, those of its name.
    """
    prepared = prepare(text).strip().lstrip("-")
    match = TOKEN.fullmatch(prepared)
    tokens = list(_compound(prepared)) if match is not None and match.lastgroup == "compound" else []
    return tokens[0].terms if len(tokens) > 1 else ()


def memory_terms(key: str, content: str, entity: str | None, tags: Sequence[str], context: str | None) -> list[str]:
    """Return what a memory is found by. Its level, agent and ids are no text of anybody's and are not searched."""
    counted: Counter[str] = Counter()
    for field in (key, content, entity, *tags, context):
        if field:
            counted.update(terms(field))
    return [term for term, times in counted.items() for _ in range(min(times, MOST_TIMES))]


def terms_of(memory: Memory) -> list[str]:
    """Return what a memory is found by."""
    return memory_terms(memory.key, memory.content, memory.entity, memory.tags, memory.context)


def _tokens(text: str) -> Iterator[Token]:
    for match in TOKEN.finditer(prepare(text)):
        yield from _TAKE_APART[str(match.lastgroup)](match.group())


def _compound(text: str) -> Iterator[Token]:
    """Analyse what stands without a space: whole, by its segments (a path's names, a URL's host), by their words."""
    segments = _SEPARATOR.split(text)
    if len(segments) > 1:
        yield words.whole(text)
    for segment in segments:
        name = segment.lstrip("-_.#+").rstrip("-_.")
        pieces = list(filter(None, _HYPHEN.split(name)))
        if pieces and pieces != [name]:
            yield words.whole(name)
        yield from chain.from_iterable(map(words.analyse, pieces))


def _compound_terms(text: str) -> tuple[str, ...]:
    return tuple(term for token in _compound(text) for term in token.terms)


_known: Final = lru_cache(maxsize=1 << 15)(_compound_terms)
"""Texts repeat one another's words, too."""


def _continuous(run: str, sizes: tuple[int, int]) -> Iterator[Token]:
    """Analyse a run without spaces by its n-grams of two sizes; one too short for any is its own term."""
    found = [gram for size in sizes for gram in grams(run, size)] or [run]
    yield from (Token(gram, (gram,)) for gram in found)


def _emoji(sequence: str) -> Iterator[Token]:
    """Analyse an emoji: as it stands, and the pictures that it is made of without their skin tones."""
    pictures = [_SKIN.sub("", picture) for picture in sequence.split(ZWJ)]
    yield Token(sequence, tuple(dict.fromkeys([words.bounded(sequence), *pictures])))


_TAKE_APART: Final[dict[str, Callable[[str], Iterator[Token]]]] = {
    "compound": _compound,
    "emoji": _emoji,
    **dict.fromkeys(CJK, partial(_continuous, sizes=(1, 2))),
    **dict.fromkeys(SOUTHEAST_ASIAN, partial(_continuous, sizes=(2, 3))),
}
