"""Times: whole microseconds since 1970 UTC inside, ISO 8601 with an offset outside."""

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from memtrigd.domain.errors import Refusal

Micros: TypeAlias = int
"""Microseconds since 1970-01-01T00:00Z. An integer has no zone to forget and compares exactly."""

DAY: Micros = 86_400_000_000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = (
    (edge.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) for edge in (datetime.min, datetime.max)
)


@lru_cache(4096)
def to_iso(moment: Micros) -> str:
    """Write a time as ISO 8601 in UTC with its offset, e.g. ``2026-11-30T08:15:00.000250+00:00``.

    What a clock beyond all years of ISO 8601 left is written as the first or last moment of them: it can be shown.
    """
    return _moment(moment).isoformat()


def to_minute(moment: Micros, zone: tzinfo) -> str:
    """Write a time for people in a zone, to the minute: ``2026-11-30 18:00``."""
    try:
        local = _moment(moment).astimezone(zone)
    except OverflowError:  # at the very edge of the years
        local = _moment(moment)
    return local.isoformat(" ", "minutes")[:16]


def _moment(moment: Micros) -> datetime:
    return _EPOCH + timedelta(microseconds=min(max(moment, _FIRST), _LAST))


def from_iso(text: str, zone: tzinfo) -> Micros:
    """Read ISO 8601; a time without an offset is read in ``zone``, a date alone as its first moment there.

    Raises Refusal ``bad_time`` for anything else, years outside 1 to 9999 in UTC included.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return (aware.astimezone(UTC) - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        raise _no_time(text) from None


def instant(text: str) -> Micros:
    """Read ISO 8601 with an offset: the same moment whoever reads it. Raises Refusal ``bad_time``."""
    moment = from_iso(text, UTC)
    if datetime.fromisoformat(text.strip()).tzinfo is None:
        raise Refusal(
            "bad_time",
            f"{text[:40]!r} says no zone, so it is another moment for everybody.",
            "Write it as 2026-11-30T18:00+05:30 or 2026-11-30T12:30Z.",
        )
    return moment


class Span(Struct, frozen=True):
    """From ``since`` on and before ``until``; None is no bound."""

    since: Micros | None = None
    until: Micros | None = None

    def holds(self, moment: Micros) -> bool:
        """Tell whether a moment is in it."""
        return (self.since is None or moment >= self.since) and (self.until is None or moment < self.until)


def span(since: str | None, until: str | None) -> Span:
    """Read the bounds of a question. Raises Refusal ``bad_time`` for one without an offset, or where they cross."""
    read = Span(*(None if each is None else instant(each) for each in (since, until)))
    if read.since is not None and read.until is not None and read.until < read.since:
        raise Refusal("bad_time", "until is before since.", "Give them in order.")
    return read


def _no_time(text: str) -> Refusal:
    return Refusal("bad_time", f"{text[:40]!r} is not a time.", "Write it as 2026-11-30 or 2026-11-30T18:00+05:30.")
