"""vacuum, selfcheck and init: what a caller may ask of the upkeep of its levels."""

import apsw
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY
from memtrigd.gate.doors import CONTROL
from memtrigd.serve.handlers.selfcheck import NAMED
from memtrigd.serve.handlers.upkeep import KEPT_AT_HAND
from tests.serve.asking import START
from tests.serve.harness import Line, World

INTERNAL = Level.INTERNAL


def say(line: Line, key: str, content: str, **fields: object) -> wire.Saved:
    """Save something."""
    saved = line.ask(wire.Save(key=key, content=content, **fields))  # type: ignore[arg-type]
    assert isinstance(saved, wire.Saved), saved
    return saved


def behind_its_back(world: World, sql: str) -> None:
    """Change the file of INTERNAL as no request can."""
    apsw.Connection(str(world.file(INTERNAL))).execute(sql)


def test_vacuum_archives_what_was_superseded_ninety_days_ago(world: World) -> None:
    """At the caller's own level; a trial tells the count; history still has it."""
    line, above = world.agent(INTERNAL), world.agent(Level.CONFIDENTIAL)
    for each in (line, above):
        say(each, "tea", "no sugar")
        say(each, "tea", "two spoons")
    world.now = START + KEPT_AT_HAND
    assert line.ask(wire.Vacuum()).archived == 0
    world.now += 1
    assert line.ask(wire.Vacuum(dry_run=True)) == wire.Vacuumed(archived=1, level="INTERNAL", dry_run=True)
    assert line.ask(wire.Vacuum()) == wire.Vacuumed(archived=1, level="INTERNAL")
    assert line.ask(wire.Vacuum()).archived == 0
    assert [each.content for each in line.ask(wire.History(key="tea")).memories] == ["no sugar", "two spoons"]
    assert above.ask(wire.Vacuum(dry_run=True)).archived == 1


def test_a_sound_store_has_no_problems(world: World) -> None:
    """Whatever agents and the owner did: what waits, was replaced, forgotten or denied is as it should be."""
    line, control = world.agent(INTERNAL), world.connect(CONTROL)
    say(line, "tea", "no sugar", source="user_explicit", quote="no sugar")
    say(line, "tea", "two spoons", source="self_inferred")
    for content in ("one", "two", "three"):
        say(line, "walk", content)
    say(line, "gone", "to be forgotten")
    line.ask(wire.Forget(key="gone"))
    line.ask(wire.PromiseAdd(text="call her"))
    told = control.ask(wire.Act(request=wire.Selfcheck()))
    assert (told.problems, told.more, told.memories) == ([], 0, 6)
    assert line.ask(wire.Selfcheck()).problems == []


def test_each_rule_that_is_broken_is_named(world: World) -> None:
    """What nobody can bring about by asking: somebody wrote into the file."""
    line, control = world.agent(INTERNAL), world.connect(CONTROL)
    first = say(line, "tea", "no sugar")
    second = say(line, "tea", "two spoons")
    dates = say(line, "dates", "a house in Pune")
    heavy = say(line, "heavy", "weighs too much")
    contest = say(line, "contest", "contests nothing")
    promised = line.ask(wire.PromiseAdd(text="call her")).promise.id
    line.ask(wire.PromiseDone(id=promised))
    behind_its_back(world, f"UPDATE memory SET superseded_by = 'gone' WHERE id = '{first.id}'")
    behind_its_back(world, f"UPDATE memory SET valid_from = 2, valid_to = 1 WHERE id = '{dates.id}'")
    behind_its_back(world, f"UPDATE memory SET importance = 1.5 WHERE id = '{heavy.id}'")
    behind_its_back(world, f"UPDATE memory SET contests = 'gone' WHERE id = '{contest.id}'")
    behind_its_back(world, f"UPDATE entry SET closed = created - 1 WHERE id = '{promised}'")
    told = {each.id: each for each in control.ask(wire.Act(request=wire.Selfcheck())).problems}
    assert {first.id, dates.id, heavy.id, contest.id, promised} == set(told)
    assert second.id not in told
    assert all(each.level == "INTERNAL" and each.problem and each.hint for each in told.values())


def test_an_agent_learns_only_of_what_is_served_and_of_its_own(world: World) -> None:
    """Another session's guesses are not counted for it, nor what is above it."""
    line, other = world.agent(INTERNAL), world.agent(INTERNAL)
    say(line, "tea", "perhaps sugar", source="self_inferred")
    say(world.agent(Level.CONFIDENTIAL), "secret", "a secret")
    say(line, "walk", "before breakfast")
    assert line.ask(wire.Selfcheck()).memories == 2
    assert other.ask(wire.Selfcheck()).memories == 1
    behind_its_back(world, "UPDATE memory SET importance = 2 WHERE status = 'pending'")
    assert (len(line.ask(wire.Selfcheck()).problems), other.ask(wire.Selfcheck()).problems) == (1, [])


def test_problems_are_named_up_to_a_bound_and_counted_beyond(world: World) -> None:
    """A broken store makes no endless answer."""
    line = world.agent(INTERNAL)
    for number in range(NAMED + 3):
        say(line, f"k{number}", f"text {number}")
    behind_its_back(world, "UPDATE memory SET importance = -1")
    told = line.ask(wire.Selfcheck())
    assert (len(told.problems), told.more) == (NAMED, 3)


def test_init_is_a_report_that_nothing_needs(world: World) -> None:
    """Ready from the start; the home is for the owner, and whether there are memories is told of levels in sight."""
    low, control = world.agent(Level.PUBLIC), world.connect(CONTROL)
    told = low.ask(wire.Init())
    assert (told.ready, told.level, told.facts["memories"]) == (True, "PUBLIC", "none yet")
    say(world.agent(INTERNAL), "tea", "no sugar")
    world.now += DAY
    assert low.ask(wire.Init()) == told
    owners = control.ask(wire.Act(request=wire.Init())).facts
    assert (owners["home"], owners["memories"], owners["model"]) == ("home", "some", "none")
    assert "home" not in told.facts
