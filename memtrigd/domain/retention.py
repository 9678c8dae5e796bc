"""Which backups stay: all of the last day, then the newest of each of some days, weeks and months."""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from memtrigd.domain.moments import DAY, Micros, to_iso


class Keep(Struct, frozen=True):
    """How many days, weeks and months keep their newest backup; those without any are not counted."""

    daily: int = 7
    weekly: int = 4
    monthly: int = 6


def kept(moments: Iterable[Micros], keep: Keep, now: Micros) -> set[Micros]:
    """Return those of ``moments`` whose backups stay at ``now``. The newest always does, and so does every later one.

    Days, weeks (from Monday) and months are those of UTC: so a clock that changes its zone drops nothing.
    """
    newest_first = sorted(set(moments), reverse=True)
    staying = set(newest_first[:1]) | {moment for moment in newest_first if now - moment <= DAY}
    for bucket, count in ((_day, keep.daily), (_week, keep.weekly), (_month, keep.monthly)):
        staying |= set(_newest_of_each(newest_first, bucket, count))
    return staying


def _newest_of_each(newest_first: list[Micros], bucket: Callable[[Micros], object], count: int) -> list[Micros]:
    firsts: dict[object, Micros] = {}
    for moment in newest_first:
        firsts.setdefault(bucket(moment), moment)
    return list(firsts.values())[: max(0, count)]


def _day(moment: Micros) -> int:
    return moment // DAY


def _week(moment: Micros) -> int:
    return (moment // DAY + _THURSDAY) // 7


def _month(moment: Micros) -> str:
    return to_iso(moment)[:7]


_THURSDAY: Final = 3
"""The day of the week of 1970-01-01, from Monday on."""
