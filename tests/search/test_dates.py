"""Dates in questions: what a person means by them, where they are."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.search.calendars import NUMBERS, number
from memtrigd.search.dates import MOST, YEARS, dates

KOLKATA = ZoneInfo("Asia/Kolkata")
MONDAY = datetime(2026, 11, 30, 10, tzinfo=KOLKATA)
ZONES = st.sampled_from(sorted(available_timezones())).map(ZoneInfo)
MOMENTS = st.datetimes(datetime(1950, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))
WORDS = [
    "last",
    "May",
    "5",
    "2023",
    "ago",
    "two",
    "days",
    "in",
    "上",
    "周",
    "月",
    "三",
    "前",
    "मे",
    "पिछले",
    "दिन",
    "-",
    "/",
    "年",
]


def micros(moment):
    """Return a moment as the daemon counts them."""
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond


def days(text, now=MONDAY):
    """Return the ranges of days that a text says to somebody in India, each as its first and last day."""
    found = dates(text, micros(now), KOLKATA)
    ends = [[datetime.fromtimestamp(end / 1e6, KOLKATA) for end in each] for each in found]
    assert all(moment.time().isoformat() == "00:00:00" for each in ends for moment in each)
    return [
        f"{first.date()}…{after.date() - timedelta(1)}" if after - first > timedelta(1) else f"{first.date()}"
        for first, after in ends
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What happened on 5 May 2023?", ["2023-05-05"]),
        ("on the 5th of May, 2023", ["2023-05-05"]),
        ("May 5th, 2023", ["2023-05-05"]),
        ("Sept. 3, 2022", ["2022-09-03"]),
        ("2023-05-05", ["2023-05-05"]),
        ("since 2023/5/5", ["2023-05-05"]),
        ("in 2023-05", ["2023-05-01…2023-05-31"]),
        ("trips in May 2023", ["2023-05-01…2023-05-31"]),
        ("the December of 2022", ["2022-12-01…2022-12-31"]),
        ("in 2022", ["2022-01-01…2022-12-31"]),
        ("2023年5月3日", ["2023-05-03"]),
        ("2023年5月去了哪里", ["2023-05-01…2023-05-31"]),
        ("二〇二三年 2023年十二月二十五日", ["2023-12-25"]),
        ("去年5月3日", ["2025-05-03"]),
        ("2022年", ["2022-01-01…2022-12-31"]),
        ("१२ जून २०२२ रोजी", ["2022-06-12"]),
        ("5 मे 2023", ["2023-05-05"]),
        ("मे 2023 मध्ये", ["2023-05-01…2023-05-31"]),
        ("15 अगस्त 2024 को", ["2024-08-15"]),
        ("२०२२ साली", ["2022-01-01…2022-12-31"]),
        ("2022 में", ["2022-01-01…2022-12-31"]),
        ("31 April 2023", ["2023-04-01…2023-04-30"]),
        ("last May", ["2026-05-01…2026-05-31"]),
        ("last November", ["2025-11-01…2025-11-30"]),
        ("next May", ["2027-05-01…2027-05-31"]),
    ],
)
def test_a_date_with_a_year_is_one_range(text, said):
    """In every spelling."""
    assert days(text) == said


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("What did she do on 5 May?", "2026-05-05"),
        ("May 5th", "2026-05-05"),
        ("in May", "2026-05-01…2026-05-31"),
        ("any plans for September?", "2026-09-01…2026-09-30"),
        ("5月3日", "2026-05-03"),
        ("5月去了哪里", "2026-05-01…2026-05-31"),
        ("5 मे", "2026-05-05"),
        ("मे महिन्यात", "2026-05-01…2026-05-31"),
        ("मेमध्ये", "2026-05-01…2026-05-31"),
        ("मई के महीने में", "2026-05-01…2026-05-31"),
        ("जूनमध्ये", "2026-06-01…2026-06-30"),
    ],
)
def test_a_date_without_a_year_may_be_of_several(text, first):
    """This year's is first."""
    said = days(text)
    assert said[0] == first and len(said) == len(YEARS)
    assert {each[4:10] for each in said} == {first[4:10]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What did I say yesterday?", ["2026-11-29"]),
        ("this morning", ["2026-11-30"]),
        ("last night", ["2026-11-29"]),
        ("the day before yesterday", ["2026-11-28"]),
        ("last week", ["2026-11-23…2026-11-29"]),
        ("last month", ["2026-10-01…2026-10-31"]),
        ("last year", ["2025-01-01…2025-12-31"]),
        ("next month", ["2026-12-01…2026-12-31"]),
        ("two days ago", ["2026-11-28"]),
        ("a week ago", ["2026-11-23…2026-11-29"]),
        ("a couple of months ago", ["2026-09-01…2026-09-30"]),
        ("over the last 3 days", ["2026-11-27…2026-11-30"]),
        ("last Friday", ["2026-11-27"]),
        ("last Monday", ["2026-11-23"]),
        ("on Friday", ["2026-11-27", "2026-12-04"]),
        ("next Friday", ["2026-12-04"]),
        ("last weekend", ["2026-11-28…2026-11-29"]),
        ("昨天", ["2026-11-29"]),
        ("大前天", ["2026-11-27"]),
        ("上周", ["2026-11-23…2026-11-29"]),
        ("上個星期", ["2026-11-23…2026-11-29"]),
        ("上个月", ["2026-10-01…2026-10-31"]),
        ("三天前", ["2026-11-27"]),
        ("三个月前", ["2026-08-01…2026-08-31"]),
        ("两周以前", ["2026-11-16…2026-11-22"]),
        ("最近三天", ["2026-11-27…2026-11-30"]),
        ("上周五", ["2026-11-27"]),
        ("去年", ["2025-01-01…2025-12-31"]),
        ("先週の会議", ["2026-11-23…2026-11-29"]),
        ("काल काय झाले?", ["2026-11-29"]),
        ("परवा", ["2026-11-28", "2026-12-02"]),
        ("गेल्या आठवड्यात", ["2026-11-23…2026-11-29"]),
        ("मागच्या महिन्यात", ["2026-10-01…2026-10-31"]),
        ("दोन दिवसांपूर्वी", ["2026-11-28"]),
        ("गेल्या शुक्रवारी", ["2026-11-27"]),
        ("कल क्या हुआ?", ["2026-11-29", "2026-12-01"]),
        ("परसों", ["2026-11-28", "2026-12-02"]),
        ("पिछले हफ़्ते", ["2026-11-23…2026-11-29"]),
        ("पिछले महीने", ["2026-10-01…2026-10-31"]),
        ("३ दिन पहले", ["2026-11-27"]),
        ("पाँच दिन पहले", ["2026-11-25"]),
        ("पिछले तीन दिनों में", ["2026-11-27…2026-11-30"]),
        ("पिछले शुक्रवार को", ["2026-11-27"]),
        ("yesterday or 5 May 2023", ["2023-05-05", "2026-11-29"]),
    ],
)
def test_a_relative_date_is_told_from_the_day_that_it_is(text, said):
    """On a Monday; weeks begin on Monday, and what means both ways has the past first."""
    assert days(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "",
        "She may come",
        "may I?",
        "march on",
        "What did April say?",
        "August is a name",
        "the last cake",
        "this is it",
        "5 apples",
        "room 2023",
        "on Fridays",
        "1.2.3",
        "10:30",
        "a week",
        "मेला",
        "मे",
        "घर में 5 लोग",
        "विकाल",
        "上海",
        "一个月",
        "月亮",
        "第3月台",
        "2023-02-30",
        "9999 years ago",
    ],
)
def test_what_is_no_date_is_none(text):
    """A word that is also a month, a count, a date that never is."""
    assert days(text) == []


