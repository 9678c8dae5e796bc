"""Promises in a daemon: who sees and closes them, at which level, and how many fit a reply."""

from typing import Any

import msgspec
import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, to_iso
from memtrigd.gate.doors import CONTROL
from memtrigd.serve.records import REPLY_BYTES
from tests.serve.harness import Line, World
from tests.serve.histories import START

HOUR = DAY // 24


def add(line: Line, text: str, **fields: Any) -> wire.Promise:
    """Promise something."""
    return done(line.ask(wire.PromiseAdd(text=text, **fields)))


def done(answer: Any) -> wire.Promise:
    """The promise of an answer that must be one."""
    assert isinstance(answer, wire.Promised), answer
    return answer.promise


def texts(line: Line, **asked: Any) -> list[str]:
    """The promises that are listed, in order."""
    return [promise.text for promise in line.ask(wire.PromiseList(**asked)).promises]


def act(owner: Line, request: wire.OwnerData, level: str | None = None) -> Any:
    """Let the owner act."""
    return owner.ask(wire.Act(request=request, level=level))


def journal(world: World, level: Level) -> int:
    """How many rows a level's journal has."""
    return world.handles[level].journal_end()[0]


def test_promises_are_told_the_next_due_first(world: World) -> None:
    """Then the undated, by age; what was kept only on request, and last. In whatever script."""
    agent = world.agent(Level.INTERNAL)
    add(agent, "call the clinic")
    world.now += 1
    add(agent, "带药回家", deadline=to_iso(START + 2 * DAY))
    add(agent, "आईला फोन करणे", deadline=to_iso(START + DAY), entity="आई")
    kept = add(agent, "water the fig")
    agent.ask(wire.PromiseDone(id=kept.id))
    assert texts(agent) == ["आईला फोन करणे", "带药回家", "call the clinic"]
    assert texts(agent, all=True) == ["आईला फोन करणे", "带药回家", "call the clinic", "water the fig"]
    assert agent.ask(wire.PromiseList()).promises[0].entity == "आई"


def test_a_promise_falls_due(world: World) -> None:
    """At its deadline it is due, and counted as unfulfilled until it is kept; a check looks ahead as far as asked."""
    agent = world.agent(Level.INTERNAL)
    promise = add(agent, "send the form", deadline=to_iso(START + HOUR))
    add(agent, "some day")
    assert promise.status == "open"
    assert agent.ask(wire.PromiseCheck()).promises == []
    assert [each.id for each in agent.ask(wire.PromiseCheck(within_hours=1.0)).promises] == [promise.id]
    assert agent.ask(wire.PromiseList()).unfulfilled == 0
    world.now = START + HOUR
    (due,) = agent.ask(wire.PromiseCheck()).promises
    assert (due.id, due.status) == (promise.id, "due")
    assert agent.ask(wire.PromiseList()).unfulfilled == agent.ask(wire.PromiseCheck()).unfulfilled == 1
    agent.ask(wire.PromiseDone(id=promise.id))
    assert agent.ask(wire.PromiseCheck(within_hours=8760.0)).promises == []
    assert agent.ask(wire.PromiseList()).unfulfilled == 0


def test_done_twice_is_done_once(world: World) -> None:
    """The second time is answered like the first and leaves no trace; undone opens it, and that only once too."""
    agent = world.agent(Level.INTERNAL)
    promise = add(agent, "send the form")
    assert done(agent.ask(wire.PromiseDone(id=promise.id, undone=True))).status == "open"
    first = agent.ask(wire.PromiseDone(id=promise.id))
    assert (done(first).status, done(first).done_at) == ("done", to_iso(START))
    before = journal(world, Level.INTERNAL)
    world.now += DAY
    assert agent.ask(wire.PromiseDone(id=promise.id)) == first
    assert journal(world, Level.INTERNAL) == before
    again = done(agent.ask(wire.PromiseDone(id=promise.id, undone=True)))
    assert (again.status, again.done_at) == ("open", None)
    assert texts(agent) == ["send the form"]


