"""The words of calendars: months, weekdays, days, spans and small numbers, in English, Chinese, Hindi and Marathi.

Written as ``simple`` brings a question: folded, without accents, Devanagari in one spelling.
"""

import re
from collections.abc import Iterable
from typing import Final

from memtrigd.search import devanagari
from memtrigd.search.folding import fold, prepare


def simple(text: str) -> str:
    """Bring a text into the one form in which these words are looked for."""
    return devanagari.normalise(fold(prepare(text)))


def _numbered(*names: str, first: int = 1) -> dict[str, int]:
    """Names by what they stand for; those of one thing are apart by spaces."""
    return {simple(name): number for number, each in enumerate(names, first) for name in each.split()}


MONTHS: Final = _numbered(
    "january jan जनवरी जानेवारी",
    "february feb फरवरी फेब्रुवारी",
    "march mar मार्च",
    "april apr अप्रैल एप्रिल",
    "may मई मे",
    "june jun जून",
    "july jul जुलाई जुलै",
    "august aug अगस्त ऑगस्ट",
    "september sept sep सितंबर सितम्बर सप्टेंबर",
    "october oct अक्टूबर अक्तूबर ऑक्टोबर",
    "november nov नवंबर नवम्बर नोव्हेंबर",
    "december dec दिसंबर दिसम्बर डिसेंबर",
)
AMBIGUOUS: Final = frozenset(
    _numbered("jan feb mar apr may jun jul aug sep sept oct nov dec मे", "march april june august")
)
"""Words and names of people that are months only beside a day, a year or a word of time: may, march, April."""
WEEKDAYS: Final = _numbered(
    "monday सोमवार",
    "tuesday मंगलवार मंगळवार",
    "wednesday बुधवार",
    "thursday गुरुवार गुरूवार बृहस्पतिवार",
    "friday शुक्रवार",
    "saturday शनिवार",
    "sunday रविवार इतवार",
    first=0,
)
HAN_WEEKDAYS: Final = {
    sign: number for number, signs in enumerate(["一", "二", "三", "四", "五", "六", "日天"]) for sign in signs
}
NUMBERS: Final = {
    **_numbered("a an one एक", "two couple दो दोन", "three few तीन", "four चार", "five पांच पाच", "six छह छः सहा"),
    **_numbered("seven सात", "eight आठ", "nine नौ नऊ", "ten दस दहा", "eleven ग्यारह अकरा", "twelve बारह बारा", first=7),
}
DAYS: Final = {
    simple(name): offsets
    for offsets, names in {
        (-3,): "大前天",
        (-2,): "前天 前日 一昨日 おととい",
        (-1,): "yesterday 昨天 昨日 昨晚 昨夜 काल",
        (0,): "today tonight 今天 今日 今晚 今早 今朝 आज",
        (1,): "tomorrow 明天 明日 उद्या",
        (2,): "后天 後天 明後日",
        (-1, 1): "कल",
        (-2, 2): "परसों परवा",
    }.items()
    for name in names.split()
} | {
    "the day before yesterday": (-2,),
    "day before yesterday": (-2,),
    "day after tomorrow": (2,),
    "last night": (-1,),
    **dict.fromkeys(("this morning", "this afternoon", "this evening"), (0,)),
}
"""Words for a day, as days from today; where one word means both ways, the past comes first."""
UNITS: Final = {
    simple(name): unit
    for unit, names in {
        "day": "day 天 日 दिन दिवस",
        "week": "week 周 週 週間 星期 礼拜 禮拜 हफ्त हफ़्त सप्ताह आठवड",
        "month": "month 月 महीन महिन माह",
        "year": "year 年 साल वर्ष बरस",
    }.items()
    for name in names.split()
}
"""Spans of the calendar, of Devanagari words what is left of them in every case."""
SIDES: Final = {
    simple(name): side
    for side, names in {
        -1: "last past previous 上 上个 上個 先 पिछले पिछली पिछला गत बीते गेल्या गेले मागच्या मागील",
        0: "this current 本 这 這 这个 這個 今 इस या ह्या चालू",
        1: "next coming 下 下个 下個 来 來 अगले अगली पुढच्या पुढील येत्या",
    }.items()
    for name in names.split()
}
"""On which side of now a span is that is named with one of them."""
HAN_YEARS: Final = {"前年": -2, "去年": -1, "今年": 0, "明年": 1}

_HAN_DIGITS: Final = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2, "兩": 2}


def number(said: str) -> int | None:
    """Read a small number in digits or words; None for anything else."""
    if said.isdecimal():
        return int(said) if len(said) <= 4 else None
    if said in NUMBERS:
        return NUMBERS[said]
    tens, ten, ones = said.rpartition("十")
    if not all(sign in _HAN_DIGITS for sign in tens + ones) or len(tens) > 1 or len(ones) > 1 or not said:
        return None
    return 10 * (_HAN_DIGITS[tens] if tens else 1) * bool(ten) + (_HAN_DIGITS[ones] if ones else 0)


def any_of(names: Iterable[str]) -> str:
    """A pattern for any of some names, the longest first."""
    return "(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + ")"
