"""The files that users of other programs bring: what a person counts in each, and that it comes in once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.exchange.formats import told
from memtrigd.exchange.items import Left, Noted, Taken
from memtrigd.gate.doors import CONTROL
from tests.exchange.moving import move
from tests.exchange.test_formats import READING, items
from tests.exchange.test_triggerfish import store
from tests.serve.harness import Nursery, World, nursery

SAMPLES = Path(__file__).with_name("samples")
COUNTED = [
    ("mcp-memory-service.json", "mcp-memory-service", 2, 0),
    ("mem0-export.json", "mem0", 3, 0),
    ("basic-memory", "basic-memory", 7, 0),
    ("basic-memory/Tea brewing.md", "basic-memory", 7, 0),
    ("claude-export", "claude", 6, 1),
    ("claude-export/memories.json", "claude", 3, 0),
    ("claude-export/conversations.json", "claude", 0, 1),
    ("claude-export/import-memory-paste.txt", "text", 3, 0),
    ("chatgpt-export", "chatgpt", 3, 2),
    ("chatgpt-export/conversations.json", "chatgpt", 0, 2),
    ("chatgpt-export/saved-memories.txt", "text", 3, 0),
    ("claude-code-memory", "claude-code", 2, 2),
    ("claude-code-memory/memory", "claude-code", 2, 1),
    ("claude-code-memory/memory/user-style.md", "claude-code", 1, 0),
    ("obsidian", "obsidian", 5, 3),
    ("obsidian/2026-09-14 daily.md", "obsidian", 5, 3),
    ("pam-bundle", "pam", 2, 2),
    ("pam-bundle/memory-store.json", "pam", 2, 1),
    ("portable.mem", "portable-memory", 3, 1),
    ("portable.mem/items/episode.jsonl", "portable-memory", 3, 1),
]


@pytest.fixture(name="fresh", scope="module")
def _fresh() -> Iterator[Nursery]:
    """Worlds for this module."""
    with nursery() as made:
        yield made


@pytest.fixture(name="world")
def _world(fresh: Nursery) -> Iterator[World]:
    """A daemon in memory with an empty store."""
    with fresh.world(READING.now) as world:
        yield world


@pytest.mark.parametrize(("name", "format", "taken", "noted"), COUNTED)
def test_a_sample_holds_what_a_person_reading_it_counts(name: str, format: str, taken: int, noted: int) -> None:
    """The format is told by itself, nothing is left, and what is no memory is told of."""
    assert told(SAMPLES / name).name == format
    found = items(SAMPLES / name)
    assert [sum(isinstance(each, kind) for each in found) for kind in (Taken, Left, Noted)] == [taken, 0, noted]


@pytest.mark.parametrize("name", [name for name, _, taken, _ in COUNTED if taken and "/" not in name])
def test_a_sample_comes_in_once(world: World, name: str) -> None:
    """Again is nothing new: not a row, and nothing in the journal."""
    owner = world.connect(CONTROL)
    count = next(taken for each, _, taken, _ in COUNTED if each == name)
    assert move(owner, SAMPLES / name, READING).counts == {"new": count}
    before = owner.ask(wire.AuditShow(level="INTERNAL")).rows[0].seq
    again = move(owner, SAMPLES / name, READING)
    assert (again.counts, again.not_taken) == ({"known": count}, [])
    assert owner.ask(wire.AuditShow(level="INTERNAL")).rows[0].seq == before
    assert len(world.agent(Level.INTERNAL).ask(wire.List()).memories) == count
    assert owner.ask(wire.Act(request=wire.Selfcheck())).problems == [] and world.problems() == []


def test_triggerfishs_store_comes_in_once(world: World, tmp_path: Path) -> None:
    """What was deleted there is kept as forgotten; of a key at two levels the higher stands. Again is nothing new."""
    owner = world.connect(CONTROL)
    path = store(tmp_path)
    first = move(owner, path, READING, "RESTRICTED")
    assert (first.counts, first.not_taken) == ({"closed": 2, "new": 3, "updated": 1}, [])
    standing = world.agent(Level.RESTRICTED).ask(wire.Get(key="employer"))
    assert isinstance(standing, wire.Got) and standing.memory.content == "Leaves the bakery for 上海."
    assert move(owner, path, READING, "RESTRICTED").counts == {"known": 6}
    assert owner.ask(wire.Act(request=wire.Selfcheck())).problems == [] and world.problems() == []


def test_all_samples_go_into_one_store(world: World) -> None:
    """One after the other and again: nothing of one stands in the way of another."""
    owner = world.connect(CONTROL)
    names = [name for name, _, taken, _ in COUNTED if taken and "/" not in name]
    for name in names:
        assert set(move(owner, SAMPLES / name, READING).counts) <= {"new", "known"}
    for name in names:
        assert set(move(owner, SAMPLES / name, READING).counts) == {"known"}
