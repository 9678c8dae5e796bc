"""Text for the terminal: harmless, aligned in every script, and times as people say them."""

import unicodedata
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig.ctl.render import Screen, clip, one_line, paragraph, safe, width, wrap

NASTY = st.text(
    st.characters(exclude_categories=["Cs"])
    | st.sampled_from("\x00\x07\x1b\x7f\x9b\r\n\t\u202e\u2066\u2028\u200b\ufeff\U000e0041")
)
"""Texts in which what may not reach a terminal is frequent."""
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def harmless(text: str, kept: str = "") -> bool:
    """Tell whether no control, override or exotic line end is left but those ``kept``."""
    forbidden = {*map(chr, range(32)), *map(chr, range(0x7F, 0xA0)), *"\u202a\u202b\u202c\u202d\u202e"}
    forbidden |= {*"\u2066\u2067\u2068\u2069\u2028\u2029\u200b\u2060\ufeff\xad", *map(chr, range(0xE0000, 0xE0080))}
    return not (forbidden - set(kept)) & set(text)


@given(NASTY)
def test_no_control_character_passes(text: str) -> None:
    """Whatever a memory holds, lines and tabs are all that moves the cursor."""
    assert harmless(safe(text), "\n\t")
    assert harmless(one_line(text))


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs", "Cf"])))
def test_readable_text_stays_as_it_is(text: str) -> None:
    """Only the dangerous is rewritten."""
    assert safe(text) == text == one_line(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred", "a\\x1b[31mred"),
        ("\x9b2J", "\\x9b2J"),
        ("\u202egpj.exe", "\\u202egpj.exe"),
        ("one\r\ntwo", "one\ntwo"),
        ("over\rwrite", "over\\x0dwrite"),
        ("क\u200dष", "क\u200dष"),
    ],
)
def test_the_dangerous_is_visible(text: str, shown: str) -> None:
    """It is shown by its number, so that the reader knows; joiners that scripts need stay."""
    assert safe(text) == shown


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("tea", 3),
        ("中文", 4),
        ("मराठी", 5),
        ("कु", 1),
        ("é", 1),
        ("e\u0301", 1),
        ("ｱ", 1),
        ("Ａ", 2),
        ("🍵", 2),
        ("각", 2),
    ],
)
def test_width_counts_terminal_columns(text: str, columns: int) -> None:
    """Wide characters take two columns, combining marks none."""
    assert width(text) == columns


@given(st.text(st.sampled_from("ab中मकुठी🍵e\u0301")), st.integers(1, 12))
def test_a_clipped_text_fits_and_says_so(text: str, columns: int) -> None:
    """It is never wider than its room, and what is missing is marked."""
    short = clip(text, columns)
    assert width(short) <= columns
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))


def test_columns_align_in_every_script() -> None:
    """The second column begins at the same place, whatever stands in the first."""
    keys = ["tea", "早茶", "चहा", "e\u0301te\u0301", "🍵"]
    lines = Screen(now=NOW).table(("KEY", "MEMORY"), [(key, "|") for key in keys])
    assert {width(line[: line.index("|")]) for line in lines[1:]} == {width("早茶") + 2}


@given(st.lists(st.tuples(NASTY, NASTY, NASTY), min_size=1, max_size=4), st.integers(20, 100))
def test_a_table_is_harmless_and_one_line_a_row(rows: list[tuple[str, str, str]], columns: int) -> None:
    """No cell breaks out of its row."""
    lines = Screen(columns, now=NOW).table(("A", "B", "C"), rows)
    assert len(lines) == len(rows) + 1
    assert all(harmless(line) for line in lines)


def test_only_a_terminal_shortens() -> None:
    """In a pipe everything is there."""
    long = "word " * 100
    assert long.strip() in Screen(now=NOW).table(("A", "B"), [("k", long)])[1]
    assert width(Screen(60, now=NOW).table(("A", "B"), [("k" * 200, long)])[1]) <= 60


def test_colours_only_where_they_were_asked_for() -> None:
    """Styles are ours alone."""
    assert Screen(colour=True).bold("x") == "\x1b[1mx\x1b[0m"
    assert Screen().bold("x") == Screen().dim("x") == "x"


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=3), "3 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=9), "today 08:30"),
        (timedelta(hours=20), "yesterday 21:30"),
        (timedelta(days=5), "2026-11-25 17:30+0530"),
        (timedelta(days=-1), "tomorrow 17:30"),
        (timedelta(minutes=-1), "today 17:31"),
    ],
)
def test_moments_are_said_as_people_there_say_them(ago: timedelta, said: str) -> None:
    """In the local zone, near ones by their distance or day."""
    india = timezone(timedelta(hours=5, minutes=30))
    assert Screen(now=NOW, zone=india).when((NOW - ago).isoformat()) == said


WORDS = st.sampled_from(
    ["tea", "supercalifragilistic", "नमस्ते", "क्षत्रिय", "दुनिया", "中文", "安娜每天早上喝咖啡，", "1.5", " ", " ", "\n"]
)


@given(st.lists(WORDS).map("".join), st.integers(8, 40))
def test_wrapped_lines_fit_and_lose_nothing(text: str, columns: int) -> None:
    """All but white space is there, in order; no line begins inside a syllable."""
    lines = list(wrap(text, columns))
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(width(line) <= columns for line in lines)
    assert not any(unicodedata.category(line[0])[0] == "M" for line in lines if line)
    assert not any(line.endswith("\u094d") for line in lines)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("She takes her tea without sugar", ["She takes", "her tea", "without", "sugar"]),
        ("安娜每天早上喝咖啡", ["安娜每天早", "上喝咖啡"]),
        ("tea安娜每天喝咖啡", ["tea安娜每", "天喝咖啡"]),
        ("नमस्ते माझ्या मित्रा", ["नमस्ते माझ्या", "मित्रा"]),
        ("supercalifragilistic", ["supercalif", "ragilistic"]),
        ("one\n\ntwo", ["one", "", "two"]),
        ("", [""]),
    ],
)
def test_a_text_is_wrapped_where_its_script_allows(text: str, lines: list[str]) -> None:
    """Between words; in Chinese anywhere; inside a word only if it is too long."""
    assert list(wrap(text, 10)) == lines


def test_a_paragraph_shows_that_it_goes_on() -> None:
    """The last line that is shown ends in an ellipsis; a pipe gets all."""
    assert paragraph("one two three four", 10, 2) == ["  one two", "  three …"]
    assert paragraph("one\ntwo", None, 1) == ["  one", "  two"]
