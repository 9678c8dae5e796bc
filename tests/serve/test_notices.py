"""Notices: what a connection that asked for it is told unasked, once, and by the level that its session has then."""

import time
from typing import Any

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.domain.recall import SOON
from memtrigd.gate.doors import CONTROL, LEVEL_DOORS
from memtrigd.serve.notices import TOPICS
from memtrigd.serve.subscriptions import AT_ONCE
from tests.conftest import Daemon
from tests.serve.asking import START
from tests.serve.harness import Line, World
from tests.talk import agent as greeted

PUBLIC, INTERNAL, CONFIDENTIAL = Level.PUBLIC, Level.INTERNAL, Level.CONFIDENTIAL


def subscribe(line: Line, *topics: str) -> list[wire.Notice]:
    """Subscribe, to everything if no topic is named; returns what holds already."""
    told = line.ask(wire.Subscribe(to=list(topics or TOPICS)))
    assert isinstance(told, wire.Subscribed), told
    return line.heard()


def promise(line: Line, text: str, at: int) -> str:
    """Promise something until a moment."""
    told = line.ask(wire.PromiseAdd(text=text, deadline=to_iso(at)))
    assert isinstance(told, wire.Promised), told
    return told.promise.id


def guess(line: Line, key: str) -> Any:
    """Save what waits for the user's yes."""
    saved = line.ask(wire.Save(key=key, content=f"perhaps {key}", source="self_inferred"))
    assert saved.status == "pending"
    return saved


def test_a_promise_is_told_when_its_time_comes_and_once(world: World) -> None:
    """With its text, which is of a level in sight; it is not told again until it is made open anew."""
    line = world.agent(INTERNAL)
    assert subscribe(line) == []
    for text in ("water the plants", "浇花", "रोपांना पाणी द्या"):
        promise(line, text, START + DAY)
    world.tick()
    assert line.heard() == []
    world.now = START + DAY
    world.tick()
    told = line.heard()
    assert {(each.about, each.level, each.text, each.at) for each in told} == {
        ("promise_due", "INTERNAL", text, to_iso(START + DAY))
        for text in ("water the plants", "浇花", "रोपांना पाणी द्या")
    }
    world.now += DAY
    world.tick()
    assert line.heard() == []
    done = told[0].id
    assert done is not None
    line.ask(wire.PromiseDone(id=done))
    world.tick()
    line.ask(wire.PromiseDone(id=done, undone=True))
    world.tick()
    assert [each.id for each in line.heard()] == [done]


def test_a_memory_is_told_three_days_before_its_end(world: World) -> None:
    """By its id; not sooner, not when it has ended, and not where another memory is served in its place."""
    line, above = world.agent(INTERNAL), world.agent(CONFIDENTIAL)
    ends = START + 10 * DAY
    saved = line.ask(wire.Save(key="ticket", content="The ticket is good for ten days", expires_at=to_iso(ends)))
    above.ask(wire.Save(key="ticket", content="The ticket was given back"))
    subscribe(line)
    assert subscribe(above) == []
    world.now = ends - SOON
    world.tick()
    assert line.heard() == []
    world.now = ends - SOON + 1
    world.tick()
    (told,) = line.heard()
    assert (told.about, told.id, told.at, told.text) == ("memory_expiring", saved.id, to_iso(ends), None)
    assert above.heard() == []
    world.now = ends
    assert subscribe(world.agent(INTERNAL)) == []


def test_what_holds_already_is_told_at_once_on_each_connection(world: World) -> None:
    """A client that comes back hears it again; one that asks for more topics hears only of those."""
    line = world.agent(INTERNAL)
    promise(line, "call the doctor", START + 1)
    guess(line, "a")
    world.now = START + 1
    assert [each.about for each in subscribe(line, "promise_due")] == ["promise_due"]
    assert [each.about for each in subscribe(line)] == ["proposal_waiting"]
    assert [each.about for each in subscribe(world.agent(INTERNAL))] == ["promise_due"]


def test_a_proposal_is_told_at_once_to_the_owner_and_its_own_session(world: World) -> None:
    """By a count of its level, without the text; another session hears nothing of it."""
    line, other, control = world.agent(INTERNAL), world.agent(INTERNAL), world.connect(CONTROL)
    for each in (line, other, control):
        assert subscribe(each, "proposal_waiting") == []
    guess(line, "a")
    (told,) = line.heard()
    assert (told.about, told.level, told.count, told.id, told.text) == ("proposal_waiting", "INTERNAL", 1, None, None)
    assert control.heard() == [told]
    guess(other, "b")
    assert [each.count for each in control.heard()] == [2]
    assert [each.count for each in other.heard()] == [1]
    assert line.heard() == []
    world.tick()
    assert [each.heard() for each in (line, other, control)] == [[], [], []]


def test_a_contradiction_is_told_as_a_proposal(world: World) -> None:
    """What contests a weightier word waits as well."""
    control, line = world.connect(CONTROL), world.agent(INTERNAL)
    control.ask(wire.Act(request=wire.Save(key="tea", content="no sugar"), level="internal"))
    subscribe(control, "proposal_waiting")
    line.ask(wire.Save(key="tea", content="two spoons of sugar"))
    assert [(each.level, each.count) for each in control.heard()] == [("INTERNAL", 1)]


def test_who_does_not_subscribe_or_no_more_is_told_nothing(world: World) -> None:
    """An empty list ends it."""
    silent, line = world.agent(INTERNAL), world.agent(INTERNAL)
    subscribe(line)
    assert subscribe(line, "promise_due") == []
    assert line.ask(wire.Subscribe(to=[])).to == []
    promise(line, "call", START + 1)
    guess(line, "a")
    world.now = START + 2
    world.tick()
    assert (line.heard(), silent.heard()) == ([], [])


