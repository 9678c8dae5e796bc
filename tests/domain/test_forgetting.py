"""Importance fades as a pure function of time."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.forgetting import denied, effective_importance, faded, materialised, reinforced
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import DAY
from tests.domain.strategies import memories

spans = st.integers(0, 3000 * DAY)
MEMORY = Memory("m", "k", Level.PUBLIC, "default", "text", created=0, updated=0, importance_at=0)


@given(memories(), st.lists(spans, max_size=5), spans)
def test_looking_often_changes_nothing(memory: Memory, looks: list[int], last: int) -> None:
    """Any number of materialisations in between leave the same value at the end, to one part in 10⁹."""
    end = memory.importance_at + sum(looks) + last
    seen = memory
    for look in looks:
        at = seen.importance_at + look
        seen = replace(seen, importance=effective_importance(seen, at), importance_at=at)
    assert effective_importance(seen, end) == pytest.approx(effective_importance(memory, end), rel=1e-9, abs=1e-300)


@given(memories(), spans)
def test_core_memories_do_not_fade(memory: Memory, span: int) -> None:
    """Core stays what it is."""
    core = replace(memory, core=True)
    assert effective_importance(core, core.importance_at + span) == core.importance


@given(memories(), spans, spans)
def test_importance_only_falls(memory: Memory, one: int, more: int) -> None:
    """Later is never more."""
    at = memory.importance_at + one
    assert effective_importance(memory, at + more) <= effective_importance(memory, at) <= memory.importance


@given(memories(), spans)
def test_a_clock_that_was_set_back_adds_nothing(memory: Memory, span: int) -> None:
    """Before its time a memory weighs what it weighs."""
    assert effective_importance(memory, memory.importance_at - span) == memory.importance


def test_half_is_gone_after_138_days() -> None:
    """0.995 a day is a half-life of 138.3 days."""
    assert effective_importance(MEMORY, round(138.28 * DAY)) == pytest.approx(0.5, abs=1e-4)
    assert effective_importance(MEMORY, DAY) == pytest.approx(0.995, abs=1e-12)


@given(st.floats(0, 1), st.lists(spans, max_size=5))
def test_fading_composes_over_any_split(importance: float, parts: list[int]) -> None:
    """Faded bit by bit or at once: the same to 10⁻⁹."""
    left, at = importance, 0
    for part in parts:
        left, at = faded(left, at, at + part), at + part
    assert left == pytest.approx(faded(importance, 0, at), rel=0, abs=1e-9)


@given(memories(), st.lists(st.integers(-400, 400), max_size=8), spans)
def test_a_clock_that_jumps_both_ways_fades_nothing_twice(memory: Memory, jumps: list[int], last: int) -> None:
    """Written down at any times, past and future: what is left later on is what the furthest time says, once."""
    at, furthest, seen = memory.importance_at, memory.importance_at, memory
    for jump in jumps:
        at += jump * DAY
        furthest = max(furthest, at)
        before = effective_importance(seen, at)
        seen = materialised(seen, at)
        assert effective_importance(seen, at) == before
    end = furthest + last
    assert effective_importance(seen, end) == pytest.approx(effective_importance(memory, end), rel=1e-9, abs=1e-300)


@given(memories(), st.lists(st.tuples(st.sampled_from([reinforced, denied, materialised]), st.integers(-60, 60))))
def test_nothing_rises_above_one(memory: Memory, life: list[tuple[Callable[[Memory, int], Memory], int]]) -> None:
    """Whatever happens to a memory, and whenever, its importance is from 0 to 1."""
    at = memory.importance_at
    for happen, days in life:
        at += days * DAY
        memory = happen(memory, at)
        assert 0 <= memory.importance <= 1
        assert 0 <= effective_importance(memory, at) <= 1


@given(memories(), st.integers(1, 20), st.integers(0, DAY - 1))
def test_a_day_reinforces_once(memory: Memory, times: int, first: int) -> None:
    """However often it is recalled between two midnights (UTC): the first counts, the others are counted."""
    start = (memory.importance_at // DAY + 1) * DAY
    once = reinforced(replace(memory, last_recalled=None), start + first)
    often = once
    for number in range(times):
        often = reinforced(often, start + first + (DAY - 1 - first) * number // times)
    assert (often.importance, often.importance_at) == (once.importance, once.importance_at)
    assert often.recall_count == once.recall_count + times
    assert reinforced(often, start + DAY).importance > often.importance * 0.995 or often.importance == 1


def test_a_clock_that_was_set_back_reinforces_nothing_again() -> None:
    """The day that was counted already is counted, also when it comes a second time."""
    recalled = reinforced(MEMORY, 10 * DAY)
    again = reinforced(recalled, 3 * DAY)
    assert (again.importance, again.importance_at) == (recalled.importance, recalled.importance_at)
    assert again.last_recalled == recalled.last_recalled


def test_a_year_of_weekly_recalls() -> None:
    """Before each recall 0.89 at least, after it 0.92; never recalled 0.995³⁶⁵ is left, of core all."""
    weekly = MEMORY
    for week in range(1, 53):
        at = week * 7 * DAY
        assert effective_importance(weekly, at) >= 0.89
        weekly = reinforced(weekly, at)
        assert effective_importance(weekly, at) >= 0.92
    assert effective_importance(MEMORY, 365 * DAY) == pytest.approx(0.995**365, abs=1e-12)
    assert round(effective_importance(MEMORY, 365 * DAY), 2) == 0.16
    assert effective_importance(replace(MEMORY, core=True), 365 * DAY) == 1.0


@given(memories(), spans)
def test_a_denial_leaves_a_tenth_of_core_too(memory: Memory, span: int) -> None:
    """Core is constant until denied: once a tenth, twice a hundredth."""
    core, at = replace(memory, core=True, deny_count=0), memory.importance_at + span
    for times in (1, 2):
        core = denied(core, at)
        assert core.deny_count == times
        assert effective_importance(core, at) == pytest.approx(memory.importance * 0.1**times)
