"""Dates that a question says: "on 5 May 2023", "last week", 上个月, काल: ranges of instants in the caller's zone.

Our own tables: dateparser would take 20 ms for a sentence and find dates in "may" and "on".
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, NamedTuple, TypeAlias

from memtrigd.domain.moments import Micros
from memtrigd.search.calendars import (
    AMBIGUOUS,
    DAYS,
    HAN_WEEKDAYS,
    HAN_YEARS,
    MONTHS,
    NUMBERS,
    SIDES,
    UNITS,
    WEEKDAYS,
    any_of,
    number,
    simple,
)

YEARS: Final = (*range(0, -10, -1), 1)
"""Which years a date without one may mean, counted from this one: who says "in May" may mean any, mostly a past one."""
MOST: Final = 24
"""Ranges of one question."""
LONGEST: Final = 1024
"""Characters of a question that are looked through: what is longer is a text, not a question about a day."""

Days: TypeAlias = tuple[date, date]
"""The first day, and the day after the last."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = timedelta(days=1)


def dates(text: str, now: Micros, zone: tzinfo) -> tuple[tuple[Micros, Micros], ...]:
    """Return the ranges of instants that a question asks about, the end not among them; none for most questions.

    Days are the calendar's of ``zone``, whatever its clocks do. Where a word means both ways (कल) the past comes first.
    """
    if text.isascii() and _TELLING.isdisjoint(_WORD_OR_DIGIT.findall(text.lower())):  # as most questions
        return ()
    try:
        today = (_EPOCH + timedelta(microseconds=now)).astimezone(zone).date()
    except OverflowError:  # a clock beyond all years
        return ()
    found = dict.fromkeys(_days(simple(text[:LONGEST]), today))
    ranges = (_instants(first, after, zone) for first, after in found)
    return tuple(each for each in ranges if each is not None)[:MOST]


def _days(said: str, today: date) -> Iterator[Days]:
    """The days that a folded text says: each piece of it is read once, by the first rule that fits."""
    for rule in _RULES:
        kept, end = [], 0
        for match in rule.pattern.finditer(said):
            try:
                days = list(rule.read(match, today))
            except (ValueError, OverflowError):  # 31 February; a year beyond all years
                continue
            yield from days
            if days:
                kept.append(said[end : match.start()])
                end = match.end()
        said = "\0".join([*kept, said[end:]])


def _instants(first: date, after: date, zone: tzinfo) -> tuple[Micros, Micros] | None:
    try:
        return _midnight(first, zone), _midnight(after, zone)
    except OverflowError:
        return None


def _midnight(day: date, zone: tzinfo) -> Micros:
    """The first moment of a day: of two midnights the first; where clocks leave it out, what follows."""
    both = [datetime.combine(day, time(), zone).replace(fold=fold).astimezone(UTC) for fold in (0, 1)]
    moment = min((each for each in both if each.astimezone(zone).date() >= day), default=max(both))
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _one_day(day: date) -> Days:
    return day, day + _DAY


def _span(unit: str, day: date) -> Days:
    """The day, week from Monday on, month or year that a day is in."""
    if unit == "day":
        return _one_day(day)
    if unit == "week":
        monday = day - day.weekday() * _DAY
        return monday, monday + 7 * _DAY
    if unit == "month":
        return _month(day.year, day.month)
    return date(day.year, 1, 1), date(day.year + 1, 1, 1)