def test_a_topic_that_there_is_not_is_refused_and_nobody_subscribes_before_hello(world: World) -> None:
    """The refusal names the topics; what was subscribed before stays."""
    line = world.agent(INTERNAL)
    subscribe(line, "promise_due")
    refused = line.ask(wire.Subscribe(to=["promise_due", "everything"]))
    assert refused.code == "bad_value" and all(topic in refused.hint for topic in TOPICS)
    promise(line, "call", START + 1)
    world.now = START + 2
    world.tick()
    assert len(line.heard()) == 1
    assert world.connect(LEVEL_DOORS[INTERNAL]).ask(wire.Subscribe(to=["promise_due"])).code == "hello_first"


def test_the_level_is_that_of_the_moment_of_telling(world: World) -> None:
    """A session that was raised after it subscribed hears of its new level; one that was not hears nothing of it."""
    control, low, high = world.connect(CONTROL), world.agent(PUBLIC), world.agent(CONFIDENTIAL)
    opened = control.ask(wire.SessionOpen(level="PUBLIC", ceiling="CONFIDENTIAL"))
    raised = world.handed
    assert raised is not None
    promise(high, "a secret", START + 1)
    world.now = START + 1
    assert subscribe(low) == subscribe(raised) == []
    control.ask(wire.SessionRaise(session=opened.session, level="CONFIDENTIAL", reason="it opened the letters"))
    world.tick()
    assert [each.text for each in raised.heard()] == ["a secret"]
    assert low.heard() == []


@pytest.mark.parametrize("with_acts_above", [False, True])
def test_acts_above_change_no_notice_below(world: World, with_acts_above: bool) -> None:
    """Non-interference: not which notices come, not when, not in which order, not what they say."""
    low, high, control = world.agent(PUBLIC), world.agent(CONFIDENTIAL), world.connect(CONTROL)
    told = [subscribe(low)]
    subscribe(high)
    subscribe(control)
    low_ones = [promise(low, f"low {n}", START + n) for n in range(3)]
    low.ask(wire.Save(key="ends", content="It ends", expires_at=to_iso(START + DAY)))
    if with_acts_above:
        for n in range(2 * AT_ONCE):
            promise(high, f"high {n}", START + n)
        high.ask(wire.Save(key="ends", content="It does not"))
        high.ask(wire.PromiseDone(id=low_ones[1]))
        guess(high, "g")
    told.append(low.heard())
    world.now = START + 1
    if with_acts_above:
        guess(high, "h")
    told.append(low.heard())
    world.tick()
    told.append(low.heard())
    world.now = START + 5
    world.tick()
    told.append(low.heard())
    seen = [[(each.about, each.level, each.at, each.text, each.count) for each in some] for some in told]
    assert seen == [
        [],
        [],
        [],
        [
            ("promise_due", "PUBLIC", to_iso(START), "low 0", 1),
            ("promise_due", "PUBLIC", to_iso(START + 1), "low 1", 1),
            ("memory_expiring", "PUBLIC", to_iso(START + DAY), None, 1),
        ],
        [("promise_due", "PUBLIC", to_iso(START + 2), "low 2", 1)],
    ]


def test_many_are_told_in_one_go(world: World) -> None:
    """More than one look tells: none is lost or told twice."""
    line = world.agent(INTERNAL)
    ids = {promise(line, f"p{n}", START) for n in range(2 * AT_ONCE + 5)}
    told = [each.id for each in subscribe(line)]
    assert len(told) == len(ids) and set(told) == ids


def test_who_does_not_read_is_told_later_what_still_holds(world: World) -> None:
    """Nothing piles up for it; when it reads again it misses nothing that still holds."""
    line = world.agent(INTERNAL)
    subscribe(line)
    first, second = promise(line, "one", START + 1), promise(line, "two", START + 1)
    world.now = START + 1
    line.connection.pause_writing()
    for _ in range(3):
        world.tick()
    assert line.heard() == []
    line.connection.resume_writing()
    line.ask(wire.PromiseDone(id=first))
    world.tick()
    assert [each.id for each in line.heard()] == [second]


def test_a_connection_that_is_gone_is_forgotten(world: World) -> None:
    """Nobody looks for it any more."""
    line, control = world.agent(INTERNAL), world.connect(CONTROL)
    subscribe(line)
    subscribe(control)
    session = line.ask(wire.Whoami()).session
    control.ask(wire.SessionEnd(session=session))
    world.tick()
    line.hang_up()
    world.tick()
    guess(world.agent(INTERNAL), "g")
    assert len(control.heard()) == 1


def test_notices_come_between_pipelined_answers_of_a_real_daemon(shared_daemon: Daemon) -> None:
    """A notice has the id 0 and no result; every answer still comes under its own id."""
    with greeted(shared_daemon, "internal", agent="teller") as line:
        line.ask(wire.Subscribe(to=["proposal_waiting"]), wire.Subscribed)
        sent = line.send(
            *[wire.Save(key=f"n{n}", content=f"perhaps {n}", source="self_inferred") for n in range(5)],
            *[wire.Ping() for _ in range(5)],
        )
        answered, told = [], list[wire.Notice]()
        line.socket.settimeout(5)
        until = time.monotonic() + 5
        while (len(answered) < len(sent) or not told or told[-1].count < 5) and time.monotonic() < until:
            try:
                answer = line.answer()
            except TimeoutError:
                break
            if isinstance(answer.notice, wire.Notice):
                assert answer.id == 0 and not isinstance(answer.result, wire.Result)
                told.append(answer.notice)
            else:
                answered.append(answer.id)
    assert sorted(answered) == sent
    assert told[-1].count == 5 and {each.level for each in told} == {"INTERNAL"}
