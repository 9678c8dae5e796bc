"""Ranking: the best first, and by nothing that the session may not see."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.levels import Level
from memtrigd.search.analyser import terms
from memtrigd.search.lexical import Hit, rank
from memtrigd.store.interface import Corpus


class Shelf:
    """The index of one level in memory: what ranking asks of a LevelReader."""

    def __init__(self, level, texts):
        self.level = level
        self._texts = [terms(text) for text in texts]
        self._index = {}
        for document, found in enumerate(self._texts, start=1):
            for term, times in Counter(found).items():
                self._index.setdefault(term, []).append((document, times))

    def corpus(self):
        """Return how many texts there are, and how long they are together."""
        return Corpus(documents=len(self._texts), terms=sum(map(len, self._texts)))

    def postings(self, term):
        """Return (document, times) for a term."""
        return list(self._index.get(term, ()))

    def lengths(self, documents):
        """Return the lengths of the documents asked for."""
        return {document: len(self._texts[document - 1]) for document in documents}


def numbers(hits):
    """Return the documents of hits in order."""
    return [hit.document for hit in hits]


WORDS = st.lists(st.sampled_from(["merger", "coffee", "the", "user-name", "咖啡", "घराचे", "🙂"]), max_size=6).map(
    " ".join
)
TEXTS = st.lists(WORDS, max_size=6)


@given(TEXTS, st.lists(TEXTS, max_size=3), WORDS)
def test_levels_that_are_not_read_change_no_bit(public, higher, query):
    """A session's order and scores come from the levels it reads alone, to the last bit, and so do ties."""
    alone = rank([Shelf(Level.PUBLIC, public)], query)
    stack = [Shelf(level, texts) for level, texts in zip(Level, [public, *higher], strict=False)]
    seen_from_above = {(hit.level, hit.document) for hit in rank(stack, query)}
    beside = rank(stack[:1], query)
    assert [(hit.score.hex(), hit.document) for hit in beside] == [(hit.score.hex(), hit.document) for hit in alone]
    assert seen_from_above >= {(hit.level, hit.document) for hit in alone}


def test_statistics_are_sums_over_the_levels_read():
    """Two levels rank as one corpus: where the same texts lie makes no difference to their scores."""
    texts = ["merger talks in May", "coffee in the morning", "merger merger", "tea"]
    together = {hit.document: hit.score for hit in rank([Shelf(Level.PUBLIC, texts)], "merger coffee")}
    apart = rank([Shelf(Level.INTERNAL, texts[2:]), Shelf(Level.PUBLIC, texts[:2])], "merger coffee")
    assert {hit.document + 2 * hit.level: hit.score for hit in apart} == {
        1: together[1],
        2: together[2],
        3: together[3],
    }


def test_more_mentions_rank_higher():
    """BR-052: at equal length 6 mentions come before 3 before 1, and scores fall."""
    texts = [" ".join(["tea"] * n + ["filler"] * (8 - n)) for n in (1, 3, 6)]
    hits = rank([Shelf(Level.PUBLIC, texts)], "tea")
    assert numbers(hits) == [3, 2, 1]
    assert hits[0].score > hits[1].score > hits[2].score > 0


def test_a_score_is_the_formula():
    """One term, worked by hand: ln(1 + (2 - 1 + ½) / (1 + ½)) · 2 / (2 + 0.9 · (0.7 + 0.3 · 4 / 3))."""
    (hit,) = rank([Shelf(Level.PUBLIC, ["tea tea with milk", "black coffee"])], "tea")
    assert hit == Hit(pytest.approx(0.6931471805599453 * 2 / (2 + 0.9 * (0.7 + 0.3 * 4 / 3))), Level.PUBLIC, 1)


def test_every_match_is_returned():
    """Ranking sets no limit: 60 higher rows starve no lower one, for filters and shadowing come before the limit."""
    shelves = [Shelf(Level.RESTRICTED, ["merger"] * 60), Shelf(Level.PUBLIC, ["a merger of two"])]
    assert len(rank(shelves, "merger")) == 61


@pytest.mark.parametrize("order", [1, -1])
def test_ties_fall_to_the_higher_level_then_the_older_document(order):
    """Equal scores have one order, whatever the order of the readers."""
    shelves = [Shelf(level, ["tea", "tea"]) for level in (Level.PUBLIC, Level.CONFIDENTIAL)]
    hits = rank(shelves[::order], "tea")
    assert [(hit.level.name, hit.document) for hit in hits] == [
        *(("CONFIDENTIAL", 1), ("CONFIDENTIAL", 2)),
        *(("PUBLIC", 1), ("PUBLIC", 2)),
    ]


@pytest.mark.parametrize("query", ["!!!", "   ", "", "🙂", "nowhere"])
def test_a_question_about_nothing_finds_nothing(query):
    """BR-050: no term, or none that is stored, means no hit."""
    assert rank([Shelf(Level.PUBLIC, ["the user likes tea"])], query) == []


def test_an_empty_store_finds_nothing():
    """Without memories, and without levels, there is an answer too: none."""
    assert rank([Shelf(Level.PUBLIC, [])], "tea") == rank([], "tea") == []


@pytest.mark.parametrize(
    ("query", "best"),
    [("C++", 1), ("node.js", 2), ("GB/s", 3), ("38.101", 4), ("user-name", 5), ("what's the deal?", 6)],
)
def test_the_exact_name_comes_first(query, best):
    """BR-044: among memories that share its words, the one that has the very name is first."""
    texts = ["uses C++ daily", "a node.js server", "5 GB/s at best", "section 38.101 of it", "user-name is Asha"]
    decoys = ["the deal is done", "C is fine", "a node of js", "5 GB", "38 and 101", "the name of the user"]
    assert numbers(rank([Shelf(Level.PUBLIC, texts + decoys)], query))[0] == best


def test_a_word_weighs_more_than_a_likeness():
    """A Devanagari word in another case comes before words that only share letters with it."""
    texts = ["घरटे बांधले", "घराच्या मागे", "घरघर करते"]
    assert numbers(rank([Shelf(Level.PUBLIC, texts)], "घर"))[0] == 2
