"""Non-interference (Goguen and Meseguer 1982, by purging): nobody can tell from below that anything happens above."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from memtrig import wire

from memtrigd.domain.levels import Level
from tests.serve.harness import Nursery, mark
from tests.serve.histories import Move, histories
from tests.serve.replay import Step, play_again, play_in_full, purged

EXAMPLES = 200
DEEP_EXAMPLES = int(os.environ.get("MEMTRIG_EXAMPLES", "5000"))
PARTS = 4
"""Tests that share the deep examples, so that they can run beside each other."""

_slowly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("half", range(2))
def test_what_happens_above_changes_no_byte_below(fresh: Nursery, half: int) -> None:
    """Without the acts above a level every reply at or below it is the same, and nothing from above is in any.

    Whether searches go by words alone or by meaning, too: scores, order, and how many memories wait to be embedded.
    """
    _hold_in(fresh, EXAMPLES // 2, "made-up" if half else None)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(PARTS))
def test_what_happens_above_changes_no_byte_below_in_thousands_of_histories(fresh: Nursery, part: int) -> None:
    """The same, for long."""
    _hold_in(fresh, DEEP_EXAMPLES // PARTS, "made-up" if part % 2 else None)


def _hold_in(fresh: Nursery, examples: int, model: str | None) -> None:
    fresh.model = model

    @settings(_slowly, max_examples=examples)
    @given(moves=histories())
    def hold(moves: list[Move]) -> None:
        _hold(fresh, moves)

    hold()


def _hold(fresh: Nursery, moves: list[Move]) -> None:
    steps = play_in_full(fresh, moves)
    for step in steps:
        _reveals_nothing(step)
    for level in (Level.PUBLIC, Level.INTERNAL, Level.CONFIDENTIAL):
        below = purged(steps, level)
        for step, reply in zip(below, play_again(fresh, below), strict=True):
            assert not step.told or reply == step.reply, f"{step}\nseen from {level.name} it is\n{reply!r}"


def _reveals_nothing(step: Step) -> None:
    """Look for marks from above in a reply; only what the caller itself has said may come back."""
    for level in Level:
        if level > step.level and step.frame is not None and mark(level).encode() not in step.frame:
            assert mark(level).encode() not in step.reply, step
    for answer in step.answers():
        assert not isinstance(answer.error, wire.Error) or answer.error.code != "internal", step
