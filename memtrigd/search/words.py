"""One word of a script with spaces: its terms, each way that somebody may ask for it."""

import hashlib
import re
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from snowballstemmer.arabic_stemmer import ArabicStemmer
from snowballstemmer.armenian_stemmer import ArmenianStemmer
from snowballstemmer.basestemmer import BaseStemmer
from snowballstemmer.english_stemmer import EnglishStemmer
from snowballstemmer.greek_stemmer import GreekStemmer
from snowballstemmer.hindi_stemmer import HindiStemmer
from snowballstemmer.russian_stemmer import RussianStemmer
from snowballstemmer.tamil_stemmer import TamilStemmer

from memtrigd.search import devanagari, hangul
from memtrigd.search.folding import fold, strip_accents
from memtrigd.search.irregular import BASE
from memtrigd.search.scripts import RUN

LONGEST: Final = 64
"""Characters of a term. Longer ones are blobs, not words: found whole, by their digest, and without a stem."""

_STEMMERS: Final = (
    (re.compile("[a-zß-ʯ]+"), EnglishStemmer),
    (re.compile("[Ѐ-ԯ]+"), RussianStemmer),
    (re.compile("[Ͱ-Ͽ]+"), GreekStemmer),
    (re.compile("[ؠ-ۿ]+"), ArabicStemmer),
    (re.compile("[Ա-֏]+"), ArmenianStemmer),
    (re.compile("[ஂ-௺]+"), TamilStemmer),
)
"""One language an alphabet: a memory of one sentence does not tell its language.

By class, not by ``snowballstemmer.stemmer``: that one takes a C library of another version where it finds one, and the
words of an index would no longer be those of its queries.
"""

# userName, XMLHttpRequest, python3, 10km; not APIs, and not the single letters of a3f9.
_HUMP: Final = re.compile(
    "(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})|(?<=[A-Za-z]{2})(?=[0-9])|(?<=[0-9])(?=[A-Za-z]{2})"
)
_MAY_HUMP: Final = re.compile("[A-Z0-9]")
"""What every hump has beside it: without one nothing looks at each place of a blob in four ways."""
_CLITIC: Final = re.compile("'(?:s|d|m|ll|re|ve)$")


class Token(NamedTuple):
    """A piece of a text: how it reads (to tell stop words) and what it is found by."""

    surface: str
    terms: tuple[str, ...]


def analyse(word: str) -> tuple[Token, ...]:
    """Analyse a prepared word: letters, digits, marks and inner apostrophes of scripts that use spaces."""
    return _known(word) if len(word) <= LONGEST else _analyse(word)


def _analyse(word: str) -> tuple[Token, ...]:
    plain = strip_accents(word).replace("''", "'")
    runs = [(str(match.lastgroup), match.group().strip("'")) for match in RUN.finditer(plain)]
    tokens = [token for script, run in runs if run for token in _run(script, run)]
    if len(runs) > 1:
        tokens.insert(0, whole(plain))
    return tuple(tokens)


_known: Final = lru_cache(maxsize=1 << 15)(_analyse)
"""Texts repeat their words, and stemming is slow. Words over LONGEST stay out: one may be a mebibyte."""


def whole(text: str) -> Token:
    """Make a token of a text as it stands, folded; of its digest, where it is too long for a term."""
    folded = fold(text)
    return Token(folded, (bounded(folded),))


def bounded(term: str) -> str:
    """Return a term as it is, or the digest of one over LONGEST."""
    if len(term) <= LONGEST:
        return term
    return hashlib.blake2s(term.encode(), digest_size=16).hexdigest()


def _run(script: str, run: str) -> list[Token]:
    """Analyse a stretch of one script."""
    if script == "latin":
        pieces = _HUMP.split(run) if _MAY_HUMP.search(run) else [run]
        return [_plain(run), *(chain.from_iterable(map(analyse, pieces)) if len(pieces) > 1 else ())]
    if script == "devanagari":
        word = devanagari.normalise(run)
        root = _stem(HindiStemmer, devanagari.strip_case(word))
        return [Token(word, (bounded(root), *devanagari.trigrams(word)))]
    if script == "hangul":
        return [Token(run, tuple(map(bounded, hangul.terms(run))))]
    return [_plain(run)]


def _plain(run: str) -> Token:
    """Analyse letters with an alphabet: the stem; an elided word also by its tail (O'Brien, l'été)."""
    surface = _CLITIC.sub("", fold(run))
    joined = surface.replace("'", "")
    tail = surface.rpartition("'")[2]
    forms = [joined, tail] if 3 <= len(tail) < len(joined) else [joined]
    return Token(joined, tuple(bounded(_stemmed(form)) for form in forms))


def _stemmed(word: str) -> str:
    """Return the stem of a folded word in the language of its alphabet, else the word."""
    word = BASE.get(word, word)
    return next((_stem(stemmer, word) for letters, stemmer in _STEMMERS if letters.fullmatch(word)), word)


def _stem(stemmer: type[BaseStemmer], word: str) -> str:
    """Return the Snowball stem. A stemmer holds the word it works on, so each call has its own: threads meet here."""
    return str(stemmer().stemWord(word)) or word if len(word) <= LONGEST else word
