"""Non-interference over MCP: no line below is told anything else, asked for or not, because of what happens above."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtrigd.domain.levels import Level
from memtrigd.serve.mcp import bus
from tests.serve.asking import START
from tests.serve.harness import Nursery, mark
from tests.serve.talking import Heard, McpWorld, Step, play_again, play_in_full
from tests.serve.talks import Move, talks

pytestmark = pytest.mark.slow

EXAMPLES = 40
DEEP_EXAMPLES = int(os.environ.get("MEMTRIG_EXAMPLES", "5000")) // 2

_slowly = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(name="at_once", autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """News are told when they happen: how many pass as one depends on the time, which is not what is tested."""
    monkeypatch.setattr(bus, "PAUSE", 0)
    yield


def test_no_line_below_hears_anything_else_because_of_what_happens_above(fresh: Nursery) -> None:
    """Tools of every set, lists, resources, prompts, completion, discovery and news, in both eras."""
    _hold_in(fresh, EXAMPLES)


def test_talks_are_full_of_what_could_leak(fresh: Nursery) -> None:
    """What changes memories succeeds often enough, and lines of others are told of it."""
    done: Counter[str] = Counter()

    @settings(_slowly, max_examples=10, derandomize=True)
    @given(moves=talks(), older=st.frozensets(st.integers(0, len(Level) - 1)))
    def count(moves: list[Move], older: frozenset[int]) -> None:
        async def play() -> tuple[list[Step], list[Heard]]:
            with fresh.world(START, McpWorld) as world:
                return await play_in_full(world, moves, older)

        steps, heard = asyncio.run(play())
        for each in heard:
            for said in map(msgspec.json.decode, each.said.splitlines()):
                if "method" in said and steps[each.after].line != each.line:
                    done["news"] += 1
                elif "result" in said and not said["result"].get("isError"):
                    asked = msgspec.json.decode(steps[said["id"]].frame)
                    done[asked["params"].get("name", asked["method"])] += 1

    count()
    assert done["news"] >= 100 and done["save"] >= 25
    for name in ("confirm", "deny", "forget", "get", "search", "review", "resources/read", "completion/complete"):
        assert done[name] >= 2, name


@pytest.mark.deep
@pytest.mark.parametrize("part", range(2))
def test_no_line_below_hears_anything_else_in_thousands_of_talks(fresh: Nursery, part: int) -> None:
    """The same, for long."""
    _hold_in(fresh, DEEP_EXAMPLES // 2)


def _hold_in(fresh: Nursery, examples: int) -> None:
    eras = st.frozensets(st.integers(0, len(Level) - 1))

    @settings(_slowly, max_examples=examples)
    @given(moves=talks(), older=eras)
    def hold(moves: list[Move], older: frozenset[int]) -> None:
        asyncio.run(_hold(fresh, moves, older))

    hold()


async def _hold(fresh: Nursery, moves: list[Move], older: frozenset[int]) -> None:
    with fresh.world(START, McpWorld) as world:
        steps, heard = await play_in_full(world, moves, older)
    _reveals_nothing(steps, heard)
    for level in (Level.PUBLIC, Level.INTERNAL, Level.CONFIDENTIAL):
        with fresh.world(START, McpWorld) as world:
            below = await play_again(world, [step for step in steps if step.level <= level])
        for before, after in zip(_up_to(heard, level), _up_to(below, level), strict=True):
            assert before == after, f"seen from {level.name} it is\n{after}\nand not\n{before}\n{steps[before.after]}"


def _up_to(heard: list[Heard], level: Level) -> list[Heard]:
    return [each for each in heard if each.line <= level.value]


def _reveals_nothing(steps: list[Step], heard: list[Heard]) -> None:
    """Look for marks from above on each line; only what the line itself has said may come back."""
    for level in Level:
        said = b"".join(step.frame for step in steps if step.line == level.value)
        told = b"".join(each.said for each in heard if each.line == level.value)
        for above in Level:
            assert above <= level or mark(above).encode() in said or mark(above).encode() not in told
        assert b'"internal"' not in told
