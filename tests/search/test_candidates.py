"""Ranking: what speaks for a memory, and in which order everything is given that answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY
from memtrigd.search import candidates, fusion
from memtrigd.search.candidates import DEPTH
from memtrigd.search.question import Filters, question
from tests.search.shelves import Reader, indexed, rank, shelf, view

MINUTE = 60_000_000


def numbers(hits):
    """Return the documents of hits in order."""
    return [hit.document for hit in hits]


def talk(*texts, session="s", start=DAY, apart=MINUTE):
    """What was said in one session, a minute after the other, as the documents from 1 on."""
    return [
        indexed(n, text, session=session, valid_from=start + n * apart, created=n) for n, text in enumerate(texts, 1)
    ]


class Nearness:
    """A meaning that is known for some places: a vector would say the same."""

    floor = 2.0

    def __init__(self, **scores):
        self._scores = {int(name[1:]): score for name, score in scores.items()}

    def scores(self, index):
        """For each place what was given for its number, NaN for the others."""
        return np.array([self._scores.get(int(number), np.nan) for number in index.at.number])


def test_every_match_is_given_once_however_many():
    """No limit starves a lower row: filters of sight and the winner of a key are asked behind the ranking."""
    texts = [f"merger number {n}" for n in range(3 * DEPTH)]
    indexes = [shelf(Level.RESTRICTED, texts), shelf(Level.PUBLIC, ["a merger of two", "no match"])]
    found = rank(indexes, "merger")
    assert len(found) == len({(hit.level, hit.document) for hit in found}) == 3 * DEPTH + 1


@pytest.mark.parametrize("order", [1, -1])
def test_ties_fall_to_the_higher_level_then_the_older_document(order):
    """Equal scores have one order, whatever the order of the readers."""
    shelves = [shelf(level, ["tea", "tea"]) for level in (Level.PUBLIC, Level.CONFIDENTIAL)]
    hits = rank(shelves[::order], "tea")
    assert [(hit.level.name, hit.document) for hit in hits] == [
        *(("CONFIDENTIAL", 1), ("CONFIDENTIAL", 2)),
        *(("PUBLIC", 1), ("PUBLIC", 2)),
    ]


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(1, DEPTH + 40)))
def test_of_equal_ones_the_oldest_are_weighed_first(order):
    """Where the documents lie in memory, which tells when somebody searched, has no part in it."""
    index = shelf(Level.PUBLIC, [indexed(n, "tea") for n in order])
    assert numbers(rank([index], "tea")) == list(range(1, DEPTH + 40))


@pytest.mark.parametrize(
    ("query", "best"),
    [("C++", 1), ("node.js", 2), ("GB/s", 3), ("38.101", 4), ("user-name", 5), ("what's the deal?", 6)],
)
def test_the_exact_name_comes_first(query, best):
    """BR-044: among memories that share its words, the one that has the very name is first."""
    texts = ["uses C++ daily", "a node.js server", "5 GB/s at best", "section 38.101 of it", "user-name is Asha"]
    decoys = ["the deal is done", "C is fine", "a node of js", "5 GB", "38 and 101", "the name of the user"]
    assert numbers(rank([shelf(Level.PUBLIC, texts + decoys)], query))[0] == best


def test_an_identifier_stands_before_any_number_of_its_parts():
    """A long memory that says it once comes before a short one that says its words many times."""
    long = "node.js " + " ".join(f"filler{n}" for n in range(300))
    first, *_ = rank([shelf(Level.PUBLIC, ["node js node js node js", long])], "node.js")
    assert first.document == 2 and "key" in first.why


def test_a_key_stands_before_everything():
    """What the question names by its key is meant, in any spelling, whatever else says its words."""
    texts = [indexed(1, "coffee beans coffee beans"), indexed(2, "from Kenya", key="Coffee  Beans!")]
    assert numbers(rank([shelf(Level.PUBLIC, texts)], "coffee beans")) == [2, 1]


def test_what_is_beside_a_match_in_a_conversation_is_found_behind_it():
    """The answer follows the question, and says none of its words; what was said on another day is no part of it."""
    said = talk("Which tea do you like?", "Darjeeling, by far", "And you?", "I run a marathon")
    other = indexed(5, "See you", session="s", valid_from=3 * DAY)
    hits = rank([shelf(Level.PUBLIC, [*said, other])], "tea")
    assert numbers(hits) == [1, 2] and hits[1].why == ("neighbour",)


def test_memories_that_were_saved_one_after_the_other_are_no_conversation():
    """Without a moment at which they were true they have nothing to do with each other."""
    facts = [indexed(n, text, session="s") for n, text in enumerate(("likes tea", "has a dog", "tea at five"), 1)]
    assert sorted(numbers(rank([shelf(Level.PUBLIC, facts)], "tea"))) == [1, 3]


def test_a_neighbour_lifts_a_match():
    """Of two that say the same the one is better whose neighbour speaks of it too."""
    said = talk("tea again", "hm", "hm", "hm", "a lot of tea", "tea again")
    assert numbers(rank([shelf(Level.PUBLIC, said)], "tea")).index(6) < numbers(
        rank([shelf(Level.PUBLIC, said)], "tea")
    ).index(1)


def test_what_is_two_turns_away_lifts_a_match_less_than_what_is_one_away():
    """Of three that say the same: the one beside another mention, the one a turn further, and the one that is alone."""
    said = talk("tea again", "well", "yes", "so much tea")
    other = talk("tea again", "well", "so much tea", "yes", session="t", start=3 * DAY)
    alone = talk("tea again", "well", "yes", "so so much of it", session="u", start=5 * DAY)
    moved = [row._replace(number=n, id=f"id-{n}") for n, row in enumerate([*said, *other, *alone], 1)]
    found = {hit.document: hit.score for hit in rank([shelf(Level.PUBLIC, moved)], "tea")}
    assert found[5] > found[1] and found[5] > found[9]


def test_a_conversation_about_it_lifts_what_it_says_in_passing():
    """Of two turns that say the same, the one counts more in whose conversation another turn answers best."""
    said = talk("we walked to the harbour", "hm", "hm", "hm", "lighthouse, harbour, harbour, harbour")
    other = talk("we walked to the harbour", "hm", "hm", "hm", "harvest", session="t", start=3 * DAY)
    moved = [row._replace(number=n, id=f"id-{n}") for n, row in enumerate([*said, *other], 1)]
    found = {hit.document: hit.score for hit in rank([shelf(Level.PUBLIC, moved)], "lighthouse harbour")}
    assert found[1] > found[6]


def test_a_fact_that_stands_alone_is_as_good_as_the_best_of_a_conversation():
    """It is a conversation of itself: many turns about something else bury nothing."""
    said = [*talk("the harbour at night", "hm", "hm", "hm"), indexed(9, "the harbour at night")]
    found = {hit.document: hit.score for hit in rank([shelf(Level.PUBLIC, said)], "harbour")}
    assert found[1] == pytest.approx(found[9])


def test_a_turn_that_is_gone_lifts_its_conversation_no_more():
    """What was its best is deleted: the others weigh as if it had never been there."""
    said = talk("we walked to the harbour", "hm", "hm", "hm", "lighthouse, harbour, harbour, harbour", "hm")
    index = shelf(Level.PUBLIC, said)
    index.change([said[4].id], [])
    rest = shelf(Level.PUBLIC, [row for row in said if row.number != said[4].number])
    query = "lighthouse harbour"
    assert [hit.score for hit in rank([index], query)] == [hit.score for hit in rank([rest], query)]


def test_the_one_who_is_named_comes_first():
    """A question that names one entity means the memories about it; one that names two means neither more."""
    texts = [
        indexed(1, "Vikram and tea", entity="vikram"),
        indexed(2, "Asha and tea", entity="asha"),
        indexed(3, "Asha, Vikram and the tea of the others", entity="others"),
    ]
    first, *_ = rank([shelf(Level.PUBLIC, texts)], "What tea does Asha drink?")
    assert first.document == 2 and "name" in first.why
    assert all("name" not in hit.why for hit in rank([shelf(Level.PUBLIC, texts)], "Do Asha and Vikram like tea?"))


def test_an_entity_out_of_sight_is_not_known():
    """A name that only another space has makes no difference to a question."""
    texts = [indexed(1, "Asha and tea", entity="asha", space="theirs"), indexed(2, "Asha says tea", entity="user")]
    (hit,) = rank([shelf(Level.PUBLIC, texts)], "the tea of Asha", lambda space: space == "default")
    assert hit.document == 2 and hit.why == ("words",)


def test_a_date_finds_what_was_then():
    """Without a word in common where it was then; with one the nearer the better."""
    days = [indexed(n, f"text {n}", valid_from=n * 5 * DAY) for n in range(1, 10)]
    then = ((10 * DAY, 11 * DAY),)
    (only,) = rank([shelf(Level.PUBLIC, days)], replace(question("anything then?"), dates=then))
    assert only.document == 2 and only.why == ("date",)
    hits = rank([shelf(Level.PUBLIC, days)], replace(question("the text"), dates=then))
    assert numbers(hits)[0] == 2 and set(numbers(hits)[1:4]) == {1, 3, 4} and len(hits) == 9
    assert [hit.why for hit in hits[:8]] == [("words", "date")] * 8 and hits[8].why == ("words",)


def test_meaning_finds_what_no_word_does_but_only_over_its_floor():
    """A hit by meaning alone must be near enough; what has a word of the question needs nothing more."""
    index = shelf(Level.PUBLIC, ["a warm drink", "something else", "tea"])
    hits = rank([index], "tea", meaning=Nearness(n1=2.5, n2=1.9, n3=-0.5))
    assert [(hit.document, hit.why) for hit in hits] == [(3, ("words",)), (1, ("meaning",))]


COMMON = ["the plumber came", "a plumber and a friend", "tea", "the garden", "a friend", "the boiler of the house"]
"""Of which a question about a harpsichord has one word at most."""


@pytest.mark.parametrize(
    ("query", "near", "found"),
    [
        ("Which plumber tuned the harpsichord?", 0.5, []),
        ("Which plumber tuned the harpsichord?", fusion.LIKELY, [1]),
        ("Which plumber tuned the harpsichord?", np.nan, [1]),
        ("Is the boiler of the house under warranty?", 0.5, [6]),
        ("plumber", 0.5, [1, 2]),
    ],
)
def test_one_word_of_many_finds_only_what_may_be_meant(query, near, found):
    """Where meaning is known: half of a question's weight is enough, that of words which nobody says counted, too."""
    index = shelf(Level.PUBLIC, COMMON)
    meaning = Nearness(n1=near, n2=0.5, n3=0.5, n4=0.5, n5=0.5, n6=0.5)
    meaning.floor = fusion.LIKELY + 1
    hits = rank([index], query, meaning=meaning)
    assert sorted(numbers(hits)) == found and all(hit.why == ("words",) for hit in hits)
    assert numbers(rank([index], query)), "by words alone any of them is enough"


