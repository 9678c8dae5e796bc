"""Promises to the user: open until they are kept, due once their deadline has passed."""

from collections.abc import Iterable
from datetime import date, datetime, time, tzinfo
from typing import Final

from memtrigd.domain.entries import Entry
from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import Micros, from_iso

HOUR: Final[Micros] = 3_600_000_000
LONGEST_LOOK: Final = 8760.0
"""Hours ahead that can be asked about: a year."""


def status(promise: Entry, now: Micros) -> str:
    """Tell where a promise stands: ``done``, ``due`` from its deadline on, else ``open``."""
    if promise.closed is not None:
        return "done"
    return "due" if promise.due is not None and promise.due <= now else "open"


def deadline(told: str, zone: tzinfo) -> Micros:
    """Read a deadline; a date alone is kept until its day is over where the user lives. Raises ``bad_time``."""
    try:
        day = date.fromisoformat(told.strip())
    except ValueError:
        return from_iso(told, zone)
    return from_iso(datetime.combine(day, time.max).isoformat(), zone)


def in_order(promises: Iterable[Entry]) -> list[Entry]:
    """The next due first, then those without a deadline by age; kept ones last, the latest first."""
    return sorted(promises, key=_place)


def falls_due(promise: Entry, by: Micros) -> bool:
    """Tell whether an open promise is due by a moment."""
    return promise.closed is None and promise.due is not None and promise.due <= by


def look_ahead(hours: float) -> Micros:
    """Turn hours into microseconds. Raises ``bad_value`` for less than none, more than a year, or no number."""
    if not 0 <= hours <= LONGEST_LOOK:  # NaN is neither
        raise Refusal("bad_value", f"within_hours is {hours}.", f"Ask for 0 to {LONGEST_LOOK:.0f} hours.")
    return int(hours * HOUR)


def _place(promise: Entry) -> tuple[int, Micros, Micros, str]:
    if promise.closed is not None:
        return 2, -promise.closed, 0, promise.id
    if promise.due is not None:
        return 0, promise.due, promise.created, promise.id
    return 1, promise.created, 0, promise.id
