"""What the user said and what they did not: quotes survive a new setting of the text, never a new meaning."""

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.speech import KEPT, KEPT_CHARACTERS, Heard, attests, uttered


def was_said(quote: str, *said: str) -> bool:
    """Whether a quote is in what was said."""
    return attests(quote, map(uttered, said))


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
    assert not was_said(quote, "a … ?! 我", "a 我", "…")


@pytest.mark.parametrize("answer", ["हो", "हाँ", "好", "对", "是", "y", "네", "да"])
def test_a_yes_of_one_letter_is_heard_as_an_answer(answer: str) -> None:
    """A vowel sign makes a word of a letter; and what is all of an utterance is no accident."""
    assert was_said(answer, f"{answer}!")


def test_a_quote_is_of_one_utterance() -> None:
    """Two utterances put together are an invention."""
    heard = Heard()
    heard.hear("I hate")
    heard.hear("coriander")
    assert heard.attests("I hate")
    assert not heard.attests("I hate coriander")


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("5", "it was -5 degrees"),
        ("5 degrees", "it was -5 degrees"),
        ("-5 degrees", "it was 5 degrees"),
        ("5 degrees", "it was −5 degrees"),
        ("$500", "my balance is -$500"),
        ("€500", "I paid $500"),
        ("5 mg", "I take .5 mg"),
        ("I take 50", "I take 50% of it"),
        ("less than 5", "less than 5%"),
        ("x2 it is", "x² it is"),
        ("the x", "the x²"),
        ("to 10", "to 10⁻³"),
        ("12 pills", "½ pills"),
        ("take 2", "take 2½"),
        ("1/2 pill", "2½ pill"),
        ("I like C", "I like C#"),
        ("I like C", "I like C++"),
        ("NET is fine", ".NET is fine"),
        ("x 5", "x < 5"),
        ("smoker", "I am a non-smoker"),
        ("I eat sugar", "I eat sugar-free"),
        ("I love Asha", "I love Asha's tea"),
        ("我有3", "我有3万元"),
        ("我有三", "我有三十元"),
    ],
)
def test_a_sign_is_part_of_what_was_said(quote: str, said: str) -> None:
    """A minus, a power, a fraction, a currency, the end of a compound: without it another thing was said."""
    assert not was_said(quote, said)
    assert was_said(said, said)


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("not today I love coffee", "Not today. I love coffee."),
        ("I hate coffee", "I don't know what I hate. Coffee is fine."),
        ("我爱咖啡", "明天见我爱。咖啡很好。"),
        ("मला चहा आवडतो", "हे मला। चहा आवडतो।"),
        ("I want tea", "What I want\n\nTea is out"),
    ],
)
def test_a_quote_runs_over_no_end_of_a_sentence(quote: str, said: str) -> None:
    """Two halves of sentences are no sentence; two sentences with their stop between them are what was said."""
    assert not was_said(quote, said)
    assert was_said(said, said)


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("like coffee", "I do not like coffee"),
        ("like coffee", "I don’t like coffee."),
        ("I like coffee", "Nobody believes I like coffee"),
        ("I drink coffee", "I drink coffee without sugar"),
        ("I don't like coffee", "I never said I don't like coffee"),
        ("喜欢咖啡", "我不喜欢咖啡"),
        ("喜歡咖啡", "我從沒喜歡咖啡"),
        ("喝咖啡", "我很少喝咖啡"),
        ("我喜欢咖啡", "谁说我喜欢咖啡"),
        ("我喜欢咖啡", "我喜欢咖啡才怪"),
        ("别喜欢咖啡", "我特别喜欢咖啡"),
        ("मला कॉफी आवडत", "मला कॉफी आवडत नाही"),
        ("मला कॉफी", "मला कॉफी नकोय"),
        ("कॉफी पितो", "मी क्वचितच कॉफी पितो"),
        ("मी कॉफी पितो", "मी कॉफी पितो असे कोणी सांगितले"),
        ("कॉफ़ी पीता", "मैं शायद ही कॉफ़ी पीता हूँ"),
        ("मुझे कॉफ़ी पसंद", "मुझे कॉफ़ी पसंद नहीं है"),
        ("Ich mag Kaffee", "Ich mag Kaffee nicht"),
        ("trinke Kaffee", "Ich trinke Kaffee ohne Zucker"),
        ("aime le café", "Je n'aime pas le café"),
        ("me gusta el café", "No me gusta el café"),
        ("gosto de café", "Não gosto de café"),
        ("люблю кофе", "Я не люблю кофе"),
        ("コーヒーが好き", "コーヒーが好きではない"),
    ],
)
def test_a_quote_is_not_cut_out_of_its_denial(quote: str, said: str) -> None:
    """What the rest of the clause denies was not said; with the denial it was."""
    assert not was_said(quote, said)
    assert was_said(said, said)


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("I like coffee", "No, I like coffee"),
        ("I do not like coffee", "I do not like coffee at all"),
        ("not like coffee", "I do not like coffee"),
        ("I like tea", "I like tea, not coffee"),
        ("我喜欢咖啡", "不，我喜欢咖啡"),
        ("喜欢咖啡", "我非常喜欢咖啡"),
        ("不喜欢咖啡", "我不喜欢咖啡"),
        ("आवडत नाही", "मला कॉफी आवडत नाही"),
        ("me gusta el café", "Si, me gusta el café"),
        ("Dr. Rao is kind", "My doctor, Dr. Rao is kind"),
        ("Dr Rao is kind", "Dr. Rao is kind"),
        ("I like tea. I hate coffee", "I like tea.  I hate coffee!"),
        ("x^2", "x²"),
        ("m² of it", "20 m² of it"),
        ("-5 °C", "it is −5 °C outside"),
        ("covid-19", "I had Covid-19 twice"),
        ("tea at noon", "#tea at noon"),
    ],
)
def test_a_denial_elsewhere_denies_nothing(quote: str, said: str) -> None:
    """Another clause's denial, or one that the quote has itself, is none of its business."""
    assert was_said(quote, said)


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("I like coffee", "Do you think I like coffee?"),
        ("I like coffee", "do i know that I like coffee"),
        ("do I like coffee", "do I like coffee?"),
        ("I liked coffee", "If I liked coffee, I would buy some."),
        ("I would buy some", "If I liked coffee, I would buy some."),
        ("I liked coffee", "She asked whether I liked coffee"),
        ("ich Kaffee mag", "Wenn ich Kaffee mag"),
        ("我喜欢咖啡", "我喜欢咖啡吗"),
        ("我喜欢咖啡", "如果我喜欢咖啡就好了"),
        ("मुझे कॉफ़ी पसंद है", "अगर मुझे कॉफ़ी पसंद है तो"),
        ("मला कॉफी आवडते", "जर मला कॉफी आवडते"),
        ("मला दोन मुलं", "मला दोन मुलं असती तर"),
        ("我有两个孩子", "我有两个孩子就好了"),
        ("मला कॉफी आवडते", "मला कॉफी आवडते का"),
    ],
)
def test_a_question_or_a_supposition_states_nothing(quote: str, said: str) -> None:
    """It was said, which is enough for a wish, but it attests no fact."""
    assert not was_said(quote, said)
    heard = Heard()
    heard.hear(said)
    assert heard.holds(quote)


