"""How the user is, day by day: a mood in their words, and what goes with it."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo

from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import Micros

LONGEST_LOOK = 3660
"""Days back that can be asked about: ten years."""


def sleep(hours: float | None) -> float | None:
    """Check hours of sleep. Raises ``bad_value`` for less than 0, more than 24, or no number."""
    if hours is not None and not 0 <= hours <= 24:  # NaN is neither
        raise Refusal("bad_value", f"sleep_hours is {hours}.", "Give the hours of one night: 0 to 24.")
    return hours


def day(moment: Micros, zone: tzinfo) -> str:
    """The date of a moment where the user lives, as ISO 8601."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=moment)).astimezone(zone).date().isoformat()


def mean(hours: Iterable[float | None]) -> float | None:
    """The mean of the nights that are known, rounded to 4 decimals; None where none is."""
    known = [each for each in hours if each is not None]
    return round(sum(known) / len(known), 4) if known else None
