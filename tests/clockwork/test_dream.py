"""The dream cycle: forgetting is a curve of time and not of cycles, and a night changes little, or asks."""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from memtrig import wire
from msgspec.structs import replace

from memtrigd.clockwork.diary import Diary
from memtrigd.clockwork.dream import Dreamer
from memtrigd.clockwork.night import FREE, SLICE
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.moments import DAY, Micros, to_iso
from memtrigd.gate.doors import CONTROL
from memtrigd.store.interface import Change, Hands
from memtrigd.store.queueing import Job
from memtrigd.store.vault import Vault
from memtrigd.store.writer import WriterLane
from tests.serve.harness import Line, World

START: Micros = 1_790_000_000_000_000
INTERNAL = Level.INTERNAL


def say(line: Line, key: str, **fields: Any) -> wire.Saved:
    """Save something."""
    saved = line.ask(wire.Save(key=key, content=f"the text of {key}", **fields))
    assert isinstance(saved, wire.Saved), saved
    return saved


def dream(line: Line, *, dry_run: bool = False) -> wire.Dreamt:
    """Run a cycle at the line's level."""
    dreamt = line.ask(wire.Decay(dry_run=dry_run))
    assert isinstance(dreamt, wire.Dreamt), dreamt
    return dreamt


def shown(line: Line, key: str) -> wire.Record:
    """A record as a list shows it, which is no recall."""
    (record,) = (each for each in line.ask(wire.List()).memories if each.key == key)
    return record  # type: ignore[no-any-return]


def statuses(control: Line, key: str) -> list[str]:
    """The status of every row of a key."""
    return [row.status for row in control.ask(wire.Act(request=wire.History(key=key))).memories]


def test_a_night_writes_down_what_faded_and_puts_away_what_ran_out(world: World) -> None:
    """The effective importance stays, its record is fresh; what is past its date is expired; nothing else changes."""
    agent, control = world.agent(INTERNAL), world.connect(CONTROL)
    say(agent, "fades")
    say(agent, "ends", expires_at=to_iso(START + DAY))
    say(agent, "core", kind="identity", source="user_explicit")
    say(agent, "guess", source="self_inferred")
    world.now = START + 100 * DAY
    before = shown(agent, "fades")
    dreamt = dream(agent)
    assert (dreamt.materialised, dreamt.expired, dreamt.asked_again, dreamt.stopped) == (1, 1, 1, False)
    after = shown(agent, "fades")
    assert before.importance == 1.0
    assert after.importance == after.effective_importance == before.effective_importance == round(0.995**100, 4)
    assert shown(agent, "core").importance == 1.0
    assert [statuses(control, key) for key in ("ends", "guess", "fades")] == [["expired"], ["pending"], ["active"]]


def test_a_dry_run_tells_the_same_and_changes_nothing(world: World) -> None:
    """Trial and night agree in every figure."""
    agent, control = world.agent(INTERNAL), world.connect(CONTROL)
    say(agent, "fades")
    say(agent, "ends", expires_at=to_iso(START + DAY))
    world.now = START + 10 * DAY
    tried = dream(agent, dry_run=True)
    assert tried.dry_run
    assert shown(agent, "fades").importance == 1.0
    assert statuses(control, "ends") == ["active"]
    assert replace(dream(agent), dry_run=True, session=None) == tried


SCHEDULES: dict[str, Callable[[int], bool]] = {
    "never": lambda day: False,
    "nightly": lambda day: True,
    "weekly": lambda day: day % 7 == 3,
    "thrice on each first": lambda day: day % 30 == 0,
}


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_year_is_the_same_whatever_the_schedule(world: World, schedule: str) -> None:
    """BR-083: recalled weekly ≥ 0.89 before and ≥ 0.92 after, never recalled 0.995³⁶⁵, core 1; nothing is deleted."""
    agent = world.agent(INTERNAL)
    say(agent, "weekly")
    say(agent, "never")
    say(agent, "core", kind="relationship", source="user_explicit")
    for day in range(1, 366):
        world.now = START + day * DAY
        if day % 7 == 0:
            assert shown(agent, "weekly").effective_importance >= 0.89
            agent.ask(wire.Get(key="weekly"))
            assert shown(agent, "weekly").effective_importance >= 0.92
        if SCHEDULES[schedule](day):
            for _ in range(3 if schedule.startswith("thrice") else 1):
                dream(agent)
    assert shown(agent, "never").effective_importance == round(0.995**365, 4) == 0.1605
    assert shown(agent, "core").effective_importance == 1.0
    weakest = [record.key for record in agent.ask(wire.Stats()).weakest]
    assert weakest == ["never", "weekly"]