_CALM = st.sampled_from(
    ["My sister", "lives in", "Pune", "-5", "½", "x²", ".NET", "我", "喜欢", "咖啡", "मला", "चहा", "not", "नाही", "不"]
)
_STATEMENTS = st.lists(st.lists(_CALM, min_size=2, max_size=6).map(" ".join), min_size=1, max_size=3).map(". ".join)


@given(_STATEMENTS, st.sampled_from(["NFC", "NFD"]), st.booleans())
def test_a_whole_statement_is_attested_in_any_setting(said: str, form: Literal["NFC", "NFD"], loud: bool) -> None:
    """Case, normal form, spaces and what nobody sees are the writer's; so is the width of letters and digits."""
    quote = unicodedata.normalize(form, said).replace(" ", "  \u200b")
    assert was_said(quote.upper() if loud else quote, said)
    assert was_said(said.translate({c: c + 0xFEE0 for c in range(ord("a"), ord("z") + 1)}), said)


@given(st.text(max_size=60), st.booleans())
def test_whole_utterances_were_said(said: str, decomposed: bool) -> None:
    """Whatever was said is there in either normal form, if it has a letter or digit at all."""
    quote = unicodedata.normalize("NFD" if decomposed else "NFC", said)
    enough = any(map(str.isalnum, uttered(said).words))
    assert attests(quote, [uttered(said)], stated=False) == enough


@given(
    st.lists(_CALM, min_size=1, max_size=6),
    st.lists(_CALM, max_size=6),
    st.sampled_from(["not", "नाही", "不", "nicht"]),
)
def test_no_cut_loses_a_denial(quoted: list[str], rest: list[str], denial: str) -> None:
    """Whatever stands between, what follows a denial in its clause is not attested without it."""
    quote = " ".join(["today", *quoted])
    assert not was_said(quote, " ".join(["We", denial, *rest, quote, "so"]))


@given(st.lists(st.text(min_size=1, max_size=30), max_size=4), st.text(min_size=2, max_size=12))
def test_what_is_attested_is_there(said: list[str], quote: str) -> None:
    """Never a quote whose letters are not in one utterance, in order."""
    if was_said(quote, *said):
        assert any(uttered(quote).words in uttered(words).words for words in said)


def test_memory_is_bounded() -> None:
    """The oldest words give way, by number and by length; a long utterance is kept by its beginning."""
    heard = Heard()
    for number in range(KEPT + 1):
        heard.hear(f"utterance number {number}")
    assert not heard.attests("number 0")
    assert heard.attests(f"number {KEPT}")
    assert not heard.holds("number 0")
    heard.hear("x " * KEPT_CHARACTERS)
    assert not heard.attests(f"number {KEPT}")
    assert heard.attests("x x")
