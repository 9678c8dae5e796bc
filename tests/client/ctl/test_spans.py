"""Spans of time on the command line: a day is the calendar's where it is asked, what goes out is a moment."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig.ctl import spans


class _Then(datetime):
    """A clock that stands."""

    moment = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        """The moment, naive in the zone of here unless another one is asked for."""
        return cls.moment if tz is not None else cls.moment.astimezone().replace(tzinfo=None)


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the clock stand, and put the zone back afterwards."""
    monkeypatch.setattr(spans, "datetime", _Then)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def here(monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    """Be in a zone."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()


@pytest.mark.parametrize(
    ("zone", "said", "since", "until"),
    [
        ("UTC", "yesterday", "2026-11-29T00:00", "2026-11-30T00:00"),
        ("UTC", "today", "2026-11-30T00:00", "2026-12-01T00:00"),
        ("Asia/Tokyo", "yesterday", "2026-11-28T15:00", "2026-11-29T15:00"),
        ("Asia/Tokyo", "2026-11-30", "2026-11-29T15:00", "2026-11-30T15:00"),
        ("Asia/Kolkata", "Today", "2026-11-29T18:30", "2026-11-30T18:30"),
        ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00", "2026-03-29T22:00"),
        ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00", "2026-10-25T23:00"),
        ("Atlantic/Azores", "2026-10-25", "2026-10-25T00:00", "2026-10-26T01:00"),
        ("America/Santiago", "2026-09-06", "2026-09-06T04:00", "2026-09-07T03:00"),
    ],
)
def test_a_day_is_the_callers(monkeypatch: pytest.MonkeyPatch, zone: str, said: str, since: str, until: str) -> None:
    """BR-079: in each zone its own, of 23 or 25 hours where clocks change; also where midnight is the hour left out."""
    here(monkeypatch, zone)
    assert spans.since(said) == f"{since}:00+00:00"
    assert spans.until(said) == f"{until}:00+00:00"


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("3d", "2026-11-27T12:00:00+00:00"),
        ("36h", "2026-11-29T00:00:00+00:00"),
        ("90m", "2026-11-30T10:30:00+00:00"),
        ("2w", "2026-11-16T12:00:00+00:00"),
        ("18:00", "2026-11-30T09:00:00+00:00"),
        ("2026-11-30T18:00", "2026-11-30T09:00:00+00:00"),
        ("2026-11-30 18:00", "2026-11-30T09:00:00+00:00"),
        ("2026-11-30T18:00Z", "2026-11-30T18:00:00+00:00"),
        ("2026-11-30T18:00+05:30", "2026-11-30T12:30:00+00:00"),
    ],
)
def test_a_moment_is_the_same_as_both_ends(monkeypatch: pytest.MonkeyPatch, said: str, moment: str) -> None:
    """A time without a zone is that of here; one with an offset is what it says."""
    here(monkeypatch, "Asia/Tokyo")
    assert spans.since(said) == spans.until(said) == moment


@pytest.mark.parametrize("said", ["", "last week", "3y", "2026-02-30", "1000000w", "-3d", "0001-01-01T00:00+14:00"])
def test_what_is_no_time_is_refused(said: str) -> None:
    """With the forms that there are."""
    with pytest.raises(ValueError, match="yesterday"):
        spans.since(said)


@given(st.text(max_size=20))
def test_whatever_is_said_becomes_a_moment_with_an_offset_or_is_refused(said: str) -> None:
    """Nothing else is raised, and nothing naive goes out."""
    try:
        moment = spans.since(said)
    except ValueError:
        return
    assert datetime.fromisoformat(moment).utcoffset() == timedelta()
