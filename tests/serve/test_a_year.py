"""A year in seconds: what is left of a memory is a curve of time, whenever and however often the dream cycle came."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, Micros, to_iso
from tests.serve.harness import Line, Nursery, World
from tests.serve.histories import START

pytestmark = pytest.mark.slow

YEAR = 365 * DAY
HOUR = DAY // 24
WEEKS = range(7 * DAY, YEAR, 7 * DAY)
AT = Level.INTERNAL

moments = st.integers(1, YEAR - 1)
rhythms = st.builds(lambda every, phase: list(range(phase, YEAR, every)), st.integers(DAY, 60 * DAY), moments)
bursts = st.builds(lambda at, times: [at] * times, moments, st.integers(2, 5))
schedules = st.lists(moments, max_size=40) | rhythms | bursts
"""When cycles come, in microseconds after the start: any moments, a rhythm of days, several at one moment."""


@pytest.mark.parametrize("every", [None, HOUR, DAY, 7 * DAY], ids=["never", "hourly", "daily", "weekly"])
def test_a_year_on_a_fixed_schedule(world: World, every: Micros | None) -> None:
    """Without any dream cycle and with one as often as every hour the year ends the same, to one part in 10⁹."""
    _live_a_year(world, [] if every is None else range(every, YEAR, every))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(schedule=schedules)
@example(schedule=[*WEEKS])
@example(schedule=[week - 1 for week in WEEKS])
def test_a_year_on_any_schedule(fresh: Nursery, schedule: list[Micros]) -> None:
    """Cycles may come at random, in bursts, or just before and at the very moment of a recall."""
    with fresh.world(START) as world:
        _live_a_year(world, schedule)


def _live_a_year(world: World, cycles: Iterable[Micros]) -> None:
    """Recall one memory each week and another never; hold both, a core one and all others against what is promised."""
    agent = world.agent(AT)
    weekly, never, core = _say(agent, "weekly"), _say(agent, "never"), _say(agent, "core", kind="identity")
    others = [
        _say(agent, "guess", source="self_inferred"),
        _say(agent, "ends", expires_at=to_iso(START + 100 * DAY)),
        _say(agent, "replaced"),
        _say(agent, "replaced", content="something else"),
    ]
    expected, since = 1.0, 0
    acts = sorted([*((at, 0) for at in cycles), *((at, 1) for at in WEEKS)])
    for at, is_recall in acts:
        world.now = START + at
        if not is_recall:
            assert isinstance(agent.ask(wire.Decay()), wire.Dreamt)
            continue
        expected, since = expected * 0.995 ** ((at - since) / DAY), at
        assert _left(world, weekly) == pytest.approx(expected, abs=1e-9)
        assert expected >= 0.89
        agent.ask(wire.Get(key="weekly"))
        expected += 0.3 * (1 - expected)
        assert _left(world, weekly) == pytest.approx(expected, abs=1e-9)
        assert expected >= 0.92
    world.now = START + YEAR
    assert _left(world, never) == pytest.approx(0.995**365, abs=1e-9)
    assert _left(world, core) == 1.0
    assert [world.handles[AT].by_id(each) is not None for each in others] == [True] * len(others)
    shown = {record.key: record.effective_importance for record in agent.ask(wire.List()).memories}
    assert shown.keys() == {"weekly", "never", "core", "replaced"}
    assert (shown["never"], shown["core"]) == (0.1605, 1.0)


def _say(agent: Line, key: str, content: str | None = None, **fields: Any) -> str:
    """Save something; returns its id."""
    return agent.ask(wire.Save(key=key, content=content or f"the text of {key}", **fields)).id  # type: ignore[no-any-return]


def _left(world: World, memory_id: str) -> float:
    """What a memory weighs at this moment, unrounded, by what the store has of it."""
    row = world.handles[AT].by_id(memory_id)
    assert row is not None
    days = 0 if row.core else max(0, world.now - row.importance_at) / DAY
    return float(row.importance * 0.995**days)
