"""Importance fades as a pure function of time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.forgetting import effective_importance
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import DAY
from tests.domain.strategies import memories

spans = st.integers(0, 3000 * DAY)


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
    memory = Memory(id="m", key="k", level=0, space="s", content="c", created=0, updated=0, importance_at=0)  # type: ignore[arg-type]
    assert effective_importance(memory, round(138.28 * DAY)) == pytest.approx(0.5, abs=1e-4)
    assert effective_importance(memory, DAY) == pytest.approx(0.995, abs=1e-12)