def test_a_clock_that_was_wrong_fades_nothing_twice(world: World) -> None:
    """A night in a far future that is taken back costs that once; nights at the earlier time add nothing to it."""
    agent = world.agent(INTERNAL)
    say(agent, "fades")
    world.now = START + 50 * DAY
    dream(agent)
    for day in (40, 10, 20, 50):
        world.now = START + day * DAY
        assert dream(agent).materialised == 0
        assert shown(agent, "fades").effective_importance == round(0.995**50, 4)


def test_a_night_that_would_change_too_much_stops_and_asks(world: World) -> None:
    """BR-082: more than 20 and 5 % would expire at once. Nothing is changed, not even written down; it is said."""
    agent, control = world.agent(INTERNAL), world.connect(CONTROL)
    for number in range(FREE + 1):
        say(agent, f"ends-{number}", expires_at=to_iso(START + DAY))
    say(agent, "fades")
    world.now = START + 2 * DAY
    dreamt = dream(agent)
    assert (dreamt.stopped, dreamt.expired, dreamt.materialised) == (True, FREE + 1, 0)
    assert shown(agent, "fades").importance == 1.0
    assert statuses(control, "ends-0") == ["active"]
    world.now = START
    assert agent.ask(wire.Get(key="ends-0")).memory.key == "ends-0"


def test_twenty_may_go_unasked(world: World) -> None:
    """In a small store 5 % is less than one."""
    agent = world.agent(INTERNAL)
    for number in range(FREE):
        say(agent, f"ends-{number}", expires_at=to_iso(START + DAY))
    world.now = START + 2 * DAY
    dreamt = dream(agent)
    assert (dreamt.stopped, dreamt.expired) == (False, FREE)


def test_a_whole_night_is_undone_by_its_session(world: World) -> None:
    """BR-082: one command; what the night put away by a wrong clock is served again when the clock is right."""
    agent, control = world.agent(INTERNAL), world.connect(CONTROL)
    for number in range(3):
        say(agent, f"ends-{number}", expires_at=to_iso(START + 5 * DAY))
    world.now = START + 400 * DAY
    assert dream(agent).expired == 3
    world.now = START + DAY
    assert agent.ask(wire.List()).memories == []
    session = control.ask(wire.Act(request=wire.History(key="ends-0"))).steps[-1].session
    undone = control.ask(wire.Act(request=wire.Undo(session=session), level="internal"))
    assert len(undone.memories) == 3
    assert {each.key for each in agent.ask(wire.List()).memories} == {f"ends-{number}" for number in range(3)}


def test_a_night_at_one_level_touches_no_other(world: World) -> None:
    """An agent's cycle is its own level's."""
    low, high, control = world.agent(Level.PUBLIC), world.agent(INTERNAL), world.connect(CONTROL)
    say(low, "low", expires_at=to_iso(START + DAY))
    say(high, "high", expires_at=to_iso(START + DAY))
    world.now = START + 2 * DAY
    assert (dream(high).level, dream(high).expired) == ("INTERNAL", 0)
    assert [statuses(control, key) for key in ("low", "high")] == [["active"], ["expired"]]


class Stepped(WriterLane):
    """The writer's lane without its thread, job by job: in between the test is other clients."""

    def __init__(self, vault: Vault) -> None:
        super().__init__(vault, deliver, poisoned)
        self.jobs: deque[Job] = deque()
        self.diary = Diary(vault.control_reader(), self)

    def put(self, job: Job) -> None:
        """Queue a job."""
        self.jobs.append(job)

    def step(self) -> bool:
        """Commit the next job; tell whether there was one."""
        if not self.jobs:
            return False
        job = self.jobs.popleft()
        self.perform([job])
        return True

    def write(self, run: Callable[[Hands], Any]) -> None:
        """Commit a client's job now."""
        self.perform([Job(run, raised, INTERNAL)])


def deliver(outcomes: list[tuple[Callable[[Any], None], Any]]) -> None:
    """Hand outcomes on at once."""
    for done, outcome in outcomes:
        done(outcome)


