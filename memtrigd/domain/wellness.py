"""Well-being: what a note of a day may hold, and what a row of them comes to."""

import math
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from memtrigd.domain.claim import MAX_TAG, name
from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import Micros

MOST_DAYS: Final = 3660
"""How many days back are told at most: ten years."""
_DAY_OF_HOURS: Final = 24.0
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def mood(text: str) -> str:
    """Check a mood: one line in the user's own words. Raises ``bad_value`` if it is blank, ``too_large``."""
    return name(text, "mood", MAX_TAG)


def sleep_hours(hours: float | None) -> float | None:
    """Check hours of sleep: a finite number from 0 to 24, or unsaid. A yes or no is no number. Raises ``bad_value``."""
    if hours is None:
        return None
    if isinstance(hours, bool) or not (math.isfinite(hours) and 0.0 <= hours <= _DAY_OF_HOURS):
        raise Refusal("bad_value", f"sleep_hours is {hours}.", "A night has 0 to 24 hours; leave it out if unknown.")
    return float(hours)


def day_of(moment: Micros, zone: tzinfo) -> date:
    """The day that it is in ``zone`` at a moment."""
    return (_EPOCH + timedelta(microseconds=moment)).astimezone(zone).date()


def first_day(today: date, days: int) -> date:
    """The first of the last ``days``, today being one. Raises ``bad_value`` unless they are 1 to MOST_DAYS."""
    if not 1 <= days <= MOST_DAYS:
        raise Refusal("bad_value", f"days is {days}.", f"Ask for 1 to {MOST_DAYS} days; 1 is today.")
    back = min(days - 1, (today - date.min).days)
    return today - timedelta(days=back)


def mean_sleep(hours: Iterable[float | None]) -> float | None:
    """The mean of the hours that are known, to 4 decimals; None where none are."""
    known = [each for each in hours if each is not None]
    return round(math.fsum(known) / len(known), 4) if known else None
