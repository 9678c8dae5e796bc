"""The awareness texts: one for each reader, all of them saying the same, and true of this daemon."""

import re
import unicodedata
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig import wire

from memtrigd.domain import trust
from memtrigd.domain.memory import Source
from memtrigd.guidance.awareness import LANGUAGES, awareness, language

SCRIPTS = {"en": "LATIN", "zh": "CJK", "hi": "DEVANAGARI", "mr": "DEVANAGARI"}
EACH = pytest.mark.parametrize("lang", LANGUAGES)


def code(text: str) -> set[str]:
    """The words that are set as code."""
    return set(re.findall(r"`([a-z_]+)`", text))


def script(characters: Iterable[str]) -> str:
    """The script that most of the letters have."""
    names = [unicodedata.name(each).split()[0] for each in characters if each.isalpha()]
    return max(set(names), key=names.count)


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("en", "en"),
        ("en_GB.UTF-8", "en"),
        ("zh", "zh"),
        ("zh_CN.UTF-8", "zh"),
        ("zh-Hant-TW", "zh"),
        ("ZH", "zh"),
        ("hi_IN", "hi"),
        ("mr_IN.UTF-8@devanagari", "mr"),
        ("mr.UTF-8", "mr"),
        (" mr-IN ", "mr"),
        ("de_DE", "en"),
        ("C.UTF-8", "en"),
        ("POSIX", "en"),
        ("zhx", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_a_locale_finds_its_text(tag: str | None, expected: str) -> None:
    """By its language alone, in either spelling; English for whom there is none."""
    assert language(tag) == expected
    assert awareness(tag) == awareness(expected)


@given(st.text())
def test_any_locale_finds_a_text(tag: str) -> None:
    """What stands in an environment is no reason to fail, nor a way to another file."""
    assert language(tag) in LANGUAGES


@EACH
def test_a_text_is_written_in_its_script(lang: str) -> None:
    """And is not another's."""
    assert script(awareness(lang)) == SCRIPTS[lang]
    assert sum(awareness(other) == awareness(lang) for other in LANGUAGES) == 1


@EACH
def test_a_text_is_short_enough_to_be_read_at_every_start(lang: str) -> None:
    """It takes its part of every conversation."""
    lines = awareness(lang).splitlines()
    assert 60 <= len(lines) <= 90
    assert max(map(len, lines)) <= 140


@EACH
def test_all_texts_speak_of_the_same_things(lang: str) -> None:
    """The same chapters, and the same tools and fields."""
    english, text = awareness("en"), awareness(lang)
    heads = [re.match("#+ ", line) is not None for line in text.split("\n\n")]
    assert sum(heads) == sum(re.match("#+ ", part) is not None for part in english.split("\n\n")) == 9
    assert code(text) - {"code"} == code(english) - {"code"}


@EACH
def test_what_a_text_names_is_there(lang: str) -> None:
    """Sources, fields and requests are called what the wire calls them, and a guess waits where the text says so."""
    tags = {str(each.__struct_config__.tag) for each in (wire.Search, wire.Recall, wire.Confirm, wire.Reject)}
    tags |= {str(each.__struct_config__.tag) for each in (wire.Forget, wire.Deny)} | {"promise", "similar", "code"}
    known = tags | {"source"} | set(wire.Save.__struct_fields__) | {source.value for source in Source}
    assert code(awareness(lang)) <= known
    assert {"quote", "user_explicit", "self_inferred", "forget", "deny", "search", "replaces"} <= code(awareness(lang))
    assert f" {trust.CONFIDENT:.1f}" in awareness(lang)