def _month(year: int, month: int) -> Days:
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def _away(unit: str, day: date, count: int) -> date:
    """The day so many units after a day: of a shorter month the last."""
    if unit == "day":
        return day + count * _DAY
    if unit == "week":
        return day + 7 * count * _DAY
    months = 12 * day.year + day.month - 1 + (count if unit == "month" else 12 * count)
    first, after = _month(months // 12, months % 12 + 1)
    return min(first.replace(day=1) + (day.day - 1) * _DAY, after - _DAY)


def _in_years(today: date, year: str | None, month: int, day: str | None) -> Iterator[Days]:
    """A day or month of a year, or of whichever year there may be meant."""
    for each in [int(year)] if year else [today.year + away for away in YEARS]:
        try:
            yield _one_day(date(each, month, int(day))) if day else _month(each, month)
        except ValueError:  # 29 February is not in every year
            continue


def _spelt(match: re.Match[str], today: date) -> Iterator[Days]:
    """A day or month by the month's name: 5 May 2023, May 5th, May 2023, last May, in May."""
    said = match.groupdict()
    month, day, year, cue = MONTHS[said["month"]], said.get("day"), said.get("year"), said.get("cue")
    alone = not (day or year or cue or said.get("tail"))
    if alone and said["month"] in AMBIGUOUS:
        return
    side = SIDES.get(cue or "")
    if side is None or year:
        yield from _in_years(today, year, month, day)
        return
    years = {
        -1: today.year - (month >= today.month),
        0: today.year,
        1: today.year + (month <= today.month),
    }
    yield from _in_years(today, str(years[side]), month, day)


def _han(match: re.Match[str], today: date) -> Iterator[Days]:
    """A day, month or year as 2023年5月3日, 五月, 去年5月, 2022年."""
    named, month, day = match["year"], match["month"], match["day"]
    year = None if named is None else str(today.year + HAN_YEARS[named]) if named in HAN_YEARS else named.rstrip("年")
    if month is not None:
        numbers = [None if each is None else number(each) for each in (month, day)]
        if numbers[0] and (day is None or numbers[1]):
            yield from _in_years(today, year, numbers[0], None if day is None else str(numbers[1]))
    elif year is not None:
        yield _span("year", date(int(year), 1, 1))


def _digits(match: re.Match[str], today: date) -> Iterator[Days]:
    """2023-05-05, 2023-05."""
    del today
    yield from _in_years(date.min, match["year"], int(match["month"]), match["day"])


def _year(match: re.Match[str], today: date) -> Iterator[Days]:
    del today
    yield _span("year", date(int(match["year"]), 1, 1))


def _word(match: re.Match[str], today: date) -> Iterator[Days]:
    for offset in DAYS[match["word"]]:
        yield _one_day(today + offset * _DAY)


def _ago(match: re.Match[str], today: date) -> Iterator[Days]:
    """Two days ago: that day, or the calendar's week, month or year around it."""
    count, unit = number(match["count"]), UNITS[match["unit"]]
    if count is not None:
        yield _span(unit, _away(unit, today, -count))


def _lately(match: re.Match[str], today: date) -> Iterator[Days]:
    """The last three days: from then up to today."""
    count = number(match["count"])
    if count:
        yield _away(UNITS[match["unit"]], today, -count), today + _DAY


def _beside(match: re.Match[str], today: date) -> Iterator[Days]:
    """Last, this or next week, month or year."""
    unit = UNITS[match["unit"]]
    yield _span(unit, _away(unit, today.replace(day=1) if unit == "month" else today, SIDES[match["side"]]))


def _weekend(match: re.Match[str], today: date) -> Iterator[Days]:
    monday = today - today.weekday() * _DAY
    saturday = monday + (5 + 7 * SIDES[match["side"] or match["han"]]) * _DAY
    yield saturday, saturday + 2 * _DAY


def _weekday(match: re.Match[str], today: date) -> Iterator[Days]:
    """Last or next Friday; without a word for it both, the one before first."""
    weekday = WEEKDAYS[match["name"]]
    side = SIDES.get(match["side"] or "", 0)
    before = today - ((today.weekday() - weekday) % 7 or 7 * (side < 0)) * _DAY
    behind = today + ((weekday - today.weekday()) % 7 or 7) * _DAY
    yield from map(_one_day, ([before] if side <= 0 else []) + ([behind] if side >= 0 else []))


def _han_weekday(match: re.Match[str], today: date) -> Iterator[Days]:
    """上周五 is Friday of the calendar's week before; 周五 alone the one before or the next."""
    weekday, side = HAN_WEEKDAYS[match["name"]], match["side"]
    monday = today - today.weekday() * _DAY
    if side is not None:
        yield _one_day(monday + (weekday + 7 * SIDES[side]) * _DAY)
        return
    before = today - ((today.weekday() - weekday) % 7) * _DAY
    yield from map(_one_day, (before, before + 7 * _DAY))


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], date], Iterable[Days]]


def _split(names: Iterable[str]) -> tuple[str, str]:
    """Patterns for names of scripts with spaces, and for those of scripts without."""
    spaced = {name for name in names if name.isascii() or "\u0900" <= name[0] <= "\u097f"}
    return any_of(spaced), any_of({*names} - spaced)


