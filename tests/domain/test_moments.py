"""Times come in as ISO 8601 with or without an offset, and go out in UTC."""

from datetime import UTC, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import DAY, from_iso, to_iso, to_minute

BERLIN = ZoneInfo("Europe/Berlin")
PUNE = ZoneInfo("Asia/Kolkata")
FIRST, LAST = from_iso("0001-01-01T00:00:00+00:00", UTC), from_iso("9999-12-31T23:59:59.999999+00:00", UTC)


def read(text: str, zone: object = UTC) -> str:
    """Read a time and write it again."""
    return to_iso(from_iso(text, zone))  # type: ignore[arg-type]


@given(st.integers(FIRST, LAST))
def test_what_was_written_is_read_to_the_microsecond(moment: int) -> None:
    """Every time that can be kept can be shown, and is the same when it comes back."""
    assert from_iso(to_iso(moment), PUNE) == moment


@given(st.datetimes(timezones=st.timezones()))
def test_whatever_is_accepted_can_be_shown(moment: object) -> None:
    """No offset takes a time out of the years that ISO 8601 can write: it is refused, or good for ever."""
    try:
        kept = from_iso(moment.isoformat(), UTC)  # type: ignore[attr-defined]
    except Refusal as refusal:
        assert refusal.code == "bad_time"
    else:
        assert from_iso(to_iso(kept), UTC) == kept


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-07-01T12:00", "2026-07-01T10:00:00+00:00"),
        ("2026-12-01T12:00", "2026-12-01T11:00:00+00:00"),
        ("2026-12-01", "2026-11-30T23:00:00+00:00"),
        ("2026-12-01T12:00Z", "2026-12-01T12:00:00+00:00"),
        ("2026-12-01T12:00+05:30", "2026-12-01T06:30:00+00:00"),
        ("2026-10-25T02:30", "2026-10-25T00:30:00+00:00"),  # twice that night: the first, still summer time
        ("2026-03-29T02:30", "2026-03-29T01:30:00+00:00"),  # never that night: as if the clock had not been put on
        (" 2026-12-01T12:00Z\n", "2026-12-01T12:00:00+00:00"),
    ],
)
def test_a_time_without_offset_is_read_in_the_zone(text: str, utc: str) -> None:
    """Summer time, the hour that comes twice and the one that is missing included."""
    assert read(text, BERLIN) == utc


def test_a_zone_of_half_an_hour() -> None:
    """India is five and a half hours ahead."""
    assert read("2026-12-01T00:15", PUNE) == "2026-11-30T18:45:00+00:00"


@pytest.mark.parametrize(
    "text",
    ["", "tomorrow", "2026-13-01", "2026-02-30", "10000-01-01", "0000-01-01", "12:00", "2026-12-01T25:00", "1e9", "-1"],
)
def test_anything_else_is_refused(text: str) -> None:
    """No guess is made."""
    with pytest.raises(Refusal) as refused:
        from_iso(text, UTC)
    assert refused.value.code == "bad_time"


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"])
def test_a_time_that_utc_cannot_write_is_refused(text: str) -> None:
    """It could be stored, but no reply that holds it could ever be written."""
    with pytest.raises(Refusal) as refused:
        from_iso(text, UTC)
    assert refused.value.code == "bad_time"


def test_a_moment_beyond_all_years_is_shown_as_the_nearest_that_can_be_written() -> None:
    """A clock that was once that wrong leaves rows behind that lists must be able to show."""
    assert to_iso(400_000 * 365 * DAY) == "9999-12-31T23:59:59.999999+00:00"
    assert to_iso(-400_000 * 365 * DAY) == "0001-01-01T00:00:00+00:00"


def test_people_are_told_the_minute_in_their_zone() -> None:
    """Also of a moment that no year holds."""
    zone = timezone(timedelta(hours=5, minutes=30))
    assert to_minute(from_iso("2026-11-30T18:45:59+00:00", UTC), zone) == "2026-12-01 00:15"
    assert to_minute(400_000 * 365 * DAY, zone) == "9999-12-31 23:59"
