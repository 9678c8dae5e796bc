"""Dates of other programs: the unit is told by the number, and what is no sane date is refused, not guessed at."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.errors import Refusal
from memtrigd.domain.forgetting import faded
from memtrigd.domain.moments import DAY, Micros, from_iso
from memtrigd.domain.past import past
from memtrigd.exchange.dates import EARLIEST, happened, planned

NOW: Micros = 1_796_040_000_000_000
INDIA = ZoneInfo("Asia/Kolkata")
NEW_YEAR: Micros = 1_767_225_600_000_000

seconds = st.integers(EARLIEST // 1_000_000, NOW // 1_000_000)


@given(seconds, st.sampled_from([1, 1_000, 1_000_000, 1_000_000_000]), st.booleans())
def test_a_number_is_read_in_its_own_unit(moment: int, unit: int, as_text: bool) -> None:
    """BR-080: seconds, milli-, micro- and nanoseconds of one moment are that moment, as numbers or as texts."""
    value = moment * unit
    assert happened(str(value) if as_text else value, UTC, NOW) == moment * 1_000_000


@given(st.floats() | st.integers() | st.text() | st.none() | st.booleans() | st.lists(st.integers()))
def test_whatever_is_read_is_sane(value: object) -> None:
    """BR-080: nothing is read as of 1970, nothing as of later than now; the rest is refused by name."""
    try:
        moment = happened(value, UTC, NOW)
    except Refusal as refusal:
        assert refusal.code == "bad_time"
    else:
        assert EARLIEST <= moment <= NOW


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-01-01T00:00:00Z", NEW_YEAR),
        ("2026-01-01T05:30:00+05:30", NEW_YEAR),
        ("2026-01-01T05:30:00", NEW_YEAR),
        ("2026-01-01 05:30", NEW_YEAR),
        ("20260101T053000", NEW_YEAR),
        ("2026-01-01", NEW_YEAR - DAY * 11 // 48),
        (1767225600.25, NEW_YEAR + 250_000),
        ("1767225600.25", NEW_YEAR + 250_000),
    ],
)
def test_iso_with_and_without_a_zone(value: object, moment: Micros) -> None:
    """BR-080: a date without a zone is read in the reader's; a day is its first moment there."""
    assert happened(value, INDIA, NOW) == moment


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "高",
        "",
        "2090-01-01",
        "1985-01-01",
        0,
        1767225,
        10**400,
        -1767225600,
        float("nan"),
        float("inf"),
        {},
    ],
)
def test_what_is_no_date_is_refused(value: object) -> None:
    """BR-080: null, words, a slip of the unit, the far future; none becomes some date or other."""
    with pytest.raises(Refusal, match=r"\.$"):
        happened(value, UTC, NOW)


@pytest.mark.parametrize("ahead", [timedelta(minutes=5), timedelta(hours=14)])
def test_a_little_ahead_is_now(ahead: timedelta) -> None:
    """A zone that was left out, or a clock that is wrong, dates nothing in the future."""
    written = datetime.fromtimestamp(NOW / 1_000_000, UTC) + ahead
    assert happened(written.isoformat(), UTC, NOW) == NOW


def test_an_end_may_lie_ahead() -> None:
    """What a record says of the future stays what it is."""
    assert planned("2090-01-01T00:00:00Z", UTC) == from_iso("2090-01-01T00:00:00Z", UTC)
    assert planned(3786912000, UTC) == from_iso("2090-01-01T00:00:00Z", UTC)
    assert planned("1950-05-01T00:00:00Z", UTC) == from_iso("1950-05-01T00:00:00Z", UTC)


@given(
    st.none() | st.integers(0, 2 * NOW),
    st.none() | st.integers(0, 2 * NOW),
    st.none() | st.floats(0, 1),
    st.none() | st.integers(0, 2 * NOW),
    st.integers(0, 2 * NOW),
)
def test_no_date_makes_anything_weigh_more_than_one(
    created: int | None, updated: int | None, importance: float | None, importance_at: int | None, later: int
) -> None:
    """BR-080: a time that is still to come counts as now, so importance is between 0 and 1 whenever it is asked."""
    was = past(created, updated, importance, importance_at, updated, (0, 1, 0), "active", None, NOW)
    assert was.created <= was.updated <= NOW
    assert was.importance_at <= NOW
    assert 0 <= faded(was.importance, was.importance_at, NOW + later) <= 1


@pytest.mark.parametrize(
    ("importance", "counts", "status"),
    [
        (1.5, (0, 1, 0), "active"),
        (float("nan"), (0, 1, 0), "active"),
        (None, (-1, 1, 0), "active"),
        (None, (0, 0, 0), "active"),
        (None, (0, 1, 1 << 40), "active"),
        (None, (0, 1, 0), "denied"),
    ],
)
def test_a_past_that_nothing_can_have_is_refused(
    importance: float | None, counts: tuple[int, int, int], status: str
) -> None:
    """An importance over 1, a count under 0, a status that there is not."""
    with pytest.raises(Refusal) as refused:
        past(None, None, importance, None, None, counts, status, None, NOW)
    assert refused.value.code == "bad_value"