def test_a_level_closes_a_lower_promise_for_itself(world: World) -> None:
    """Readers below still see it open, those above see it done; opened again it is open for all."""
    low, high, top = map(world.agent, (Level.PUBLIC, Level.CONFIDENTIAL, Level.RESTRICTED))
    promise = add(low, "send the form", deadline=to_iso(START))
    before = journal(world, Level.PUBLIC)
    assert done(high.ask(wire.PromiseDone(id=promise.id))).status == "done"
    seen = [(texts(line), line.ask(wire.PromiseList()).unfulfilled) for line in (low, high, top)]
    assert seen == [(["send the form"], 1), ([], 0), ([], 0)]
    assert texts(top, all=True) == ["send the form"]
    assert journal(world, Level.PUBLIC) == before
    assert done(high.ask(wire.PromiseDone(id=promise.id, undone=True))).status == "due"
    assert [texts(line) for line in (low, high, top)] == [["send the form"]] * 3
    assert done(high.ask(wire.PromiseDone(id=promise.id))).status == "done"


def test_no_level_opens_what_a_lower_one_closed(world: World) -> None:
    """It is told so, and nothing is written."""
    low, high = world.agent(Level.PUBLIC), world.agent(Level.CONFIDENTIAL)
    promise = add(low, "send the form")
    low.ask(wire.PromiseDone(id=promise.id))
    before = journal(world, Level.CONFIDENTIAL)
    assert high.ask(wire.PromiseDone(id=promise.id, undone=True)).code == "not_yours"
    assert texts(high) == texts(low) == []
    assert journal(world, Level.CONFIDENTIAL) == before


def test_nothing_above_shows_below(world: World) -> None:
    """Not in lists, counts or ``more``, and an id from above is as unknown as any."""
    low, high = world.agent(Level.PUBLIC), world.agent(Level.RESTRICTED)
    add(low, "low promise")
    told = [low.send(wire.call(1, each)) for each in (wire.PromiseList(limit=1), wire.PromiseCheck())]
    secret = add(high, "high promise", deadline=to_iso(START))
    assert [low.send(wire.call(1, each)) for each in (wire.PromiseList(limit=1), wire.PromiseCheck())] == told
    unknown = [low.ask(wire.PromiseDone(id=each)) for each in (secret.id, "mnowhere")]
    assert unknown[0] == unknown[1] and unknown[0].code == "not_found"
    assert high.ask(wire.PromiseList()).unfulfilled == 1


def test_the_owner_closes_and_opens_a_promise_where_it_is(world: World) -> None:
    """By its id alone: at its level; to open one, at the highest level that closed it, until it is open for all."""
    owner, low, high = world.connect(CONTROL), world.agent(Level.PUBLIC), world.agent(Level.CONFIDENTIAL)
    promise = add(low, "send the form")
    assert done(act(owner, wire.PromiseDone(id=promise.id))).level == "PUBLIC"
    assert texts(low) == []
    act(owner, wire.PromiseDone(id=promise.id, undone=True))
    high.ask(wire.PromiseDone(id=promise.id))
    low.ask(wire.PromiseDone(id=promise.id))
    assert done(act(owner, wire.PromiseDone(id=promise.id, undone=True))).status == "done"
    assert done(act(owner, wire.PromiseDone(id=promise.id, undone=True))).status == "open"
    assert texts(low) == texts(high) == ["send the form"]
    assert act(owner, wire.PromiseAdd(text="the owner's")).promise.level == "INTERNAL"


def test_a_project_keeps_its_promises_to_itself(world: World) -> None:
    """A space sees its own and the shared ones; the owner sees all, with no memory saved in any of them."""
    here, there, shared = (world.agent(Level.INTERNAL, space) for space in ("attic", "cellar", None))
    promise = add(here, "in the attic")
    add(shared, "for all")
    assert texts(here) == ["in the attic", "for all"]
    assert texts(there) == texts(shared) == ["for all"]
    assert there.ask(wire.PromiseDone(id=promise.id)).code == "not_found"
    listed = act(world.connect(CONTROL), wire.PromiseList()).promises
    assert sorted(each.text for each in listed) == ["for all", "in the attic"]


def test_a_timer_may_promise(world: World) -> None:
    """Nobody is there whom it could quote, but a promise is its own."""
    opened = world.connect(CONTROL).ask(wire.SessionOpen(agent="timer", level="INTERNAL", unattended=True))
    assert isinstance(opened, wire.Welcome) and world.handed is not None
    promise = add(world.handed, "ring at eight")
    assert (promise.agent, promise.session) == ("timer", opened.session)