def test_the_29th_of_february_is_only_in_leap_years():
    """And no other day stands in for it."""
    assert days("29 February") == ["2024-02-29", "2020-02-29"]


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("America/Sao_Paulo", date(2018, 11, 4), 23),  # its midnight was left out
        ("America/Havana", date(2026, 11, 1), 25),  # its midnight comes twice
        ("Asia/Kolkata", date(2026, 11, 30), 24),
    ],
)
def test_a_day_is_as_long_as_the_calendar_of_the_zone_has_it(zone, day, hours):
    """When clocks are changed, at midnight too, days neither overlap nor leave anything out."""
    place = ZoneInfo(zone)
    noon = micros(datetime(day.year, day.month, day.day, 12, tzinfo=place) + timedelta(1))
    ((first, after),) = dates("yesterday", noon, place)
    assert after - first == hours * 3_600_000_000
    ((_, before),) = dates("two days ago", noon, place)
    ((today, _),) = dates("today", noon, place)
    assert (before, after) == (first, today)


@given(zone=ZONES, now=MOMENTS)
def test_days_follow_one_another_in_every_zone(zone, now):
    """Where we are now is in today, and yesterday ends where today begins."""
    ((first, after),) = dates("today", micros(now), zone)
    assert first <= micros(now) < after
    ((_, end),) = dates("yesterday", micros(now), zone)
    ((_, week_end),), ((week, _),) = dates("last week", micros(now), zone), dates("this week", micros(now), zone)
    assert end == first and week_end == week <= first


@given(
    text=st.one_of(
        st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join), st.lists(st.sampled_from(WORDS)).map("".join)
    ),
    now=st.one_of(MOMENTS.map(micros), st.integers(-(2**63), 2**63 - 1)),
    zone=ZONES,
)
def test_any_text_at_any_time_gives_ranges_in_order(text, now, zone):
    """Never an error, and never an end before its beginning."""
    found = dates(text, now, zone)
    assert len(found) <= MOST and all(first < after for first, after in found)


@given(st.integers(1, 99))
def test_small_numbers_are_read_in_chinese(count):
    """Both ways of writing tens."""
    signs = "零一二三四五六七八九"
    tens, ones = divmod(count, 10)
    said = (signs[tens] if tens > 1 else "") + "十" * (tens > 0) + (signs[ones] if ones else "")
    assert number(said) == number(str(count)) == count


def test_no_word_is_two_numbers():
    """Each is read as what it says."""
    assert all(number(word) == value for word, value in NUMBERS.items())
    assert [number(word) for word in ("", "ten thousand", "十十", "一二", "12345")] == [None] * 5
