"""Notes of well-being in a daemon: of which day, at which level, and what they come to."""

from typing import Any

import msgspec
import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY
from memtrigd.gate.doors import CONTROL
from memtrigd.serve.records import REPLY_BYTES
from tests.serve.harness import Line, World


def note(line: Line, mood: str, **fields: Any) -> wire.Wellness:
    """Note a day."""
    answer = line.ask(wire.WellnessAdd(mood=mood, **fields))
    assert isinstance(answer, wire.WellnessNoted), answer
    return answer.noted


def test_the_newest_day_comes_first(world: World) -> None:
    """Days further back are not told, nor part of the mean; moods are in the user's own words."""
    agent = world.agent(Level.INTERNAL)
    for number, mood in enumerate(("tired", "还行", "छान")):
        noted = note(agent, mood, sleep_hours=6.0 + number, sleep_quality="मध्यम", note="梦到海")
        assert noted.level == "INTERNAL"
        world.now += DAY
    world.now -= DAY
    told = agent.ask(wire.WellnessList(days=2))
    assert [each.mood for each in told.notes] == ["छान", "还行"]
    assert [each.date for each in told.notes] == sorted((each.date for each in told.notes), reverse=True)
    assert (told.mean_sleep, told.more) == (7.5, 0)
    assert told.notes[0].sleep_quality == "मध्यम" and told.notes[0].note == "梦到海"
    assert len(agent.ask(wire.WellnessList()).notes) == 3


def test_a_mean_is_of_the_nights_that_are_told(world: World) -> None:
    """To 4 decimals; without any night there is none."""
    agent = world.agent(Level.INTERNAL)
    note(agent, "fine")
    assert agent.ask(wire.WellnessList()).mean_sleep is None
    for hours in (7.0, 7.0, 8.0):
        note(agent, "fine", sleep_hours=hours)
    assert agent.ask(wire.WellnessList()).mean_sleep == 7.3333


def test_a_note_is_seen_from_its_level_and_above(world: World) -> None:
    """Below nothing changes: no note, no mean, no byte."""
    low, high = world.agent(Level.PUBLIC), world.agent(Level.RESTRICTED)
    note(low, "fine", sleep_hours=8.0)
    told = low.send(wire.call(1, wire.WellnessList()))
    note(high, "sad", sleep_hours=4.0)
    assert low.send(wire.call(1, wire.WellnessList())) == told
    seen = high.ask(wire.WellnessList())
    assert ([each.mood for each in seen.notes], seen.mean_sleep) == (["sad", "fine"], 6.0)


def test_the_owner_sees_the_notes_of_every_space(world: World) -> None:
    """A project sees its own and the shared ones."""
    note(world.agent(Level.INTERNAL, "attic"), "dusty")
    assert world.agent(Level.INTERNAL).ask(wire.WellnessList()).notes == []
    told = world.connect(CONTROL).ask(wire.Act(request=wire.WellnessList()))
    assert [each.mood for each in told.notes] == ["dusty"]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (wire.WellnessAdd(mood="  "), "bad_value"),
        (wire.WellnessAdd(mood="x" * 129), "too_large"),
        (wire.WellnessAdd(mood="fine", sleep_hours=24.5), "bad_value"),
        (wire.WellnessAdd(mood="fine", sleep_hours=-1.0), "bad_value"),
        (wire.WellnessAdd(mood="fine", sleep_hours=float("nan")), "bad_value"),
        (wire.WellnessAdd(mood="fine", sleep_hours=float("inf")), "bad_value"),
        (wire.WellnessAdd(mood="fine", sleep_hours=True), "bad_request"),
        (wire.WellnessAdd(mood="fine", sleep_quality=""), "bad_value"),
        (wire.WellnessAdd(mood="fine", note="x" * 4097), "too_large"),
        (wire.WellnessList(days=0), "bad_value"),
        (wire.WellnessList(days=3661), "bad_value"),
    ],
)
def test_what_is_refused(world: World, request_: wire.Request, code: str) -> None:
    """With its code, and nothing is kept."""
    agent = world.agent(Level.INTERNAL)
    assert agent.ask(request_).code == code
    assert agent.ask(wire.WellnessList()).notes == []


def test_a_list_tells_how_much_it_leaves_out(world: World) -> None:
    """Notes that one reply has no room for are counted, and no part of its mean."""
    agent = world.agent(Level.INTERNAL)
    for number in range(300):
        note(agent, "fine", sleep_hours=0.0 if number == 0 else 8.0, note="ख" * 1365)
        world.now += 1
    told = agent.ask(wire.WellnessList())
    assert len(msgspec.msgpack.encode(told)) < REPLY_BYTES * 1.1
    assert len(told.notes) + told.more == 300 and told.more > 0
    assert told.mean_sleep == 8.0
