"""BM25: the best first, and by nothing that the session may not see."""

from collections import Counter
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrigd.domain.levels import Level
from memtrigd.search import lexical
from memtrigd.search.analyser import query_terms, terms
from memtrigd.search.weights import weight
from tests.search.shelves import Reader, indexed, rank, shelf, view


def numbers(hits):
    """Return the documents of hits in order."""
    return [hit.document for hit in hits]


WORDS = st.lists(st.sampled_from(["merger", "coffee", "the", "user-name", "咖啡", "घराचे", "🙂"]), max_size=6).map(
    " ".join
)
TEXTS = st.lists(WORDS, max_size=6)


def plainly(corpora, query):
    """The scores by the textbook: by number for each corpus of (whether its space is in sight, text)."""
    texts = [{n: terms(text) for n, (space, text) in enumerate(corpus, start=1) if space} for corpus in corpora]
    seen = [found for corpus in texts for found in corpus.values()]
    average = sum(map(len, seen)) / len(seen) if seen else 0
    asked = query_terms(query)
    having = {term: sum(term in found for found in seen) for term in asked}

    def score(found):
        total = 0.0
        for term in asked:
            times, n = Counter(found)[term], having[term]
            idf = log(1 + (len(seen) - n + 0.5) / (n + 0.5))
            damping = 0.9 * (1 - 0.3 + 0.3 * len(found) / average) if times else 1
            total += weight(term) * idf * times / (times + damping)
        return total

    return [{n: score(found) for n, found in corpus.items() if set(found) & set(asked)} for corpus in texts]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.lists(st.tuples(st.booleans(), WORDS), max_size=6), min_size=1, max_size=3), WORDS)
def test_a_score_is_that_of_the_textbook(corpora, query):
    """Over several levels, of which a caller sees some spaces; what is not seen has no score and counts nowhere."""
    indexes = [
        shelf(level, [indexed(n, text, space="ours" if seen else "theirs") for n, (seen, text) in enumerate(corpus, 1)])
        for level, corpus in zip(Level, corpora, strict=False)
    ]
    sights = [view(index, lambda space: space == "ours") for index in indexes]
    asked = query_terms(query)
    found = lexical.matches(sights, asked, Reader().term_hashes(asked))
    scores = [
        {int(n): score for n, score in zip(index.at.number, column, strict=True) if score}
        for index, column in zip(indexes, found.scores, strict=True)
    ]
    assert scores == [pytest.approx(each, rel=1e-12) for each in plainly(corpora, query)]


@settings(deadline=None, max_examples=40)
@given(TEXTS, st.lists(TEXTS, max_size=3), WORDS)
def test_levels_that_are_not_read_change_no_bit(public, higher, query):
    """A session's order and scores come from the levels it reads alone, to the last bit, and so do ties."""
    alone = rank([shelf(Level.PUBLIC, public)], query)
    stack = [shelf(level, texts) for level, texts in zip(Level, [public, *higher], strict=False)]
    seen_from_above = {(hit.level, hit.document) for hit in rank(stack, query)}
    beside = rank(stack[:1], query)
    assert [(hit.score.hex(), hit.document) for hit in beside] == [(hit.score.hex(), hit.document) for hit in alone]
    assert seen_from_above >= {(hit.level, hit.document) for hit in alone}


@settings(deadline=None, max_examples=40)
@given(TEXTS, TEXTS, WORDS)
def test_spaces_out_of_sight_change_no_bit(ours, theirs, query):
    """As levels: what another project says is neither found nor counted, however it lies among what is in sight."""
    mixed = [indexed(2 * n, text, space="ours") for n, text in enumerate(ours, 1)]
    mixed += [indexed(2 * n + 1, text, space="theirs") for n, text in enumerate(theirs, 1)]
    alone = rank([shelf(Level.PUBLIC, mixed[: len(ours)])], query)
    assert rank([shelf(Level.PUBLIC, sorted(mixed))], query, lambda space: space == "ours") == alone


def test_statistics_are_sums_over_the_levels_read():
    """Two levels rank as one corpus: where the same texts lie makes no difference to their scores."""
    texts = ["merger talks in May", "coffee in the morning", "merger merger", "tea"]
    together = {hit.document: hit.score for hit in rank([shelf(Level.PUBLIC, texts)], "merger coffee")}
    apart = rank([shelf(Level.INTERNAL, texts[2:]), shelf(Level.PUBLIC, texts[:2])], "merger coffee")
    assert {hit.document + 2 * hit.level: hit.score for hit in apart} == {
        1: together[1],
        2: together[2],
        3: together[3],
    }


def test_more_mentions_rank_higher():
    """BR-052: at equal length 6 mentions come before 3 before 1, and scores fall."""
    texts = [" ".join(["tea"] * n + ["filler"] * (8 - n)) for n in (1, 3, 6)]
    hits = rank([shelf(Level.PUBLIC, texts)], "tea")
    assert numbers(hits) == [3, 2, 1]
    assert hits[0].score > hits[1].score > hits[2].score > 0


@pytest.mark.parametrize("query", ["!!!", "   ", "", "🙂", "nowhere"])
def test_a_question_about_nothing_finds_nothing(query):
    """BR-050: no term, or none that is stored, means no hit."""
    assert rank([shelf(Level.PUBLIC, ["the user likes tea"])], query) == []


def test_an_empty_store_finds_nothing():
    """Without memories, and without levels, there is an answer too: none."""
    assert rank([shelf(Level.PUBLIC, [])], "tea") == rank([], "tea") == []


def test_a_word_weighs_more_than_a_likeness():
    """A Devanagari word in another case comes before words that only share letters with it."""
    texts = ["घरटे बांधले", "घराच्या मागे", "घरघर करते"]
    assert numbers(rank([shelf(Level.PUBLIC, texts)], "घर"))[0] == 2
