"""Which backups stay."""

from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.moments import DAY, Micros
from memtrigd.domain.retention import Keep, kept

NOW: Micros = 1_790_000_000_000_000
moments = st.lists(st.integers(NOW - 900 * DAY, NOW + DAY), max_size=60)
keeps = st.builds(Keep, daily=st.integers(0, 9), weekly=st.integers(0, 9), monthly=st.integers(0, 9))


def test_two_years_of_days_leave_a_week_four_weeks_and_six_months() -> None:
    """One each day: the last seven, and older ones further and further apart, for about half a year."""
    daily = [NOW - n * DAY for n in range(730)]
    staying = sorted(kept(daily, Keep(), NOW), reverse=True)
    assert staying[:7] == daily[:7]
    assert 13 <= len(staying) <= 17
    assert 120 * DAY < NOW - staying[-1] < 190 * DAY


@given(moments, keeps)
def test_the_newest_and_all_of_the_last_day_stay(taken: list[Micros], keep: Keep) -> None:
    """Whatever is kept of the rest; and nothing is kept that was not there."""
    staying = kept(taken, keep, NOW)
    assert staying <= set(taken)
    assert {each for each in taken if each >= NOW - DAY} <= staying
    assert not taken or max(taken) in staying


@given(moments, keeps)
def test_no_more_stay_than_there_are_days_weeks_and_months(taken: list[Micros], keep: Keep) -> None:
    """Beyond the last day the number is bounded, however many were made."""
    older = {each for each in kept(taken, keep, NOW) if each < NOW - DAY}
    assert len(older) <= keep.daily + keep.weekly + keep.monthly + 1


@given(moments, keeps, st.integers(0, 40))
def test_what_goes_once_is_missed_by_no_later_look(taken: list[Micros], keep: Keep, days: int) -> None:
    """Thinning out daily or seldom comes to the same: what a look keeps, every look before it kept."""
    later = NOW + days * DAY
    assert kept(kept(taken, keep, NOW), keep, later) == kept(taken, keep, later)
