"""Forgotten stays forgotten: exact in key, text and entity, a question where it is near, and free elsewhere."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Source, canonical
from memtrigd.domain.suppression import (
    Scope,
    Subject,
    Suppression,
    Verdict,
    hides,
    nearness,
    said,
    same_entity,
    verdict,
)
from memtrigd.domain.trust import Rank, rank_of
from tests.domain.strategies import NOW

TEXT = "She was once in hospital for a winter"


def digest(text: str) -> bytes:
    """Stand for the keyed digest of a level."""
    return hashlib.sha256(canonical(text).encode()).digest()


def subject(text: str, key: str = "other", entity: str | None = None, space: str = "default") -> Subject:
    """What a claim is about."""
    return Subject(key, space, () if entity is None else (entity,), digest(text))


FORGOTTEN = Memory("m1", "illness", Level.INTERNAL, "default", TEXT, NOW, NOW, NOW)
FACT = Suppression("w1", Scope.MEMORY, "default", NOW, key="illness", digest=digest(TEXT), memory_id="m1")
PERSON = Suppression("w2", Scope.ENTITY, "default", NOW, entity="Vikram")
ERASED = Suppression("w3", Scope.ERASED, "default", NOW, digest=digest(TEXT), key_digest=b"default/illness")


def judge(text: str, wish: Suppression = FACT, **about: str) -> Verdict:
    """Judge a claim against one wish."""
    return verdict(said(text), subject(text, **about), [wish], [FORGOTTEN])


@pytest.mark.parametrize("text", [TEXT, f"{TEXT.upper()}!", f"  {TEXT.replace(' ', '  ')}.", "Ｓ" + TEXT[1:]])
def test_the_same_text_is_forgotten_under_any_key(text: str) -> None:
    """In another space too: it is the same thing said."""
    assert judge(text) is Verdict.FORGOTTEN
    assert judge(text, space="elsewhere") is Verdict.FORGOTTEN


def test_a_key_is_forgotten_in_its_space() -> None:
    """Whatever its text; a key of the same name in another space is another one."""
    assert judge("all is well", key="illness") is Verdict.FORGOTTEN
    assert judge("all is well", key="illness", space="elsewhere") is Verdict.FREE


def test_a_near_text_is_asked_about() -> None:
    """Over 0.7 of the bigrams are the same; the rest is free."""
    assert judge(f"{TEXT}, or two") is Verdict.NEAR
    assert judge("She was once in Goa for a summer") is Verdict.FREE


@pytest.mark.parametrize("name", ["Vikram", "VIKRAM", " vikram ", "Vikram.", "Ｖikram"])
def test_an_entity_is_forgotten_by_its_name(name: str) -> None:
    """In any case, width and setting."""
    assert judge("He called", PERSON, entity=name) is Verdict.FORGOTTEN


@pytest.mark.parametrize("name", ["Vikrams Motors", "Vik", "Vikram Seth", None])
def test_a_name_is_never_matched_in_part(name: str | None) -> None:
    """The second seed's substring merges took the neighbours with them."""
    assert verdict(said("He called"), subject("He called", entity=name), [PERSON], []) is Verdict.FREE


def test_a_wish_covers_exactly_what_it_refuses() -> None:
    """What the user's word would lift is what an agent's is refused for."""
    for about in (subject(TEXT), subject("x", key="illness"), subject("x"), subject("x", entity="vikram")):
        for wish in (FACT, PERSON):
            assert wish.covers(about) == (verdict(said("x"), about, [wish], []) is Verdict.FORGOTTEN)


def test_what_an_erase_left_covers_its_text_and_its_key() -> None:
    """By their digests alone: it knows neither. One without a digest of a key covers no claim without one."""
    text = subject(TEXT, key="other")
    key = Subject("illness", "default", (), digest("all is well"), key_digest=b"default/illness")
    elsewhere = Subject("illness", "elsewhere", (), digest("all is well"), key_digest=b"elsewhere/illness")
    assert [ERASED.covers(each) for each in (text, key, elsewhere)] == [True, True, False]
    assert not replace(ERASED, key_digest=b"").covers(subject("all is well"))
    assert verdict(said("all is well"), key, [ERASED], []) is Verdict.FORGOTTEN


def test_a_wish_about_an_entity_knows_all_its_names() -> None:
    """A claim about one of them is covered by a wish about another."""
    about = Subject("k", "default", ("vicky", "vikram"), digest("He called"))
    assert PERSON.covers(about) and not PERSON.covers(replace(about, entities=("vicky",)))


def test_nothing_is_forgotten_without_a_wish() -> None:
    """No wish, no verdict."""
    assert verdict(said(TEXT), subject(TEXT, key="illness", entity="Vikram"), [], []) is Verdict.FREE


@given(st.text(max_size=30), st.text(max_size=30))
def test_nearness_is_symmetric_and_bounded(one: str, other: str) -> None:
    """From 0 to 1, the same both ways, and 1 with itself."""
    a, b = canonical(one), canonical(other)
    assert nearness(said(a), said(b)) == nearness(said(b), said(a))
    assert 0 <= nearness(said(a), said(b)) <= 1 == nearness(said(a), said(a))


@given(st.text(min_size=1, max_size=20))
def test_an_entity_is_itself(name: str) -> None:
    """Every name, and never the same as none."""
    assert same_entity(name, name.upper().lower()) or canonical(name) != canonical(name.upper().lower())
    assert same_entity(name, name)
    assert not same_entity(name, None)


def test_short_texts_are_not_near_by_accident() -> None:
    """One sign apart in a short Chinese sentence is another sentence."""
    row = replace(FORGOTTEN, content="我不喜欢")
    assert verdict(said("我很喜欢"), subject("我很喜欢"), [], [row]) is Verdict.FREE


@given(source=st.sampled_from(Source), attested=st.booleans(), later=st.integers(-2, 2))
def test_only_the_users_later_word_passes_a_wish_from_above(source: Source, attested: bool, later: int) -> None:
    """What weighs less is hidden whenever it was said; the user's word is seen from the moment after the wish on."""
    row = replace(FORGOTTEN, source=source, attested=attested, updated=NOW + later)
    users = rank_of(row) >= Rank.USER_EXPLICIT
    assert hides(FACT, row, subject(TEXT)) is not (users and later > 0)


def test_a_wish_hides_only_what_it_covers() -> None:
    """By its key, its text or its entity; another memory is none of its business."""
    assert hides(FACT, FORGOTTEN, subject("all is well", key="illness"))
    assert hides(PERSON, FORGOTTEN, subject("all is well", entity="VIKRAM"))
    assert not hides(FACT, FORGOTTEN, subject("all is well"))
    assert not hides(PERSON, FORGOTTEN, subject("all is well", entity="Vikram Seth"))
