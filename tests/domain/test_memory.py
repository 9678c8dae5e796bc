"""Two sayings of one fact are one fact, and no two facts are taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.memory import Status, canonical
from tests.domain.strategies import NOW, memories


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Asha likes tea", "asha LIKES tea"),
        ("Asha likes tea", "Asha likes tea "),
        ("Asha likes tea", " Asha\tlikes\n\ntea"),
        ("Asha likes tea", "Asha likes tea."),
        ("Asha likes tea", "Asha likes tea!?…"),
        ("Asha likes tea", "Asha likes tea ."),
        ("Paid 100 rupees", "Paid １００ rupees"),
        ("caf\u00e9", "cafe\u0301"),
        ("Straße", "STRASSE"),
        ("तिला चहा आवडतो", "तिला चहा आवडतो।"),
        ("她喜欢茶", "她喜欢茶。"),
        ("ﬁne", "fine"),
        ("cof\u200bfee", "coffee"),
        ("cof\u00adfee\ufeff", "coffee"),
        ("c\u2060afe\u200c\u0301", "café"),
        ("I ❤\ufe0f tea", "I ❤ tea"),
        ("र्\u200dय", "र्य"),
        ("tea\U000e0041", "tea"),
    ],
)
def test_another_saying_of_the_same_is_the_same(one: str, other: str) -> None:
    """BR-058: case, white space, Unicode spelling, width and the full stop at the end make no second record."""
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("takes 1.5 mg", "takes 15 mg"),
        ("कि", "की"),
        ("resume", "résumé"),
        ("let's eat, Grandma", "let's eat Grandma"),
        ("likes C", "likes C++"),
        ("-5 degrees", "5 degrees"),
        ("!", "?"),
        ("tea time", "teatime"),
        ("बालक", "बालिका"),
        ("👨\u200d👩\u200d👧", "👨👩👧"),
        ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴"),
        ("\u200b", "\u2060"),
    ],
)
def test_another_fact_is_another(one: str, other: str) -> None:
    """Inner punctuation, marks and signs carry meaning."""
    assert canonical(one) != canonical(other)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_folding_twice_changes_nothing_more(text: str) -> None:
    """A folded text is its own folding, so that stored digests stay good."""
    assert canonical(canonical(text)) == canonical(text)


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(str.strip))
def test_no_text_folds_away(text: str) -> None:
    """A text of nothing but punctuation stays itself."""
    assert canonical(text)


@given(memories())
def test_only_active_rows_before_their_date_are_served(memory: object) -> None:
    """Whether a sweep has run does not matter."""
    expired = memory.expires_at is not None and memory.expires_at <= NOW  # type: ignore[attr-defined]
    assert memory.served(NOW) is (memory.status is Status.ACTIVE and not expired)  # type: ignore[attr-defined]