def test_a_retry_is_no_second_promise(world: World) -> None:
    """The same idempotency key is answered with the first promise."""
    agent = world.agent(Level.INTERNAL)
    request = wire.PromiseAdd(text="send the form", idempotency_key="k1")
    assert agent.ask(request) == agent.ask(request)
    assert texts(agent) == ["send the form"]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (wire.PromiseAdd(text=" \u200b "), "bad_value"),
        (wire.PromiseAdd(text="x" * 4097), "too_large"),
        (wire.PromiseAdd(text="x", deadline="soon"), "bad_time"),
        (wire.PromiseAdd(text="x", entity=" "), "bad_value"),
        (wire.PromiseDone(id="mnowhere"), "not_found"),
        (wire.PromiseList(limit=0), "bad_value"),
        (wire.PromiseList(limit=501), "bad_value"),
        (wire.PromiseCheck(within_hours=-1.0), "bad_value"),
        (wire.PromiseCheck(within_hours=float("nan")), "bad_value"),
        (wire.PromiseCheck(within_hours=8761.0), "bad_value"),
    ],
)
def test_what_is_refused(world: World, request_: wire.Request, code: str) -> None:
    """With its code, and nothing is kept."""
    agent = world.agent(Level.INTERNAL)
    before = journal(world, Level.INTERNAL)
    assert agent.ask(request_).code == code
    assert journal(world, Level.INTERNAL) == before


def test_a_list_tells_how_much_it_leaves_out(world: World) -> None:
    """By the limit, and by what one reply has room for."""
    agent = world.agent(Level.INTERNAL)
    for number in range(300):
        add(agent, f"{number} " + "क" * 1360, deadline=to_iso(START))
    short = agent.ask(wire.PromiseList(limit=2))
    assert (len(short.promises), short.more, short.unfulfilled) == (2, 298, 300)
    for request in (wire.PromiseList(limit=500), wire.PromiseCheck()):
        long = agent.ask(request)
        assert 200 < len(long.promises) < 300
        assert len(long.promises) + long.more == long.unfulfilled == 300
        assert len(msgspec.msgpack.encode(long)) < REPLY_BYTES * 1.1


def test_undo_takes_a_sessions_promises_and_notes_back(world: World) -> None:
    """What it promised and noted is listed no more, and what it closed is open; others' work stays. First on trial."""
    owner, agent, other = world.connect(CONTROL), world.agent(Level.INTERNAL), world.agent(Level.INTERNAL)
    below = add(world.agent(Level.PUBLIC), "below")
    world.now += 1
    theirs = add(other, "theirs")
    add(agent, "mine")
    mine = add(agent, "mine, kept by another")
    agent.ask(wire.WellnessAdd(mood="累"))
    other.ask(wire.WellnessAdd(mood="थकलेली"))
    agent.ask(wire.PromiseDone(id=theirs.id))
    agent.ask(wire.PromiseDone(id=below.id))
    other.ask(wire.PromiseDone(id=mine.id))
    session = agent.ask(wire.Whoami()).session
    tried = act(owner, wire.Undo(session=session, dry_run=True))
    assert texts(other) == ["mine"]
    undone = act(owner, wire.Undo(session=session))
    assert (tried.entries, undone.entries, undone.memories) == (4, 4, [])
    assert texts(other) == ["below", "theirs"]
    assert texts(other, all=True) == ["below", "theirs", "mine, kept by another"]
    assert [note.mood for note in other.ask(wire.WellnessList()).notes] == ["थकलेली"]
    assert act(owner, wire.Undo(session=session)).code == "not_found"


def test_the_owner_finds_a_promise_that_was_taken_back(world: World) -> None:
    """It is kept, not gone: opened by its id it is one again; an agent does not find it."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    promise = add(agent, "mine")
    act(owner, wire.Undo(session=agent.ask(wire.Whoami()).session))
    assert agent.ask(wire.PromiseDone(id=promise.id, undone=True)).code == "not_found"
    assert done(act(owner, wire.PromiseDone(id=promise.id, undone=True))).status == "open"
    assert texts(agent) == ["mine"]


def test_what_several_agents_hear_promised_is_one_promise(world: World) -> None:
    """Of the same words, about the same, until the same time or unsaid; once it is kept the words promise anew."""
    one, other = world.agent(Level.INTERNAL), world.agent(Level.INTERNAL)
    due = to_iso(START + DAY)
    first = add(one, "उद्या फोन करेन", deadline=due)
    for text in ("उद्या फोन करेन", "उद्या फोन करेन।"):
        assert add(other, text).id == add(other, text, deadline=due).id == first.id
    assert add(other, "उद्या फोन करेन", deadline=to_iso(START + 2 * DAY)).id != first.id
    assert add(other, "उद्या फोन करेन", entity="Asha").id != first.id
    one.ask(wire.PromiseDone(id=first.id))
    assert add(other, "उद्या फोन करेन", deadline=due).id != first.id
