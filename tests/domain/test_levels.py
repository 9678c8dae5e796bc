"""The lattice: four levels in a chain, text flows up or sideways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import DEFAULT_LEVEL, Level, can_flow_to, parse_level

NAMES = ["PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"]


def test_there_are_four_levels_in_this_order() -> None:
    """The chain is PUBLIC < INTERNAL < CONFIDENTIAL < RESTRICTED."""
    assert [level.name for level in sorted(Level)] == NAMES


@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("target", NAMES)
def test_text_flows_up_and_sideways_only(source: str, target: str) -> None:
    """The flow is allowed exactly where the target is not lower in the list."""
    assert can_flow_to(Level[source], Level[target]) is (NAMES.index(target) >= NAMES.index(source))


def test_a_session_reads_its_level_and_below_the_highest_first() -> None:
    """What a level reads is itself and everything that may flow to it."""
    assert [level.name for level in Level.CONFIDENTIAL.and_below()] == ["CONFIDENTIAL", "INTERNAL", "PUBLIC"]
    for level in Level:
        assert set(level.and_below()) == {other for other in Level if can_flow_to(other, level)}


def test_where_nobody_chose_it_is_internal() -> None:
    """The default is INTERNAL."""
    assert DEFAULT_LEVEL is Level.INTERNAL


@pytest.mark.parametrize("text", ["restricted", "RESTRICTED", " Restricted\n"])
def test_a_level_is_read_in_any_case(text: str) -> None:
    """Case and white space around it do not matter."""
    assert parse_level(text) is Level.RESTRICTED


@given(st.text().filter(lambda text: text.strip().upper() not in NAMES))
def test_any_other_name_is_refused_with_the_four(text: str) -> None:
    """There is no level by another name, and the hint lists those there are."""
    with pytest.raises(Refusal) as refused:
        parse_level(text)
    assert refused.value.code == "bad_level"
    assert all(name.lower() in refused.value.hint for name in NAMES)
