"""Quotas: what an agent may keep at a level and how often it may save there; none by default."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.quotas import MINUTE, Limits, Pace, Quota
from memtrigd.gate.doors import CONTROL, LEVEL_DOORS
from tests.conftest import Daemon
from tests.serve.harness import Line, World
from tests.talk import agent as dial_agent

SECOND = 1_000_000


def limited(world: World, **limits: Any) -> None:
    """Let a quota be in force."""
    world.quotas.quota = Quota(**limits)


def named(world: World, name: str, level: Level = Level.INTERNAL) -> Line:
    """Connect an agent with a name."""
    line = world.connect(LEVEL_DOORS[level])
    assert isinstance(line.ask(wire.Hello(protocol=wire.PROTOCOL, agent=name)), wire.Welcome)
    return line


def save(line: Line, key: str, content: str = "tea") -> Any:
    """Save; returns the outcome, or the error."""
    said = line.ask(wire.Save(key=key, content=content))
    return said if isinstance(said, wire.Error) else said.outcome


def test_by_default_there_is_none(world: World) -> None:
    """Hundreds of saves at one moment."""
    line = world.agent(Level.INTERNAL)
    assert {save(line, f"k{n}") for n in range(300)} == {"new"}


def test_memories_are_bounded_for_good_and_room_is_made_by_forgetting(world: World) -> None:
    """The refusal is final and nothing is kept; an update is none more; what is deleted makes room within a second."""
    limited(world, memories=3)
    line = named(world, "crawler")
    assert [save(line, f"k{n}") for n in range(3)] == ["new"] * 3
    refused = save(line, "k3")
    assert (refused.code, refused.retryable) == ("quota", False)
    assert line.ask(wire.Get(key="k3")).code == "not_found"
    assert save(line, "k0", "coffee") == "updated" and save(line, "k0", "coffee") == "known"
    assert isinstance(line.ask(wire.Delete(key="k1")), wire.Deleted)
    world.now += SECOND
    assert save(line, "k3") == "new" and save(line, "k4").code == "quota"


def test_bytes_are_those_of_the_text_in_utf_8(world: World) -> None:
    """A shorter text in the place of a longer one fits."""
    limited(world, bytes=30)
    line = named(world, "crawler")
    assert save(line, "a", "चहा" * 3) == "new"  # 27 bytes
    assert save(line, "b", "tea!").code == "quota"
    assert save(line, "a", "tea") == "updated"
    world.now += SECOND
    assert save(line, "b", "tea!") == "new"


def test_a_quota_is_of_one_agent_at_one_level(world: World) -> None:
    """Neither another agent, nor the same one at another level, nor the owner is told of it, above or below."""
    limited(world, memories=1, saves_per_minute=2)
    for line in (
        named(world, "a"),
        named(world, "b"),
        named(world, "a", Level.RESTRICTED),
        named(world, "a", Level.PUBLIC),
    ):
        assert save(line, f"k-{id(line)}") == "new" and save(line, f"l-{id(line)}").code == "quota"
    owner = world.connect(CONTROL)
    for n in range(5):
        said = owner.ask(wire.Act(request=wire.Save(key=f"o{n}", content="tea"), level="INTERNAL"))
        assert isinstance(said, wire.Saved)


def test_the_pace_comes_back_evenly(world: World) -> None:
    """The refusal is retryable and says when; then one save is free."""
    limited(world, agents={"crawler": Limits(saves_per_minute=6)}, saves_per_minute=1000)
    line = named(world, "crawler")
    assert [save(line, f"k{n}") for n in range(6)] == ["new"] * 6
    refused = save(line, "k6")
    assert refused.code == "quota" and refused.retryable and "10.0 seconds" in refused.hint
    world.now += 10 * SECOND
    assert save(line, "k6") == "new" and save(line, "k7").code == "quota"
    assert save(named(world, "other"), "k8") == "new"


def test_a_retry_of_what_was_saved_is_answered_though_there_is_no_more_room(world: World) -> None:
    """By its idempotency key."""
    limited(world, memories=1)
    line = named(world, "crawler")
    request = wire.Save(key="k", content="tea", idempotency_key="once")
    assert line.ask(request) == line.ask(request)


@given(st.integers(1, 600), st.lists(st.integers(0, MINUTE // 4), max_size=200))
def test_no_minute_has_more_than_twice_its_saves(a_minute: int, pauses: list[int]) -> None:
    """A full minute's saves at once, and those that come back meanwhile."""
    pace, now, taken = Pace(a_minute, 0), 0, list[int]()
    for pause in pauses:
        now += pause
        try:
            pace.take(a_minute, now, Level.PUBLIC)
        except Refusal:
            continue
        taken.append(now)
    for at in taken:
        assert sum(at <= other < at + MINUTE for other in taken) <= 2 * a_minute


def test_a_changed_file_is_in_force_while_the_daemon_runs(daemon: Daemon) -> None:
    """Without a restart; a quota that is none leaves the last good one."""
    path = daemon.home / "config" / "memtrigd.toml"
    before = path.read_text()
    with dial_agent(daemon, "internal", agent="crawler") as line:
        line.ask(wire.Save(key="a", content="tea"), wire.Saved)
        path.write_text(f"{before}[quota]\nmemories = 1\n")
        for _ in range(200):
            answer = line.exchange(wire.Save(content="tea", key="b"))
            if isinstance(answer.error, wire.Error):
                break
            line.ask(wire.Delete(key="b"), wire.Deleted)
        else:
            pytest.fail("never in force")
        assert answer.error.code == "quota"
