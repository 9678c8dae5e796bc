"""Vectors are made behind the answers: of every memory, whatever ends meanwhile, and of each level by itself."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from memtrig import wire

from memtrigd.clockwork.embedding import SLICE, TRIES
from memtrigd.domain.levels import Level
from memtrigd.embedder.messages import Kind, Vectors
from memtrigd.gate.doors import CONTROL
from memtrigd.search.passages import mark
from tests.embedding import MadeUp, model
from tests.serve.harness import Line, Nursery, World

NOW = 1_700_000_000_000_000
ONE, OTHER = mark(model()), mark(model("another"))


class Slow(MadeUp):
    """A model that answers passages when it is told to, or ends before."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.waiting: list[Callable[[], None]] = []
        self.poison = ""

    def ask(self, texts: Sequence[str], kind: Kind, done: Callable[[Sequence[Vectors] | None], None]) -> None:
        """Keep passages for ``step``."""
        if kind == "query":
            super().ask(texts, kind, done)
        elif self.poison and any(self.poison in text for text in texts):
            self.asked.append((kind, tuple(texts)))
            self.waiting.append(lambda: done(None))
        else:
            self.waiting.append(lambda: MadeUp.ask(self, texts, kind, done))

    def step(self) -> bool:
        """Answer what waits longest; False where nothing does."""
        if not self.waiting:
            return False
        self.waiting.pop(0)()
        return True

    def go(self) -> None:
        """Go with the daemon, and with all that waited."""
        self.waiting, self.listeners, self.model = [], [], None

    def end(self, name: str = "made-up") -> None:
        """End, as when the process is killed, and be there anew."""
        lost, self.waiting, self.model = self.waiting, [], None
        for act in lost:
            act()
        self.use(name)


class Kept(World):
    """A world whose model is slow."""

    models: Slow

    def _start(self) -> None:
        if not isinstance(self.models, Slow):
            self.models = Slow()
        super()._start()


@pytest.fixture(name="world")
def _world(tmp_path: Path) -> Iterator[Kept]:
    """A new world without a model yet."""
    with Nursery(tmp_path).world(NOW, Kept) as world:
        assert isinstance(world, Kept)
        yield world


def save(line: Line, *contents: str) -> None:
    """Save a memory for each text."""
    for number, content in enumerate(contents):
        assert isinstance(line.ask(wire.Save(key=f"k{number}", content=content)), wire.Saved)


def backlog(world: World, level: Level, which: bytes | None = ONE) -> int:
    """How many memories of a level have no vectors of a model."""
    return world.handles[level].backlog(which)


def told(line: Line) -> dict[str, int | None]:
    """What a caller is told of backlogs."""
    return {each.level: each.embedding_backlog for each in line.ask(wire.GetStatus()).levels}


def finish(world: Kept) -> int:
    """Let the model do all that there is; returns in how many steps."""
    steps = 0
    while world.models.step():
        steps += 1
    return steps


def test_what_is_saved_is_embedded_behind_the_answer(world: Kept) -> None:
    """The save is answered first, and nothing is written twice."""
    world.models.use("made-up")
    line = world.agent(Level.INTERNAL)
    save(line, "She drinks coffee.", "He lives in Pune.")
    assert backlog(world, Level.INTERNAL) == 2
    assert finish(world) == 2 and backlog(world, Level.INTERNAL) == 0
    save(line, "She drinks coffee.")
    assert finish(world) == 0, "the same again is no other text"


def test_a_restart_goes_on_where_it_was(world: Kept) -> None:
    """With what was saved before there was a model, and with what was under way when the daemon ended."""
    save(world.agent(Level.PUBLIC), *(f"fact {n}" for n in range(3 * SLICE)))
    assert world.models.asked == []
    world.models.use("made-up")
    assert world.models.step()
    world.restart(world.models.go)
    assert backlog(world, Level.PUBLIC) == 2 * SLICE
    world.models.use("made-up")
    finish(world)
    assert backlog(world, Level.PUBLIC) == 0