def raised(outcome: Any) -> None:
    """Nobody waits for a client's write but for its failure."""
    if isinstance(outcome, Exception):
        raise outcome


def poisoned(error: Exception) -> None:
    """The disk does not fail here."""
    raise AssertionError from error


def row(number: int) -> Memory:
    """The memory of a number; one in each slice ends after a day."""
    return Memory(
        id=f"m{number:04}",
        key=f"k{number}",
        level=INTERNAL,
        space="default",
        content=f"text {number}",
        created=START,
        updated=START,
        importance_at=START,
        expires_at=START + DAY if number % SLICE == 5 else None,
    )


BY_CLIENT = Change(op="save", actor="agent", session="s", at=START)


@pytest.fixture(name="lane")
def _lane(tmp_path: Path) -> Iterator[Stepped]:
    """A lane over a store with two slices of memories and a half."""
    vault = Vault.open(tmp_path / "state")
    lane = Stepped(vault)
    lane.write(lambda hands: [hands.writer.add(row(n), [], BY_CLIENT) for n in range(SLICE * 5 // 2)])  # type: ignore[union-attr]
    yield lane
    vault.close()


def dreamer(lane: Stepped, timer: Callable[[], float] = lambda: 0.0) -> Dreamer:
    """Cycles ten days later, through a lane; a pause between slices is over at once."""
    return Dreamer(lane, lambda: START + 10 * DAY, lane.diary, lambda _, act: act(), timer)


def test_what_is_said_between_slices_survives(lane: Stepped) -> None:
    """BR-004: between its transactions clients change memories and add some; all are as they left them."""
    told: list[wire.Dreamt | Exception] = []
    dreamer(lane).dream(INTERNAL, wire.Decay(), told.append)
    changed: dict[str, tuple[str, float]] = {}
    steps = 0
    while lane.step():
        steps += 1
        lane.write(lambda hands, steps=steps: changed.update(interfere(hands, steps)))  # type: ignore[misc]
    assert steps >= 1 + 3
    (dreamt,) = told
    assert isinstance(dreamt, wire.Dreamt)
    found: dict[str, tuple[str, float]] = {}
    lane.write(lambda hands: found.update({key: state(hands, key) for key in changed}))
    assert found == changed


def interfere(hands: Hands, step: int) -> dict[str, tuple[str, float]]:
    """Change memories in front of the night and behind it, and add one; return their states."""
    assert hands.writer is not None
    later = START + 11 * DAY
    for number in range(step * 10 + 1, step * 10 + 11):
        for place in (number, SLICE * 2 + number):
            old = hands.writer.by_id(f"m{place:04}")
            assert old is not None
            if old.status is Status.ACTIVE:
                fresh = replace(old, tags=(f"edit-{step}",), importance=0.7, importance_at=later, updated=later)
                hands.writer.amend(fresh, BY_CLIENT)
    hands.writer.add(replace(row(9100 + step), importance=0.6, importance_at=later), [], BY_CLIENT)
    ids = [f"m{place + base:04}" for place in range(step * 10 + 1, step * 10 + 11) for base in (0, SLICE * 2)]
    return {key: state(hands, key) for key in (*ids, f"m{9100 + step}")}


def state(hands: Hands, memory_id: str) -> tuple[str, float]:
    """What a client's write left in a row."""
    assert hands.writer is not None
    memory = hands.writer.by_id(memory_id)
    assert memory is not None
    return f"{memory.status} {memory.tags}", memory.importance


def test_a_night_runs_in_slices(lane: Stepped) -> None:
    """No transaction of it touches more rows than a slice, and together they touch all."""
    dreamer(lane).dream(INTERNAL, wire.Decay(), raised)
    fresh = 0
    while lane.step():
        seen: list[int] = []
        lane.write(lambda hands, seen=seen: seen.append(touched(hands)))  # type: ignore[misc]
        assert seen[0] - fresh <= SLICE
        fresh = seen[0]
    assert fresh == SLICE * 5 // 2


def touched(hands: Hands) -> int:
    """How many rows the night has written so far."""
    assert hands.writer is not None
    rows = hands.writer.select(["default"], [Status.ACTIVE.value, Status.EXPIRED.value])
    return sum(memory.importance_at > START or memory.status is Status.EXPIRED for memory in rows)
