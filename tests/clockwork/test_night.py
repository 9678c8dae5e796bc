"""How a dream cycle shares the writer with everybody else, and what is told of it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from memtrig import wire
from msgspec.structs import replace

from memtrigd.clockwork.diary import Diary
from memtrigd.clockwork.dream import Dreamer
from memtrigd.clockwork.likeness import FACETS, LATEST, PAIRS, SENTENCE, Likeness
from memtrigd.clockwork.night import AT_LEAST, FREE, LUMP, NAMED, SLICE, WHOLE, WORK, Night, walk
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.gate.doors import CONTROL
from memtrigd.store.vault import Vault
from tests.clockwork.test_dream import BY_CLIENT, INTERNAL, START, Stepped, dream, dreamer, raised, row, say, shown
from tests.serve.harness import World


class Ticking:
    """A timer on which each look takes a while."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.now = 0.0

    def __call__(self) -> float:
        """The time, a while later than before."""
        self.now += self.seconds
        return self.now


@pytest.fixture(name="vault")
def _vault(tmp_path: Path) -> Iterator[Vault]:
    """An empty store."""
    with Vault.open(tmp_path / "state") as vault:
        yield vault


def filled(vault: Vault, count: int, *levels: Level) -> Stepped:
    """A lane over a store with so many memories at some levels."""
    lane = Stepped(vault)
    for level in levels:

        def fill(hands: Any, level: Level = level) -> None:
            for n in range(count):
                hands.writer.add(replace(row(n), level=level, expires_at=None), [], BY_CLIENT)

        lane.submit(level, fill, raised)
        lane.step()
    return lane


def to_the_end(lane: Stepped) -> None:
    """Commit job after job until none waits."""
    while lane.step():
        pass


def test_a_slice_ends_when_its_time_is_over(vault: Vault) -> None:
    """However slow rows are to be read or written, a slice stops after the lump in which its time ran out."""
    lane = filled(vault, SLICE, INTERNAL)
    night = Night(INTERNAL, START + 20 * DAY, False)
    passed: list[int] = []

    def slow(hands: Any) -> None:
        walk(hands, night, Ticking(WORK))
        passed.append(night.passed)

    for _ in range(3):
        lane.submit(INTERNAL, slow, raised)
        lane.step()
    assert passed == [2 * LUMP, 4 * LUMP, 6 * LUMP]


def test_slices_shorten_while_commits_are_slow_and_lengthen_again() -> None:
    """What a slice may work is halved where it took too long with its commit, and never more than its bound."""
    night = Night(INTERNAL, START, False)
    night.took(WHOLE * 2)
    assert night.work == WORK / 2
    for _ in range(20):
        night.took(WHOLE * 2)
    assert night.work == AT_LEAST
    for _ in range(20):
        night.took(WHOLE / 2)
    assert night.work == WORK


def test_however_many_levels_dream_one_slice_is_queued_at_a_time(vault: Vault) -> None:
    """A write waits for one slice at most; each level's night comes to its end."""
    lane = filled(vault, SLICE + 1, *Level)
    told: list[Any] = []
    dreams = dreamer(lane)
    for level in Level:
        dreams.dream(level, wire.Decay(), told.append)
    waits: list[int] = []
    while lane.jobs:
        slices = sum(job.level is not None for job in lane.jobs)
        waits.append(slices)
        lane.step()
    assert set(waits) <= {0, 1}
    assert [(each.level, each.materialised) for each in told] == [(level.name, SLICE + 1) for level in Level]


def test_the_writer_has_as_long_a_pause_as_a_slice_took(vault: Vault) -> None:
    """The next slice is not queued before it."""
    lane = filled(vault, 1, INTERNAL)
    pauses: list[tuple[float, Callable[[], None]]] = []
    timer = Ticking(0.5)

    def later(seconds: float, act: Callable[[], None]) -> None:
        pauses.append((seconds, act))

    Dreamer(lane, lambda: START, lane.diary, later, timer).dream(INTERNAL, wire.Decay(), raised)
    lane.step()
    assert not lane.jobs
    ((seconds, act),) = pauses
    assert seconds == 0.5
    act()
    assert len(lane.jobs) == 1


def test_who_asks_for_what_is_under_way_gets_the_same_answer(vault: Vault) -> None:
    """However often a cycle is asked for, it runs once; a trial is another one."""
    lane = filled(vault, 3, INTERNAL)
    told: list[Any] = []
    dreams = dreamer(lane)
    for _ in range(100):
        dreams.dream(INTERNAL, wire.Decay(), told.append)
    dreams.dream(INTERNAL, wire.Decay(dry_run=True), told.append)
    steps = 0
    while lane.step():
        steps += 1
    assert steps < 12
    assert [each.dry_run for each in told].count(True) == 1
    assert {each.materialised for each in told if not each.dry_run} == {3} and len(told) == 101


def test_a_level_whose_file_is_lost_keeps_no_other_awake(vault: Vault) -> None:
    """Its night fails and says so; those of the other levels go on."""
    lane = filled(vault, 3, *Level)
    told: dict[Level, Any] = {}
    dreams = dreamer(lane)
    for level in Level:
        dreams.dream(level, wire.Decay(), lambda outcome, level=level: told.update({level: outcome}))  # type: ignore[misc]
    vault.unavailable[INTERNAL] = Refusal("level_unavailable", "lost")
    to_the_end(lane)
    assert {level for level, outcome in told.items() if isinstance(outcome, Exception)} == {INTERNAL}
    assert dreams.figures()[INTERNAL].failed and not dreams.figures()[Level.PUBLIC].failed


