"""Claims are checked before any rule sees them: nothing is cut, what can't be stored is refused with its limit."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain import claim
from memtrigd.domain.claim import MAX_CONTENT, MAX_KEY, MAX_TAG, MAX_TAGS, Claim
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import Kind, Source


def refused(code: str, check: object, *arguments: object, **named: object) -> Refusal:
    """Call a check that must refuse with ``code``."""
    with pytest.raises(Refusal) as raised:
        check(*arguments, **named)  # type: ignore[operator]
    assert raised.value.code == code
    assert raised.value.message
    return raised.value


@given(st.text())
def test_a_name_is_kept_whole_or_refused(text: str) -> None:
    """A name comes back trimmed and in NFC, and nothing else of it changes; else it is a typed refusal."""
    try:
        kept = claim.name(text, "key")
    except Refusal as refusal:
        assert refusal.code in ("bad_value", "too_large")
    else:
        assert kept == unicodedata.normalize("NFC", text).strip()
        assert 0 < len(kept) <= MAX_KEY
        assert claim.name(kept, "key") == kept


@pytest.mark.parametrize(
    "key", ["../../etc/passwd", "a/b:c#d", "वापरकर्ता", "用户", "🙂", "/", "a//b", "user-name", "'; --"]
)
def test_a_name_is_opaque(key: str) -> None:
    """Separators, scripts and quotes mean nothing in a name."""
    assert claim.name(key, "key") == key


def test_composed_and_decomposed_spelling_are_one_name() -> None:
    """A key typed on a Mac (NFD) finds what was saved elsewhere (NFC)."""
    assert claim.name("cafe\u0301", "key") == claim.name("caf\u00e9", "key")


@pytest.mark.parametrize("key", ["", "  ", "\u3000", "a\nb", "a\x00b", "a\x1b[31m", "a\u2028b", "a\ud83d"])
def test_a_name_without_a_visible_character_or_with_a_control_is_refused(key: str) -> None:
    """Blank names, line breaks, escape sequences and half surrogates have no place in a name."""
    refused("bad_value", claim.name, key, "key")


def test_the_length_of_a_name_is_counted_in_characters() -> None:
    """256 characters of any script fit, 257 do not, and the message says both numbers."""
    assert claim.name("म" * MAX_KEY, "key")
    refusal = refused("too_large", claim.name, "म" * (MAX_KEY + 1), "key")
    assert str(MAX_KEY) in refusal.message
    assert str(MAX_KEY + 1) in refusal.message


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_is_kept_whole_or_refused(text: str) -> None:
    """White space in and around a text is kept; one without a visible character, and NUL, are refused."""
    try:
        kept = claim.text(text, "content")
    except Refusal as refusal:
        assert refusal.code == "bad_value"
        assert {unicodedata.category(c) for c in text} <= {"Cc", "Cf", "Zs", "Zl", "Zp"} or "\x00" in text
    else:
        assert kept == unicodedata.normalize("NFC", text)


def test_the_size_of_a_content_is_counted_in_bytes() -> None:
    """1 MiB of UTF-8 fits to the byte; one more does not."""
    assert len(claim.text("x" * MAX_CONTENT, "content")) == MAX_CONTENT
    refused("too_large", claim.text, "x" * (MAX_CONTENT + 1), "content")
    refused("too_large", claim.text, "म" * (MAX_CONTENT // 3 + 1), "content")
    assert "parts" not in str(refused("too_large", claim.text, "x" * 9000, "query", 8192).hint)  # none saves it


def test_tags_lose_their_repeats_and_keep_their_order() -> None:
    """The same tag twice, also in another Unicode spelling, is one tag."""
    assert claim.tags(["b", "a", "b ", "caf\u00e9", "cafe\u0301"]) == ("b", "a", "caf\u00e9")


def test_the_limits_of_tags_are_refused_not_cut() -> None:
    """64 tags of 128 characters fit; one more of either does not."""
    assert len(claim.tags([f"{n:0{MAX_TAG}}" for n in range(MAX_TAGS)])) == MAX_TAGS
    refused("too_large", claim.tags, [str(n) for n in range(MAX_TAGS + 1)])
    refused("too_large", claim.tags, ["x" * (MAX_TAG + 1)])
    refused("bad_value", claim.tags, ["good", " "])


@pytest.mark.parametrize("word", [kind.value for kind in Kind])
def test_each_of_the_ten_kinds_is_read_in_any_case(word: str) -> None:
    """There are ten, and capitals do not matter."""
    assert len(Kind) == 10
    assert claim.kind(f" {word.upper()} ") is Kind(word)


def test_an_eleventh_kind_is_refused_with_the_list() -> None:
    """The hint names all ten."""
    hint = refused("bad_kind", claim.kind, "prefrence").hint
    assert all(kind.value in hint for kind in Kind)


def test_an_unsaid_source_is_the_owners_statement_or_an_agents_observation() -> None:
    """Nobody who says no source gets more weight than their door gives."""
    assert claim.source(None, owner=True) is Source.STATED
    assert claim.source(None, owner=False) is Source.AUTO_DETECT


def test_an_agent_cannot_say_that_the_owner_said_it() -> None:
    """``stated`` is the owner's alone, and the hint does not offer it to an agent."""
    assert claim.source("stated", owner=True) is Source.STATED
    refusal = refused("bad_source", claim.source, "stated", owner=False)
    assert "user_explicit" in refusal.hint
    assert "stated" not in refusal.hint.split()


