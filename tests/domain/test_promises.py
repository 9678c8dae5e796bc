"""Promises: when they are due, how they stand, and in which order they are told."""

import math
from datetime import UTC, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.domain.promises import HOUR, deadline, falls_due, in_order, look_ahead, status
from tests.domain.strategies import NOW

INDIA = timezone(timedelta(hours=5, minutes=30))
PROMISE = Entry(id="p", sort=Sort.PROMISE, level=Level.PUBLIC, space="default", created=NOW, updated=NOW)
times = st.none() | st.integers(NOW - 10 * DAY, NOW + 10 * DAY)
promises = st.lists(
    st.builds(
        lambda number, created, due, closed: replace(PROMISE, id=f"p{number}", created=created, due=due, closed=closed),
        st.integers(0, 999),
        st.integers(NOW - DAY, NOW),
        times,
        times,
    ),
    unique_by=lambda promise: promise.id,
)


def test_a_deadline_is_due_from_its_very_moment() -> None:
    """Not a microsecond before; and what was kept is due no more."""
    dated = replace(PROMISE, due=NOW)
    assert [status(dated, NOW + step) for step in (-1, 0, 1)] == ["open", "due", "due"]
    assert status(replace(dated, closed=NOW), NOW + 1) == "done"
    assert status(PROMISE, NOW) == "open"


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ("2026-11-30", "2026-11-30T18:29:59.999999+00:00"),
        (" 2026-11-30 ", "2026-11-30T18:29:59.999999+00:00"),
        ("2026-11-30T18:00", "2026-11-30T12:30:00+00:00"),
        ("2026-11-30T18:00+01:00", "2026-11-30T17:00:00+00:00"),
        ("2026-11-30T18:00Z", "2026-11-30T18:00:00+00:00"),
    ],
)
def test_a_deadline_without_an_offset_is_where_the_user_lives(told: str, read: str) -> None:
    """A date alone lasts until its day is over there."""
    assert to_iso(deadline(told, INDIA)) == read


def test_a_day_ends_when_it_ends_though_the_clocks_change_in_it() -> None:
    """The last day of summer time has 25 hours."""
    berlin = ZoneInfo("Europe/Berlin")
    length = deadline("2026-10-25", berlin) - deadline("2026-10-24", berlin)
    assert length == 25 * HOUR


@pytest.mark.parametrize("told", ["", "soon", "30.11.2026", "2026-02-30", "2026-11-30T25:00", "明天", "उद्या"])
def test_what_is_no_time_is_no_deadline(told: str) -> None:
    """It is refused, not guessed."""
    with pytest.raises(Refusal) as refused:
        deadline(told, UTC)
    assert refused.value.code == "bad_time"


@pytest.mark.parametrize("hours", [-0.001, 8760.001, math.nan, math.inf, -math.inf])
def test_nobody_looks_back_or_for_ever_ahead(hours: float) -> None:
    """From none to a year, and a number."""
    with pytest.raises(Refusal) as refused:
        look_ahead(hours)
    assert refused.value.code == "bad_value"


def test_hours_ahead_are_hours() -> None:
    """Parts of one too, up to a year."""
    assert [look_ahead(hours) for hours in (0.0, 0.5, 8760.0)] == [0, HOUR // 2, 365 * DAY]


@given(promises)
def test_the_next_due_comes_first(listed: list[Entry]) -> None:
    """Then those without a deadline, the oldest first, then those that were kept, the latest first; none is lost."""
    told = in_order(listed)
    assert sorted(each.id for each in told) == sorted(each.id for each in listed)
    groups = [2 if each.closed is not None else 1 if each.due is None else 0 for each in told]
    assert groups == sorted(groups)
    dated = [each.due for each in told if each.closed is None and each.due is not None]
    undated = [each.created for each in told if each.closed is None and each.due is None]
    kept = [each.closed for each in told if each.closed is not None]
    assert (dated, undated, kept) == (sorted(dated), sorted(undated), sorted(kept, reverse=True))
    assert in_order(reversed(listed)) == told


@given(promises, st.integers(NOW - DAY, NOW + DAY))
def test_due_is_what_falls_due_by_now(listed: list[Entry], now: int) -> None:
    """The count of what is unfulfilled and the status of each say the same."""
    assert all(falls_due(each, now) is (status(each, now) == "due") for each in listed)
