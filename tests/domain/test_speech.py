"""What the user said and what they did not: quotes survive a new setting of the text, never a new meaning."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.speech import KEPT, KEPT_CHARACTERS, Heard, attests, spoken


def was_said(quote: str, *said: str) -> bool:
    """Whether a quote is in what was said."""
    return attests(quote, map(spoken, said))


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("my sister lives in Pune", "Well, my sister lives in Pune."),
        ("MY SISTER", "my  sister\nlives in Pune"),
        ("“my sister lives”", "my sister, lives in Pune"),
        ("Café", "we met at the Cafe\u0301 yesterday"),
        ("don’t call me", "Please don’t call me!"),
        ("1.5 mg", "I take 1.5 mg."),
        ("1.5 mg", "I take １.５ mg"),
        ("मला चहा आवडतो", "हो, मला चहा आवडतो!"),
        ("मला चहा आवडतो", "हो । मला चहा आवडतो ।"),
        ("不吃香菜", "我从来不吃香菜，过敏。"),
        ("我从来不吃香菜", "我从来，不吃香菜。".replace("，", "")),
        ("iPhone", "我在用iPhone手机"),
        ("我在用", "我在用iPhone手机"),
        ("커피", "커피를 좋아해요"),
        ("привет", "Ну, привет!"),
        ("a+b", "I said a+b, no more"),
    ],
)
def test_the_same_words_in_another_setting_were_said(quote: str, said: str) -> None:
    """Case, normal form, width, white space and punctuation between words are the writer's."""
    assert was_said(quote, said)


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("15 mg", "I take 1.5 mg"),
        ("1.5 mg", "I take 15 mg"),
        ("take 15", "I take 15.5 mg"),
        ("15 mg", "I take 1.15 mg"),
        ("at 10", "come at 10:30"),
        ("art", "a party at noon"),
        ("part", "a party at noon"),
        ("при", "привет"),
        ("कि", "की किताब"),
        ("मला चह", "मला चहा आवडतो"),
        ("吃香菜吗", "我不吃香菜"),
        ("in Pune my sister", "my sister lives in Pune"),
        ("my sister Pune", "my sister lives in Pune"),
    ],
)
def test_other_words_were_not(quote: str, said: str) -> None:
    """Another number, part of a word, another vowel sign, another order: not said."""
    assert not was_said(quote, said)


@pytest.mark.parametrize("quote", ["", " ", "a", "…", "?!", "我"])
def test_a_single_letter_attests_nothing(quote: str) -> None:
    """One letter is in every sentence."""
    assert not was_said(quote, "a … ?! 我", "a")


def test_a_quote_is_of_one_utterance() -> None:
    """Two utterances put together are an invention."""
    heard = Heard()
    heard.hear("I hate")
    heard.hear("coriander")
    assert heard.attests("I hate")
    assert not heard.attests("I hate coriander")


@given(st.text(min_size=1, max_size=60), st.booleans())
def test_whole_utterances_were_said(said: str, decomposed: bool) -> None:
    """Whatever was said is attested in either normal form, if it has two letters or digits at all."""
    quote = unicodedata.normalize("NFD" if decomposed else "NFC", said)
    enough = sum(c.isalnum() for c in spoken(said)) >= 2
    assert was_said(quote, said) == enough


@given(st.lists(st.text(min_size=1, max_size=30), max_size=4), st.text(min_size=2, max_size=12))
def test_what_is_attested_is_there(said: list[str], quote: str) -> None:
    """Never a quote whose letters are not in one utterance, in order."""
    if was_said(quote, *said):
        assert any(spoken(quote) in spoken(words) for words in said)


def test_memory_is_bounded() -> None:
    """The oldest words give way, by number and by length; a long utterance is kept by its beginning."""
    heard = Heard()
    for number in range(KEPT + 1):
        heard.hear(f"utterance number {number}")
    assert not heard.attests("number 0")
    assert heard.attests(f"number {KEPT}")
    heard.hear("x " * KEPT_CHARACTERS)
    assert not heard.attests(f"number {KEPT}")
    assert heard.attests("x x")
