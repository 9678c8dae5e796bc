"""Dates as other programs wrote them: seconds or finer units since 1970, ISO 8601 with or without a zone. Pure."""

import re
from datetime import tzinfo
from typing import Final

from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import DAY, Micros, from_iso

EARLIEST: Final[Micros] = 631_152_000_000_000
"""1990-01-01Z. A memory that claims to be older was dated by a slip: of its unit, most likely."""
LATEST: Final[Micros] = 7_258_118_400_000_000
"""2200-01-01Z, for what may lie ahead: an end, a deadline."""
AHEAD: Final[Micros] = DAY
"""How far a date in the past may be ahead of our clock: zones that were left out, and clocks that are wrong."""

_UNITS: Final = ((1_000_000, 1), (1_000, 1), (1, 1), (1, 1_000))
"""Seconds, milli-, micro- and nanoseconds: by what each is multiplied and divided to make microseconds."""
LONGEST: Final = 1e20
_NUMBER: Final = re.compile(r"[+-]?\d{9,19}(?:\.\d{1,9})?", re.ASCII)
"""Shorter ones, such as 20261130, are dates of ISO 8601."""


def happened(value: object, zone: tzinfo, now: Micros) -> Micros:
    """Read when something was said or done: from 1990 until now. Up to a day ahead of our clock it counts as now.

    ``zone`` is that of dates without one. Raises Refusal ``bad_time``.
    """
    moment = _read(value, zone, now + AHEAD)
    if not EARLIEST <= moment <= now + AHEAD:
        raise _bad(value, "lies ahead of us" if moment > now else "lies before 1990")
    return min(moment, now)


def planned(value: object, zone: tzinfo) -> Micros:
    """Read a date that may lie ahead, or long ago if it is written out. Raises Refusal ``bad_time``."""
    return _read(value, zone, LATEST)


def _read(value: object, zone: tzinfo, latest: Micros) -> Micros:
    if isinstance(value, str) and not _NUMBER.fullmatch(value.strip()):
        try:
            return from_iso(value, zone)
        except Refusal:
            raise _bad(value, "is no date") from None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _bad(value, "is no date")
    if isinstance(value, str):
        return _since_1970(float(value) if "." in value else int(value), latest)
    return _since_1970(value, latest)


def _since_1970(number: float, latest: Micros) -> Micros:
    """Read a number in the one unit that makes a sane date of it: two units never both do, being 1,000 apart."""
    if abs(number) < LONGEST:  # no NaN and no infinity is
        for times, parts in _UNITS:
            moment = number * times // parts
            if EARLIEST <= moment <= latest:
                return int(moment)
    raise _bad(number, "is a sane date neither in seconds nor in milli-, micro- or nanoseconds since 1970")


def _bad(value: object, why: str) -> Refusal:
    shown = str(value)[:40] if isinstance(value, str | int | float) else type(value).__name__
    return Refusal("bad_time", f"{shown!r} {why}.", "Write it as 2026-11-30T18:00+05:30, or leave it out.")