def test_a_word_finds_a_long_text_however_little_it_means():
    """How much of a question a text has does not depend on its length, nor on how often it says it."""
    long = "harpsichord " + " ".join(f"filler{n}" for n in range(2000))
    texts = [long, *COMMON]
    unlike = Nearness(**{f"n{n}": -1.0 for n in range(1, len(texts) + 1)})
    assert numbers(rank([shelf(Level.PUBLIC, texts)], "harpsichord", meaning=unlike)) == [1]


def test_any_word_finds_what_is_told_of_the_one_who_is_named():
    """Who names an entity is told of it, though the rest of the question is about nothing."""
    texts = [indexed(1, "Asha likes tea", entity="asha"), indexed(2, "Asha is a friend of them", entity="others")]
    (hit,) = rank([shelf(Level.PUBLIC, texts)], "Who tuned Asha's old harpsichord?", meaning=Nearness(n1=0.5, n2=0.5))
    assert hit.document == 1 and hit.why == ("words", "name")


def test_what_all_have_in_common_lifts_nobody():
    """In a talk that is all about as near, a turn at its end is as good as one amid the others."""
    said = talk("hm", "well", "tea", "tea", "yes")
    alike = Nearness(n1=3.0, n2=3.0, n3=3.0, n4=3.0, n5=3.0)
    hits = rank([shelf(Level.PUBLIC, said)], "harpsichord", meaning=alike)
    assert [hit.score for hit in hits] == [0.0] * 5


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(-5, 9), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_what_is_usual_is_the_same_to_the_last_bit_in_any_order(near, chance):
    """Where documents lie in memory, which tells when somebody searched, moves no score by meaning."""
    rows = [indexed(n, "tea") for n in range(1, len(near) + 1)]
    meaning = Nearness(**{f"n{n}": each for n, each in enumerate(near, 1)})
    moved = chance.sample(rows, len(rows))
    first, second = (rank([shelf(Level.PUBLIC, each)], "tea", meaning=meaning) for each in (rows, moved))
    assert first == second