def test_progress_is_told_while_it_is_under_way_and_the_result_over_a_restart(vault: Vault) -> None:
    """From 0 to 1; what is kept names no content, and a trial is not kept."""
    lane = filled(vault, SLICE * 2, INTERNAL)
    dreams = dreamer(lane)
    dreams.dream(INTERNAL, wire.Decay(dry_run=True), raised)
    to_the_end(lane)
    assert dreams.figures() == {}
    dreams.dream(INTERNAL, wire.Decay(), raised)
    seen = []
    while lane.step():
        seen.append(dreams.figures()[INTERNAL].progress)
    assert seen[0] == 0.0 and 0.5 in seen and seen[-1] is None
    (last,) = Diary(vault.control_reader(), lane).last.values()
    assert (last.materialised, last.at, last.failed) == (SLICE * 2, to_iso(START + 10 * DAY), False)


def test_a_diary_of_a_later_version_is_none(vault: Vault) -> None:
    """A line that can't be read does not keep the daemon from starting."""
    lane = Stepped(vault)
    lane.submit(None, lambda hands: hands.control.set_setting("dream.public", "[1"), raised)
    lane.step()
    assert Diary(vault.control_reader(), lane).last == {}


def test_status_tells_a_session_the_dreams_of_its_levels_alone(world: World) -> None:
    """What a higher level dreamt is no lower session's business; the session of the night is named for an undo."""
    low, high, control = world.agent(Level.PUBLIC), world.agent(INTERNAL), world.connect(CONTROL)
    say(high, "ends", expires_at=to_iso(START + DAY))
    world.now = START + 2 * DAY
    dream(high)
    told = {each.level: each.dream for each in high.ask(wire.GetStatus()).levels}
    assert told["INTERNAL"].expired == 1 and told["PUBLIC"] is None
    assert [each.dream for each in low.ask(wire.GetStatus()).levels] == [None]
    session = told["INTERNAL"].session
    undone = control.ask(wire.Act(request=wire.Undo(session=session), level="internal"))
    assert [each.key for each in undone.memories] == ["ends"]


def test_the_owner_lets_more_expire_by_saying_the_count(world: World) -> None:
    """The count that a stopped cycle told is asked back; an agent may not say it, and another count stops again."""
    agent, control = world.agent(INTERNAL), world.connect(CONTROL)
    for number in range(FREE + 1):
        say(agent, f"ends-{number}", expires_at=to_iso(START + DAY))
    world.now = START + 2 * DAY
    stopped = dream(agent)
    assert (stopped.stopped, stopped.expired, stopped.session) == (True, FREE + 1, None)
    assert agent.ask(wire.Decay(confirm=FREE + 1)).code == "not_yours"

    def confirm(count: int) -> wire.Dreamt:
        return control.ask(wire.Act(request=wire.Decay(confirm=count), level="internal"))  # type: ignore[no-any-return]

    assert confirm(FREE).stopped
    assert (confirm(FREE + 1).stopped, agent.ask(wire.Stats()).levels[0].statuses) == (False, {"active": 0})


def test_conflicts_are_named_up_to_a_bound_and_counted_beyond(world: World) -> None:
    """A thousand proposals that contradict something make no answer of a thousand ids."""
    agent = world.agent(INTERNAL)
    for number in range(NAMED + 5):
        say(agent, f"k{number}", source="user_explicit", quote="so it is")
        agent.ask(wire.Save(key=f"k{number}", content="quite another text", source="self_inferred", confidence=0.9))
    dreamt = dream(agent)
    assert (len(dreamt.conflicts), dreamt.more) == (NAMED, 5)


def test_near_duplicates_of_an_entity_and_kind_are_suggested(world: World) -> None:
    """Two ways to say one thing are shown as a pair, and stay two; other kinds, entities, texts are no pair."""
    agent = world.agent(INTERNAL)

    def of(key: str, content: str, entity: str = "asha", kind: str = "preference") -> str:
        saved = agent.ask(wire.Save(key=key, content=content, entity=entity, kind=kind))
        return str(saved.id)

    one = of("a", "Asha likes her tea without sugar")
    two = of("b", "Asha likes her tea without any sugar")
    of("c", "Asha likes her tea without sugar!!", entity="ravi")
    of("d", "Asha likes her tea without sugar?!", kind="habit")
    of("e", "Her garden has two plum trees")
    assert dream(agent).similar == [[one, two]]
    assert shown(agent, "a").status == shown(agent, "b").status == "active"


def test_likeness_is_bounded() -> None:
    """However many facets and pairs a walk meets, it keeps a few; long texts it does not compare."""
    likeness = Likeness()
    for n in range(FACETS * 2):
        likeness.meet(replace(row(n), entity=f"e{n}", content="the same text"))
    assert likeness.pairs == []
    for n in range(PAIRS):
        likeness.meet(replace(row(n), entity="one", content="the same text"))
    assert len(likeness.pairs) == PAIRS
    assert {len(pair) for pair in likeness.pairs} == {2}
    long = Likeness()
    for n in range(LATEST):
        long.meet(replace(row(n), entity="one", content="x" * (SENTENCE + 1)))
    assert long.pairs == []
