"""Promises: until when each is to be kept, how it stands, and in which order they are told."""

import math
from collections.abc import Iterable
from datetime import date, datetime, time, tzinfo
from enum import StrEnum
from typing import Final

from msgspec import Struct

from memtrigd.domain.entries import Entry
from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import Micros, from_iso

MOST_HOURS: Final = 8760.0
"""How far ahead a check looks at most: a year."""
_HOUR: Final = 3_600_000_000


class Status(StrEnum):
    """How a promise stands."""

    OPEN = "open"
    DUE = "due"
    """Open, and its deadline is over."""
    DONE = "done"


class Standing(Struct, frozen=True):
    """A promise as a reader sees it: ``done_at`` is when it was kept, as far as the levels in sight know."""

    entry: Entry
    done_at: Micros | None = None

    def status(self, now: Micros) -> Status:
        """How it stands at a moment. The deadline itself is due."""
        if self.done_at is not None:
            return Status.DONE
        return Status.DUE if self.is_due(now) else Status.OPEN

    def is_due(self, by: Micros) -> bool:
        """Tell whether it is open and to be kept by a moment."""
        return self.done_at is None and self.entry.due is not None and self.entry.due <= by


def deadline(text: str | None, zone: tzinfo) -> Micros | None:
    """Read a deadline: a time without an offset is one in ``zone``, a date alone means until the end of that day there.

    Raises ``bad_time``.
    """
    if text is None:
        return None
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        return from_iso(text, zone)
    return from_iso(datetime.combine(day, time.max).isoformat(), zone)


def horizon(hours: float) -> Micros:
    """How far ahead so many hours are. Raises ``bad_value`` unless they are finite and from 0 to MOST_HOURS."""
    if not (math.isfinite(hours) and 0.0 <= hours <= MOST_HOURS):
        raise Refusal(
            "bad_value", f"within_hours is {hours}.", f"Ask for 0 to {MOST_HOURS:.0f} hours; 0 is what is due now."
        )
    return round(hours * _HOUR)


def in_order(promises: Iterable[Standing]) -> list[Standing]:
    """Order promises as they are told: the next due first, then those without a deadline by age; last, those kept.

    Of those kept the latest comes first.
    """
    return sorted(promises, key=_urgency)


def _urgency(promise: Standing) -> tuple[bool, int, bool, Micros, Micros, str]:
    entry, done = promise.entry, promise.done_at
    return done is not None, -(done or 0), entry.due is None, entry.due or 0, entry.created, entry.id
