"""How the user is, day by day: a mood in their words, and what goes with it."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo

from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import Micros

LONGEST_LOOK = 3660
"""Days back that can be asked about: ten years."""


def sleep(hours: float | None) -> float | None:
    """Check hours of sleep. Raises ``bad_value`` for less than 0, more than 24, or no number."""
    if isinstance(hours, bool) or (hours is not None and not 0 <= hours <= 24):  # NaN is neither
        raise Refusal("bad_value", f"sleep_hours is {hours}.", "Give the hours of one night: 0 to 24.")
    return hours


def day(moment: Micros, zone: tzinfo) -> str:
    """The date of a moment where the user lives, as ISO 8601."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=moment)).astimezone(zone).date().isoformat()


def first_day(now: Micros, days: int, zone: tzinfo) -> str:
    """The date of the first of so many days, today's being the last. Raises ``bad_value``."""
    if not 1 <= days <= LONGEST_LOOK:
        raise Refusal("bad_value", f"days is {days}.", f"Ask for 1 to {LONGEST_LOOK} days; 1 is today.")
    today = date.fromisoformat(day(now, zone))
    return (today - timedelta(days=min(days - 1, (today - date.min).days))).isoformat()


def mean(hours: Iterable[float | None]) -> float | None:
    """The mean of the nights that are known, rounded to 4 decimals; None where none is."""
    known = [each for each in hours if each is not None]
    return round(sum(known) / len(known), 4) if known else None
