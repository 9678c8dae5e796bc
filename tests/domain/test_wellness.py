"""Notes of well-being: a night has 24 hours, a day is one where the user lives, and a mean is of what is known."""

import math
from datetime import UTC, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import DAY, from_iso
from memtrigd.domain.wellness import day, first_day, mean, sleep
from tests.domain.strategies import NOW

INDIA = timezone(timedelta(hours=5, minutes=30))


@pytest.mark.parametrize("hours", [-0.01, 24.01, math.nan, math.inf, -math.inf, True, False])
def test_what_is_no_night_is_refused(hours: float) -> None:
    """Too little, too much, no number, or a yes."""
    with pytest.raises(Refusal) as refused:
        sleep(hours)
    assert refused.value.code == "bad_value"


@pytest.mark.parametrize("hours", [None, 0.0, 7.25, 24.0])
def test_a_night_is_kept_as_it_was_told(hours: float | None) -> None:
    """None at all, and all day, are nights too."""
    assert sleep(hours) == hours


def test_a_day_is_one_where_the_user_lives() -> None:
    """Late in the evening in London it is tomorrow in Pune."""
    late = from_iso("2026-11-30T20:00:00+00:00", UTC)
    assert (day(late, UTC), day(late, INDIA)) == ("2026-11-30", "2026-12-01")


@given(st.integers(1, 3660))
def test_the_last_days_are_so_many(days: int) -> None:
    """Today is one of them; one day before the first is none."""
    first = first_day(NOW, days, INDIA)
    assert first == day(NOW - (days - 1) * DAY, INDIA)
    assert day(NOW - days * DAY, INDIA) < first <= day(NOW, INDIA)


@pytest.mark.parametrize("days", [0, -1, 3661])
def test_nobody_looks_back_for_ever(days: int) -> None:
    """From today to ten years."""
    with pytest.raises(Refusal) as refused:
        first_day(NOW, days, UTC)
    assert refused.value.code == "bad_value"


@given(st.lists(st.none() | st.floats(0, 24)))
def test_a_mean_is_of_the_nights_that_are_known(hours: list[float | None]) -> None:
    """To 4 decimals, between the shortest and the longest; of none there is none."""
    known = [each for each in hours if each is not None]
    found = mean(hours)
    if not known:
        assert found is None
    else:
        assert found is not None and min(known) - 1e-4 <= found <= max(known) + 1e-4
        assert found == round(found, 4)
        assert found == pytest.approx(math.fsum(known) / len(known), abs=1e-4)