def test_what_is_usual_is_that_of_what_is_in_sight():
    """What another space or a level above holds moves no score by meaning."""
    own = [indexed(1, "tea"), indexed(2, "a warm drink")]
    other = [indexed(3, "tea", space="theirs"), indexed(4, "coffee", space="theirs")]
    meaning = Nearness(n1=1.0, n2=4.0, n3=9.0, n4=-3.0)
    alone, beside = (
        rank([shelf(Level.PUBLIC, rows)], "tea", lambda space: space == "default", meaning)
        for rows in (own, [*own, *other])
    )
    assert alone == beside and len(alone) == 2


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        (Filters(), [1, 2, 3, 4]),
        (Filters(kinds=("event",)), [2]),
        (Filters(kinds=("event", "habit")), [2, 3]),
        (Filters(sources=("stated",)), [3]),
        (Filters(entities=("asha",)), [1]),
        (Filters(since=3 * DAY), [3, 4]),
        (Filters(until=3 * DAY), [1, 2]),
        (Filters(since=2 * DAY, until=4 * DAY), [2, 3]),
        (Filters(tags=("any",)), []),
    ],
)
def test_filters_leave_out_and_change_no_score(filters, left):
    """What is left has the score that it has without them: statistics are those of what is in sight."""
    fields = [{"entity": "asha"}, {"kind": "event"}, {"kind": "habit", "source": "stated"}, {"valid_from": 4 * DAY}]
    texts = [indexed(n, "tea " * n, created=n * DAY, **each) for n, each in enumerate(fields, 1)]
    index = shelf(Level.PUBLIC, texts)
    asked = replace(question("tea"), filters=filters)
    whole = {hit.document: hit.score for hit in rank([index], "tea")}
    assert {hit.document: hit.score for hit in rank([index], asked)} == {n: whole[n] for n in left}


def test_more_is_weighed_only_where_more_is_wanted(monkeypatch):
    """The first hits come without the rest having been weighed."""
    weighed = []
    plain = candidates._weighed
    monkeypatch.setattr(candidates, "_weighed", lambda each, places: weighed.append(len(places)) or plain(each, places))
    index = shelf(Level.PUBLIC, ["tea"] * (5 * DEPTH))
    hits = candidates.rank([view(index)], question("tea"), Reader().term_hashes, lambda name: (name,))
    for _ in range(10):
        next(hits)
    assert weighed == [DEPTH]
