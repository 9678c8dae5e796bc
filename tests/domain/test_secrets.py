"""Credentials are found wherever they stand, and nothing is taken for one that only looks like it."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.secrets import find, redacted
from tests.domain.credentials import HARMLESS, NAMED, SETTINGS, forms

FORMS = list(forms())
AROUND = ["{}", "see {} there", 'x = "{}"', "密钥：{}。", "({})", "KEY={}\n", "`{}`,"]


@pytest.mark.parametrize(("kind", "secret"), FORMS, ids=[f"{n}-{kind}" for n, (kind, _) in enumerate(FORMS)])
@pytest.mark.parametrize("around", AROUND)
def test_a_credential_is_known_by_its_form(kind: str, secret: str, around: str) -> None:
    """Each form is found in prose, in quotes, in Chinese and at the ends of a text, exactly where it is."""
    text = around.format(SETTINGS.get(kind, "{}").format(secret))
    assert (kind, secret) in [(each.kind, text[each.start : each.end]) for each in find(text)]
    assert secret not in redacted(text)


@pytest.mark.parametrize(("sentence", "secret"), NAMED)
def test_what_is_called_a_password_is_one(sentence: str, secret: str) -> None:
    """Passwords and tokens that a text gives as such are found in each language, and exactly they go."""
    text = sentence.format(secret)
    (found,) = find(text)
    assert text[found.start : found.end] == secret
    assert redacted(text) == sentence.format(f"[redacted {found.kind}]")


@pytest.mark.parametrize("text", HARMLESS)
def test_nothing_is_taken_for_a_credential_that_is_none(text: str) -> None:
    """Placeholders, code that reads a variable, documentation, digests and talk of passwords are left alone."""
    assert find(text) == []
    assert redacted(text) == text


@given(st.lists(st.sampled_from([*HARMLESS, *(f"« {secret} »" for _, secret in FORMS), "\n", "कि", "好"]), max_size=6))
def test_what_was_redacted_holds_no_credential(parts: list[str]) -> None:
    """A text that was redacted once is not refused: redacting it again changes nothing."""
    once = redacted(" \n".join(parts))
    assert find(once) == []
    assert redacted(once) == once


@given(st.text(max_size=400))
def test_any_text_can_be_looked_through(text: str) -> None:
    """No text is a fault; what is found is in order, within the text, and does not overlap."""
    edges = [edge for each in find(text) for edge in (each.start, each.end)]
    assert edges == sorted(edges) and all(0 <= edge <= len(text) for edge in edges)


@given(st.integers(0, 2**160 - 1), st.uuids())
def test_digests_and_uuids_are_no_credentials(number: int, uuid: Any) -> None:
    """What memories of work are full of is never refused: commits, digests, ids."""
    assert find(f"at {number:040x} by {uuid} is {number:064x} of {number:032x}") == []


@pytest.mark.parametrize(
    "unit",
    [
        "password is ",
        "password: ",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ-",
        "a://",
        "key_",
        "PIN for ",
        "password='",
        "密码",
        "पिन ",
    ],
)
def test_no_text_takes_long(unit: str) -> None:
    """A text made to be slow takes time in proportion to its length, not to its square."""
    seconds = []
    for size in (1 << 14, 1 << 17):
        text = unit * (size // len(unit))
        best = float("inf")
        for _ in range(3):
            begun = time.thread_time()
            find(text)
            best = min(best, time.thread_time() - begun)
        seconds.append(best)
    assert seconds[1] < 24 * seconds[0] + 0.05
