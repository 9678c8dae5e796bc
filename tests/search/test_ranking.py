"""What is as good as equal is put in order by trust and importance, and an answer is never buried by them."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY
from memtrigd.domain.trust import Rank
from memtrigd.search.fusion import PRIOR, date_fit, prior
from memtrigd.search.ranking import WAITING, Hit, settled

SCORES = st.lists(st.floats(0, 3), max_size=40).map(lambda scores: sorted(scores, reverse=True))


def hits(scores):
    """A hit for each score, numbered in their order."""
    return (Hit(score, Level.PUBLIC, number) for number, score in enumerate(scores))


@given(SCORES.flatmap(lambda scores: st.tuples(st.just(scores), st.lists(st.floats(0, PRIOR), min_size=len(scores)))))
def test_the_order_is_that_of_the_whole_score(drawn):
    """As if all had been looked at and sorted; equal ones stay as they came."""
    scores, bonuses = drawn
    found = settled(hits(scores), lambda hit: (bonuses[hit.document], hit.document))
    whole = [score + bonus for score, bonus in zip(scores, bonuses, strict=False)]
    assert [number for _, _, number in found] == sorted(range(len(scores)), key=lambda n: (-whole[n], n))


def test_no_more_is_looked_at_than_what_could_still_come_first():
    """The first is known as soon as the next is further behind than trust can lift it; and a wall of equals is cut."""
    looked = []
    look = lambda hit: looked.append(hit.document) or (0.0, hit.document)  # noqa: E731
    assert next(settled(hits([3.0, 2.9, 1.0, 0.9]), look))[2] == 0 and looked == [0, 1]
    looked.clear()
    assert len(list(islice(settled(hits([1.0] * 1000), look), 10))) == 10 and len(looked) <= WAITING + 10


def test_what_is_gone_is_left_out():
    """A row that was put away since is no hit."""
    found = settled(hits([3.0, 2.0]), lambda hit: None if hit.document == 0 else (0.0, "row"))
    assert [hit.document for _, hit, _ in found] == [1]


@given(st.sampled_from(Rank), st.floats(0, 1))
def test_trust_and_importance_add_little(rank, worth):
    """Never more than PRIOR, and never less for more of either."""
    assert 0 <= prior(rank, worth) <= PRIOR
    assert prior(max(Rank), worth) >= prior(rank, worth) >= prior(min(Rank), worth)


def test_a_moment_fits_a_day_the_better_the_nearer_it_is():
    """On it all, then less and less; a longer range is what it says, and the weeks behind it half."""
    day = [date_fit(10 * DAY + days * DAY, 10 * DAY, 11 * DAY) for days in (0, 2, -2, 5, -9, 20, -31, 40, -40)]
    assert day == [1.0, 0.9, 0.9, 0.6, 0.6, 0.3, 0.3, 0, 0]
    assert date_fit(11 * DAY - 1, 10 * DAY, 11 * DAY) == 1.0
    assert date_fit(11 * DAY, 10 * DAY, 11 * DAY) == 0.9, "its end is the midnight of the next"
    month = [date_fit(days * DAY, 10 * DAY, 40 * DAY) for days in (9, 10, 39, 41, 70, 72)]
    assert month == [0, 1.0, 1.0, 0.5, 0.5, 0]
