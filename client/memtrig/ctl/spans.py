"""Spans of time as people say them: a day is the calendar's of here, and what goes out is a moment for everybody."""

from __future__ import annotations

import os
import re
from datetime import UTC, date, datetime, time, timedelta

from memtrig.ctl.grammar import Option

AGO = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
DAYS = {"today": 0, "yesterday": 1}
FORMS = "yesterday, today, 2026-11-30, 2026-11-30T18:00, 18:00, 3d"


def since(text: str) -> str:
    """Read the moment from which on: of a day its first. Raises ValueError."""
    return _utc(text, 0)


def until(text: str) -> str:
    """Read the moment before which: a day that is named belongs to it as a whole. Raises ValueError."""
    return _utc(text, 1)


def here() -> str | None:
    """Name the time zone of here as IANA does: by TZ, else by the machine's own; None where neither names one."""
    zone = os.environ.get("TZ")
    if zone is None:
        try:
            zone = os.readlink("/etc/localtime").rpartition("zoneinfo/")[2]  # noqa: PTH115 - pathlib takes 10 ms to load
        except OSError:
            return None
    name = zone.removeprefix(":")
    return name if re.fullmatch(r"UTC|[A-Z]\w+(/[\w+-]+){1,2}", name, re.ASCII) else None


def _utc(text: str, days: int) -> str:
    said = text.strip().lower()
    try:
        moment = _day(said, days) or _ago(said) or _time(said)
        return moment.astimezone(UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{text[:40]!r} is no time; say it as one of {FORMS}") from None


def _day(said: str, days: int) -> datetime | None:
    """The beginning of a day here, or of one some days later: by the calendar, for not every day has 24 hours."""
    if said in DAYS:
        day = datetime.now().date() - timedelta(days=DAYS[said])
    elif re.fullmatch(r"\d{4}-\d\d-\d\d", said, re.ASCII):
        day = date.fromisoformat(said)
    else:
        return None
    return _first(day + timedelta(days=days))


def _first(day: date) -> datetime:
    """The first moment of a day here: midnight, of two midnights the first; where clocks leave it out, what follows."""
    midnight = datetime.combine(day, time())
    both = [midnight.replace(fold=fold).astimezone() for fold in (0, 1)]
    return min(moment for moment in both if moment.date() >= day)


def _ago(said: str) -> datetime | None:
    """So many minutes, hours, days of 24 hours or weeks before now."""
    match = re.fullmatch(r"(\d{1,5})([mhdw])", said, re.ASCII)
    return datetime.now(UTC) - int(match[1]) * AGO[match[2]] if match else None


def _time(said: str) -> datetime:
    """A moment: without an offset it is that of here, a time alone that of today."""
    if re.fullmatch(r"\d\d:\d\d(:\d\d)?", said, re.ASCII):
        return datetime.combine(datetime.now().date(), time.fromisoformat(said)).astimezone()
    moment = datetime.fromisoformat(said.upper())
    return moment if moment.tzinfo else moment.astimezone()


SINCE = Option("since", "--since", "WHEN", f"only what was said then or later: {FORMS}", read=since)
UNTIL = Option("until", "--until", "WHEN", "only what was said before; a day that is named is still in it", read=until)