@given(st.floats())
def test_a_confidence_is_a_number_from_zero_to_one(value: float) -> None:
    """Everything outside, infinities and NaN included, is refused."""
    if 0 <= value <= 1:
        assert claim.confidence(value) == value
    else:
        refused("bad_value", claim.confidence, value)


def test_who_we_are_is_core_unless_it_was_only_inferred() -> None:
    """Relationship and identity are core by default; an inference never is."""
    assert Claim(content="x", kind=Kind.IDENTITY).is_core
    assert Claim(content="x", kind=Kind.RELATIONSHIP).is_core
    assert not Claim(content="x", kind=Kind.HABIT).is_core
    assert not Claim(content="x", kind=Kind.IDENTITY, core=False).is_core
    assert not Claim(content="x", kind=Kind.IDENTITY, source=Source.SELF_INFERRED).is_core


def test_made_keys_keep_different_facts_apart_and_bring_one_fact_together() -> None:
    """ "likes cats" is not "likes coffee", but case, width and a full stop at the end make no new fact."""
    key = claim.auto_key(Kind.PREFERENCE, "Asha", "Asha likes cats")
    assert key == claim.auto_key(Kind.PREFERENCE, "Asha", "asha  likes CATS.")
    assert key != claim.auto_key(Kind.PREFERENCE, "Asha", "Asha likes coffee")
    assert key != claim.auto_key(Kind.HABIT, "Asha", "Asha likes cats")
    assert key != claim.auto_key(Kind.PREFERENCE, "Ravi", "Asha likes cats")


@given(st.sampled_from(Kind), st.none() | st.text(max_size=300), st.text(max_size=500).filter(str.strip))
def test_every_made_key_is_a_good_key(kind: Kind, entity: str | None, content: str) -> None:
    """Whatever the daemon accepts as entity and content gives a key that it would accept from a caller."""
    try:
        entity = None if entity is None else claim.name(entity, "entity")
        content = claim.text(content, "content")
    except (Refusal, UnicodeEncodeError):
        return
    key = claim.auto_key(kind, entity, content)
    assert claim.name(key, "key") == key


@pytest.mark.parametrize("check", [claim.name, claim.text])
def test_a_heap_of_marks_is_refused_before_it_is_sorted(check: Callable[[str, str], str]) -> None:
    """Normalising takes the square of the marks on a letter: 31 are refused, what scripts need is not."""
    for heap in ("a" + "\u0301" * 31, "a" + "\u0301" * 100 + "\u0323" * 100, "कि" + "\u093c" * 31):
        refused("bad_value", check, heap, "key")
    for good in ("a" + "\u0323\u0301" * 15, "क्ष्म्यै", "שָׁלוֹם"):
        assert check(good, "key")


def test_an_endless_name_is_refused_by_its_length() -> None:
    """Nothing is done with a name that can't fit: it is refused unread."""
    refused("too_large", claim.name, "a" + "\u0301" * 2_000_000, "key")


def test_a_made_key_keeps_words_whole_in_every_script() -> None:
    """Vowel signs are part of a Devanagari word; a Chinese sentence is one."""
    assert claim.auto_key(Kind.HABIT, "आशा", "सकाळी उशिरा उठते").startswith("habit-आशा-सकाळी-उशिरा-उठते-")
    assert claim.auto_key(None, None, "她喜欢绿茶。").startswith("general-她喜欢绿茶-")
