"""Terms in the full-text index."""

from itertools import count

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.store.lexicon import MAX_TOKEN, spelling, token

NASTY = [
    "c++",
    "gb/s",
    "38.101",
    "user's",
    '"',
    "''",
    "\\",
    "`",
    "AND",
    "And",
    "NEAR(",
    "😀",
    "👩‍👩‍👧",
    "कि",
    "की",
    "É",
    "é",
]
MARKS = [
    "\ue000private",
    "\ufdd0",
    "\ufdd041",
    "a b",
    "tab\t",
    "\x00",
    "\x1c",
    "\u00a0",
    "\u3000",
    "中文",
    "ß",
    "x" * 40_000,
]


def _postings(index: apsw.Connection, term: str) -> list[tuple[int, int]]:
    return list(index.execute("SELECT doc, count(*) FROM posting WHERE term = ? GROUP BY doc", (token(term),)))


@pytest.mark.parametrize("term", NASTY + MARKS)
def test_a_term_is_one_token_whatever_characters_it_has(index: apsw.Connection, term: str) -> None:
    """It is found whole, as often as it stands there, and nothing else is indexed."""
    index.execute("DELETE FROM lexicon")
    index.execute("INSERT INTO lexicon (rowid, terms) VALUES (7, ?)", (spelling([term, "other", term]),))
    assert _postings(index, term) == [(7, 2)]
    assert index.execute("SELECT count(*) FROM posting").fetchone() == (3,)


terms = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
documents = count(100)


@given(st.lists(terms, min_size=1, max_size=8))
def test_every_term_of_a_document_is_found_again(index: apsw.Connection, document: list[str]) -> None:
    """Any Unicode text serves as a term, and different terms never meet in one token."""
    number = next(documents)
    index.execute("INSERT INTO lexicon (rowid, terms) VALUES (?, ?)", (number, spelling(document)))
    for term in document:
        assert (number, document.count(term)) in _postings(index, term)
    assert index.execute("SELECT count(*) FROM posting WHERE doc = ?", (number,)).fetchone() == (len(document),)


def test_long_terms_stay_apart() -> None:
    """Terms that differ only far behind don't become the same token."""
    assert token("x" * MAX_TOKEN + "a") != token("x" * MAX_TOKEN + "b")


def test_plain_words_are_spelt_as_they_are() -> None:
    """The index of ordinary text holds the words themselves, so it stays small."""
    assert spelling(["hello", "welt", "कि", "c++"]) == "hello welt कि c++"