_MARKS: Final = r"\u0900-\u0963"
_L: Final = rf"(?<![a-z{_MARKS}\d])"
_R: Final = rf"(?![a-z{_MARKS}\d])"
_CASE: Final = f"[{_MARKS}]*"
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_DATE: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_WITHIN: Final = any_of(map(simple, ["मध्ये", "मधे", "मधील", "मधल्या", "में"]))
_SIDE, _HAN_SIDE = _split(SIDES)
_UNIT, _HAN_UNIT = _split(UNITS)
_WORD, _HAN_WORD = _split(DAYS)
_FULL: Final = any_of(map(simple, ["महिन", "महीन", "माह"]))
_TAIL: Final = rf"(?P<tail>\s*{_WITHIN}|\s*(?:{any_of(map(simple, ['के', 'च्या']))}\s+)?{_FULL}{_CASE})?"
_CASES: Final = any_of(map(simple, ["ला", "च्या", "त", "पासून", "पर्यंत"]))
_MONTH: Final = rf"(?P<month>{any_of(MONTHS)})(?:(?<!{simple('मे')}){_CASES})?"
_CUE: Final = rf"(?:(?P<cue>in|during|of|since|early|late|mid|until|till|by|before|after|around|{_SIDE})\s+)?"
_COUNT: Final = rf"(?P<count>\d{{1,4}}|{any_of(NUMBERS)})(?:\s+of)?\s*(?P<unit>{_UNIT})"
_HAN_NUMBER: Final = "(?:\\d{1,4}|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二两兩三四五六七八九])"
_HAN_COUNT: Final = rf"(?<!\d)(?P<count>{_HAN_NUMBER})\s*[个個ヶか]?\s*(?P<unit>(?<=[个個ヶか])月|(?!月){_HAN_UNIT})"
_HAN_DATE: Final = (
    rf"(?<!\d)(?=[\d一二三四五六七八九十前去今明])(?P<year>(?:19|20)\d\d年|{any_of(HAN_YEARS)})?\s*"
    rf"(?:(?P<month>{_HAN_NUMBER})月(?![台饼餅球亮光])份?(?:\s*(?P<day>{_HAN_NUMBER})[日号號])?)?"
)
_AFTER: Final = rf"(?:ago|{any_of(map(simple, ['पहले', 'पूर्वी', 'आधी']))}){_R}"

_WORD_OR_DIGIT: Final = re.compile(r"[a-z]+|\d")
_TELLING: Final = frozenset(
    (*map(str, range(10)), *MONTHS, *WEEKDAYS, "ago", *SIDES, "yesterday", "today", "tonight", "tomorrow")
)
"""Words and digits of which each date in English has one at least."""

_RULES: Final = tuple(
    _Rule(re.compile(pattern), read)
    for pattern, read in (
        (rf"(?<![\d.-]){_YEAR}(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)(?![\d-])", _digits),
        (rf"(?<![\d./]){_YEAR}(?P<sign>[/.])(?P<month>\d\d?)(?P=sign)(?P<day>\d\d?)(?![\d/])", _digits),
        (rf"{_L}{_COUNT}(?:s?\s+|{_CASE}?\s*){_AFTER}", _ago),
        (rf"{_HAN_COUNT}[之以]?前", _ago),
        (rf"{_L}{_SIDE}\s+{_COUNT}(?:s|{_CASE}){_R}", _lately),
        (rf"(?:最近|过去|過去|近)的?{_HAN_COUNT}", _lately),
        (rf"{_L}{_DATE}\s*(?:of\s+)?{_MONTH}{_TAIL}{_R}(?:[,.]?\s+{_YEAR})?", _spelt),
        (rf"{_L}(?!{simple('मे')}){_MONTH}\.?\s+(?:the\s+)?{_DATE}{_R}(?!:\d)(?:,?\s+{_YEAR})?", _spelt),
        (rf"{_L}{_YEAR}\s+{_MONTH}{_TAIL}{_R}", _spelt),
        (rf"{_L}{_CUE}{_MONTH}{_TAIL}{_R}(?:\.?,?\s+(?:of\s+)?{_YEAR})?", _spelt),
        (_HAN_DATE, _han),
        (rf"{_L}(?P<word>{_WORD}){_R}", _word),
        (rf"(?P<word>{_HAN_WORD})", _word),
        (rf"{_L}(?:(?P<side>{_SIDE})|on|since|by)\s+(?P<name>{any_of(WEEKDAYS)}){_CASE}{_R}", _weekday),
        (rf"{_L}(?P<side>(?!))?(?P<name>{_split([n for n in WEEKDAYS if not n.isascii()])[0]}){_CASE}{_R}", _weekday),
        (rf"(?P<side>{_HAN_SIDE})?(?:周|週|星期|礼拜|禮拜)(?P<name>[一二三四五六日天])", _han_weekday),
        (rf"{_L}(?P<side>{_SIDE})\s+weekend{_R}|(?P<han>{_HAN_SIDE})[周週]末", _weekend),
        (rf"{_L}(?P<side>{_SIDE})\s+(?P<unit>{_UNIT})(?:(?<![a-z]){_CASE})?{_R}", _beside),
        (rf"(?P<side>{_HAN_SIDE})(?P<unit>{_HAN_UNIT})", _beside),
        (rf"{_L}(?:in|during|since|of|from|year|before|after|until|till)\s+{_YEAR}{_R}", _year),
        (rf"{_L}{_YEAR}\s*(?:{_WITHIN}|{any_of(map(simple, ['साल', 'वर्ष']))}{_CASE}){_R}", _year),
        (rf"{_L}{simple('सन')}\s+{_YEAR}{_R}", _year),
    )
)
"""In the order in which they are tried."""
