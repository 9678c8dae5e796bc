"""The week: what agents learned, guessed, contested and forgot, and nothing that others did."""

from typing import Any

import msgspec
import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.gate.doors import CONTROL, LEVEL_DOORS
from memtrigd.serve.handlers.week import SECTIONS
from memtrigd.serve.records import REPLY_BYTES
from tests.serve.harness import Line, World
from tests.serve.histories import START


def gardener(world: World, level: Level = Level.INTERNAL) -> Line:
    """Connect an agent with a name."""
    line = world.connect(LEVEL_DOORS[level])
    assert isinstance(line.ask(wire.Hello(protocol=wire.PROTOCOL, agent="gardener")), wire.Welcome)
    return line


def save(line: Line, key: str, content: str = "something", **fields: Any) -> wire.Saved:
    """Remember something that must be remembered."""
    saved = line.ask(wire.Save(key=key, content=content, **fields))
    assert isinstance(saved, wire.Saved), saved
    return saved


def week(owner: Line, level: str | None = None, **asked: int) -> wire.Weekly:
    """Ask for the week."""
    answer = owner.ask(wire.Act(request=wire.Week(**asked), level=level))
    assert isinstance(answer, wire.Weekly), answer
    return answer


def sections(told: wire.Weekly) -> dict[str, list[str]]:
    """The keys of each section, as they are told."""
    return {about: [item.memory.key for item in told.items if item.about == about] for about in SECTIONS}


@pytest.fixture(name="owner")
def _owner(world: World) -> Line:
    """The owner's line into the daemon in memory."""
    return world.connect(CONTROL)


def test_each_section_has_its_own(world: World, owner: Line) -> None:
    """Over all levels, the newest first, with who did what and when, in whatever script."""
    low, high = gardener(world, Level.PUBLIC), gardener(world, Level.RESTRICTED)
    save(low, "चहा", "तिला बिनसाखरेचा चहा आवडतो", source="user_explicit")
    world.now += 1
    save(high, "香菜", "从不吃香菜", source="user_explicit")
    world.now += 1
    guess = save(low, "guess", "may like figs", source="self_inferred")
    contest = save(low, "चहा", "तिला कॉफी आवडते", source="self_inferred")
    for key in ("gone", "deleted", "denied", "disputed"):
        save(high, key, f"{key} text")
        world.now += 1
    high.ask(wire.Forget(key="gone"))
    high.ask(wire.Delete(key="deleted"))
    for key in ("denied", "disputed", "disputed"):
        high.ask(wire.Deny(key=key))
    told = week(owner)
    assert sections(told)["guessed"] == ["guess"]
    assert sections(told)["contested"] == ["चहा"]
    assert sections(told)["learned"] == ["denied", "香菜", "चहा"]
    assert sorted(sections(told)["forgot"]) == ["deleted", "denied", "disputed", "gone"]
    assert told.counts == {"learned": 3, "guessed": 1, "contested": 1, "forgot": 4}
    assert (told.more, told.since) == (0, to_iso(world.now - 7 * DAY))
    notes = {(item.about, item.memory.key): item.note for item in told.items}
    assert notes["learned", "चहा"] == f"gardener, {to_iso(START)}"
    at = to_iso(world.now)
    assert {notes["forgot", key] for key in ("gone", "deleted", "denied", "disputed")} == {
        f"{what} by gardener, {at}" for what in ("forgotten", "deleted", "denied", "disputed")
    }
    (item,) = [item for item in told.items if item.about == "contested"]
    assert item.memory.id == contest.id and item.against is not None and item.against.content.startswith("तिला बिन")
    assert {item.memory.id for item in told.items if item.about == "guessed"} == {guess.id}


def test_an_act_at_a_level_sees_no_higher_week(world: World, owner: Line) -> None:
    """What happens above changes no byte of the week below."""
    low, high = gardener(world, Level.PUBLIC), gardener(world, Level.RESTRICTED)
    save(low, "low")
    asked = wire.call(1, wire.Act(request=wire.Week(limit=1), level="PUBLIC"))
    told = owner.send(asked)
    save(high, "high")
    save(high, "guess", source="self_inferred")
    high.ask(wire.Forget(key="low"))
    assert owner.send(asked) == told
    assert week(owner).counts["learned"] == 2


def test_what_a_level_put_away_of_lower_ones_is_told(world: World, owner: Line) -> None:
    """With for whom it is hidden or denied and by whom; not once it is taken back, nor to an act at the lower one."""
    low, high = gardener(world, Level.PUBLIC), gardener(world, Level.CONFIDENTIAL)
    rows = {key: save(low, key, f"{key} मजकूर") for key in ("hidden", "denied", "back")}
    high.ask(wire.Forget(key="hidden"))
    high.ask(wire.Deny(key="denied"))
    high.ask(wire.Forget(key="back"))
    owner.ask(wire.Act(request=wire.Unforget(id=rows["back"].id)))
    told = week(owner)
    at = to_iso(world.now)
    assert {item.memory.id: item.note for item in told.items if item.about == "forgot"} == {
        rows["hidden"].id: f"hidden for readers of CONFIDENTIAL by gardener, {at}",
        rows["denied"].id: f"denied for readers of CONFIDENTIAL by gardener, {at}",
    }
    assert sections(week(owner, "PUBLIC"))["forgot"] == []
    owner.ask(wire.Act(request=wire.Unforget(id=rows["hidden"].id)))
    assert sections(week(owner))["forgot"] == ["denied"]