def test_levels_take_turns_and_the_newest_goes_first(world: Kept) -> None:
    """A level where thousands wait holds another up for one slice; and of each what was said last is first."""
    save(world.agent(Level.RESTRICTED), *(f"secret {n}" for n in range(4 * SLICE)))
    world.models.use("made-up")
    save(world.agent(Level.PUBLIC), "older", "newer")
    world.models.step()
    world.models.step()
    asked = [texts for _, texts in world.models.asked]
    assert ("newer", "older") in asked and len(asked) == 2
    assert asked[0][0] == f"secret {4 * SLICE - 1}"


def test_whatever_ends_the_model_nothing_is_lost(world: Kept) -> None:
    """It is killed at every second step: all are embedded in the end, and each search was answered."""
    world.models.use("made-up")
    line = world.agent(Level.INTERNAL)
    for n in range(40):
        save(line, *(f"fact {n} {m}" for m in range(3)))
        if n % 2:
            world.models.end()
        else:
            world.models.step()
        found = line.ask(wire.Search(query=f"fact {n}"))
        assert isinstance(found, wire.Found) and found.results
    finish(world)
    assert backlog(world, Level.INTERNAL) == 0
    assert len({number for _, number, *_ in world.handles[Level.INTERNAL].vectors(ONE)}) == 3


def test_a_text_that_ends_the_model_stops_no_other(world: Kept) -> None:
    """It is tried by itself, some times, and left for later; the backlog still counts it."""
    world.models.poison = "poison"
    save(world.agent(Level.INTERNAL), *(f"fact {n}" for n in range(SLICE)), "poison", "last")
    save(world.agent(Level.PUBLIC), "beside")
    world.models.use("made-up")
    for _ in range(200):
        if not world.models.step():
            break
    assert backlog(world, Level.INTERNAL) == 1 and backlog(world, Level.PUBLIC) == 0
    assert world.models.waiting == []
    assert [texts for _, texts in world.models.asked].count(("poison",)) == TRIES


def test_another_model_takes_over_memory_by_memory(world: Kept) -> None:
    """Questions to it find what it has embedded; the rest is found by its words, never by the other's vectors."""
    line = world.agent(Level.INTERNAL)
    world.models.use("made-up")
    save(line, *(f"coffee {n}" for n in range(SLICE + 1)))
    finish(world)
    world.models.use("another")
    found = line.ask(wire.Search(query="espresso", max_results=100))
    assert found.how == "hybrid" and found.results == []
    world.models.step()
    assert backlog(world, Level.INTERNAL, OTHER) == 1 == backlog(world, Level.INTERNAL, ONE) - SLICE + 1
    assert len(line.ask(wire.Search(query="espresso", max_results=100)).results) == SLICE
    finish(world)
    assert len(line.ask(wire.Search(query="espresso", max_results=100)).results) == SLICE + 1
    assert list(world.handles[Level.INTERNAL].vectors(ONE)) == []
    assert world.problems() == []


def test_what_changes_on_its_way_is_not_embedded_as_it_was(world: Kept) -> None:
    """A memory that is replaced or erased while the model has its text gets no vectors of that."""
    world.models.use("made-up")
    line, owner = world.agent(Level.INTERNAL), world.connect(CONTROL)
    save(line, "coffee", "tea")
    line.ask(wire.Save(key="k0", content="milk"))
    owner.ask(wire.Act(request=wire.Erase(key="k1", confirm=1), level="INTERNAL"))
    finish(world)
    assert backlog(world, Level.INTERNAL) == 0
    (held,) = {number for _, number, *_ in world.handles[Level.INTERNAL].vectors(ONE)}
    memory = world.handles[Level.INTERNAL].document(held)
    assert memory is not None and memory.content == "milk" and world.problems() == []


def test_status_tells_of_the_backlog_in_sight(world: Kept) -> None:
    """Off without a model; else how many memories of each level that the caller sees wait, and of no higher one."""
    low, high = world.agent(Level.PUBLIC), world.agent(Level.CONFIDENTIAL)
    save(low, "one")
    save(high, "two", "three")
    assert told(high) == {"PUBLIC": None, "INTERNAL": None, "CONFIDENTIAL": None}
    world.models.use("made-up")
    assert told(low) == {"PUBLIC": 1} and told(high) == {"PUBLIC": 1, "INTERNAL": 0, "CONFIDENTIAL": 2}
    finish(world)
    assert told(high) == {"PUBLIC": 0, "INTERNAL": 0, "CONFIDENTIAL": 0}