def test_the_owner_and_the_dream_cycle_are_no_agents(world: World, owner: Line) -> None:
    """What they save, forget or let expire is not told; an agent's guess that the owner confirmed is the agent's."""
    agent = gardener(world)
    owner.ask(wire.Act(request=wire.Save(key="owners", content="said by the owner")))
    save(agent, "shed", "by the agent")
    owner.ask(wire.Act(request=wire.Forget(key="shed"), level="INTERNAL"))
    save(agent, "fading", "ends soon", expires_at=to_iso(world.now + DAY))
    guess = save(agent, "guess", "may like figs", source="self_inferred")
    owner.ask(wire.Act(request=wire.Confirm(id=guess.id)))
    world.now += 2 * DAY
    owner.ask(wire.Act(request=wire.Decay(), level="INTERNAL"))
    assert sections(week(owner)) == {"learned": ["guess"], "guessed": [], "contested": [], "forgot": []}


def test_what_was_taken_back_needs_no_answer(world: World, owner: Line) -> None:
    """A forget that the owner undid, and a save that was undone, are in no section."""
    agent = gardener(world)
    saved = save(agent, "kept")
    agent.ask(wire.Forget(key="kept"))
    owner.ask(wire.Act(request=wire.Unforget(id=saved.id)))
    graffiti = save(agent, "graffiti")
    owner.ask(wire.Act(request=wire.Undo(id=graffiti.id)))
    assert sections(week(owner)) == {"learned": ["kept"], "guessed": [], "contested": [], "forgot": []}


def test_a_memory_is_told_once_however_often_it_changed(world: World, owner: Line) -> None:
    """With the last that was done; what it replaced is none of what is learned."""
    agent = gardener(world)
    for number in range(4):
        save(agent, "weather", f"{number} degrees")
        world.now += DAY
    (item,) = week(owner).items
    assert (item.memory.content, item.note) == ("3 degrees", f"gardener, {to_iso(START + 3 * DAY)}")


def test_a_week_ends(world: World, owner: Line) -> None:
    """What happened before it is not told, what happened at its very beginning is."""
    agent = gardener(world)
    save(agent, "old")
    world.now = START + 7 * DAY
    save(agent, "new")
    assert sections(week(owner))["learned"] == ["new", "old"]
    world.now += 1
    assert sections(week(owner))["learned"] == ["new"]
    assert sections(week(owner, days=8))["learned"] == ["new", "old"]


def test_no_section_crowds_out_another(world: World, owner: Line) -> None:
    """A few guesses and one forget are shown beside a flood of what was learned; all is counted."""
    agent = gardener(world)
    for number in range(3):
        save(agent, f"guess {number}", f"may like {number}", source="self_inferred")
    save(agent, "gone")
    agent.ask(wire.Forget(key="gone"))
    for number in range(40):
        world.now += 1
        save(agent, f"fact {number}", f"the fact {number}")
    told = week(owner, limit=10)
    shown = sections(told)
    assert {about: len(keys) for about, keys in shown.items()} == {
        "learned": 6,
        "guessed": 3,
        "contested": 0,
        "forgot": 1,
    }
    assert shown["learned"] == [f"fact {number}" for number in range(39, 33, -1)]
    assert told.counts == {"learned": 40, "guessed": 3, "contested": 0, "forgot": 1}
    assert told.more == 34


def test_a_week_fits_one_reply(world: World, owner: Line) -> None:
    """Long texts are shown by their beginnings; what there is no room for is in ``more``."""
    agent = gardener(world)
    for number in range(200):
        save(agent, f"much {number}", f"{number} " + "क" * 2000, context="ख" * 1300, quote="ग" * 1300)
    told = week(owner, limit=500)
    assert len(msgspec.msgpack.encode(told)) < REPLY_BYTES * 1.1
    assert 50 < len(told.items) < 200
    assert len(told.items) + told.more == told.counts["learned"] == 200
    assert {len(item.memory.content) for item in told.items} == {600}
    assert told.items[0].memory.content_bytes is not None


def test_a_week_costs_what_happened_in_it(world: World, owner: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large store only the rows of the week are looked up."""
    agent = gardener(world)
    for number in range(100):
        save(agent, f"old {number}", f"old fact {number}")
    world.now += 30 * DAY
    save(agent, "new")
    reader = type(world.handles[Level.INTERNAL])
    looked_up: list[str] = []
    by_id = reader.by_id
    monkeypatch.setattr(reader, "by_id", lambda self, memory_id: looked_up.append(memory_id) or by_id(self, memory_id))
    assert sections(week(owner))["learned"] == ["new"]
    assert len(looked_up) == 1


@pytest.mark.parametrize("asked", [{"days": 0}, {"days": 367}, {"limit": 0}, {"limit": 501}])
def test_what_is_refused(owner: Line, asked: dict[str, int]) -> None:
    """No time, more than a year, no items, too many."""
    assert owner.ask(wire.Act(request=wire.Week(**asked))).code == "bad_value"


def test_the_week_is_the_owners(world: World) -> None:
    """No agent has the verb."""
    assert gardener(world).ask(wire.Week()).code == "not_here"
