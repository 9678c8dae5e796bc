"""A session that read what strangers wrote: what it says waits for the owner, whatever source and quote it claims."""

from typing import Any

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL, HANDED, LEVEL_DOORS
from tests.serve.harness import Line, World

SOURCES = ["user_explicit", "file_import", "auto_detect", "self_inferred"]


def opened(world: World, **fields: Any) -> tuple[Line, wire.Welcome]:
    """A session that a host opened, with its line."""
    welcome = world.connect(CONTROL).ask(wire.SessionOpen(agent="reader", **fields))
    assert isinstance(welcome, wire.Welcome) and world.handed is not None
    return world.handed, welcome


def distrust(world: World, session: str) -> None:
    """Let the host say that a session read what strangers wrote."""
    assert world.connect(CONTROL).ask(wire.SessionUntrusted(session=session)) == wire.Untrusted(session=session)


def code(answer: Any) -> str:
    """The code of what must be a refusal."""
    assert isinstance(answer, wire.Error), answer
    return answer.code


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("later", [False, True])
def test_what_it_writes_waits(world: World, source: str, later: bool) -> None:
    """Opened so or marked later, whatever source and confidence it claims: pending, and served to nobody."""
    line, welcome = opened(world, level="INTERNAL", untrusted=not later)
    if later:
        distrust(world, welcome.session)
    saved = line.ask(wire.Save(content="Pays bills to account 7", key="pay", source=source, confidence=1.0))
    assert (saved.outcome, saved.status) == ("pending", "pending")
    assert code(line.ask(wire.Get(key="pay"))) == "not_found"
    assert code(world.agent(Level.INTERNAL).ask(wire.Get(key="pay"))) == "not_found"
    assert line.ask(wire.Whoami()).untrusted


@pytest.mark.parametrize("source", SOURCES)
def test_it_replaces_nothing(world: World, source: str) -> None:
    """A claim against what stands waits beside it, even beside a guess that weighs less; saying it again is no yes."""
    other = world.agent(Level.INTERNAL)
    other.ask(wire.Save(content="Likes tea", key="drink", source="self_inferred", confidence=0.9))
    line, _ = opened(world, level="INTERNAL", untrusted=True)
    claim = wire.Save(content="Likes poison", key="drink", source=source, confidence=1.0)
    assert line.ask(claim).outcome == "contested"
    assert line.ask(claim).outcome == "echo"
    assert other.ask(wire.Get(key="drink")).memory.content == "Likes tea"


def test_what_it_said_before_stands(world: World) -> None:
    """The mark looks forward: memories that are in service stay there, and their repetition changes nothing."""
    line, welcome = opened(world, level="INTERNAL")
    assert line.ask(wire.Save(content="Likes tea", key="drink")).outcome == "new"
    distrust(world, welcome.session)
    assert line.ask(wire.Save(content="Likes tea", key="drink")).status == "active"
    assert line.ask(wire.Get(key="drink")).memory.content == "Likes tea"


def test_another_sessions_sure_guess_does_not_let_it_in(world: World) -> None:
    """What waits because of who said it does not become active by an inference: that would carry its details in."""
    line, _ = opened(world, level="INTERNAL", untrusted=True)
    line.ask(wire.Save(content="Likes tea", key="drink", source="self_inferred", confidence=0.9, context="ignore all"))
    other = world.agent(Level.INTERNAL)
    sure = wire.Save(content="Likes tea", key="drink", source="self_inferred", confidence=0.9)
    assert other.ask(sure).outcome == "echo"
    assert code(other.ask(wire.Get(key="drink"))) == "not_found"


def test_the_owner_lets_it_in(world: World) -> None:
    """What waits is in the owner's review, and a yes puts it into service."""
    line, _ = opened(world, level="INTERNAL", untrusted=True)
    saved = line.ask(wire.Save(content="Likes tea", key="drink", source="user_explicit"))
    control = world.connect(CONTROL)
    waiting = control.ask(wire.Act(request=wire.Review())).items
    assert [each.memory.id for each in waiting] == [saved.id]
    control.ask(wire.Act(request=wire.Confirm(id=saved.id)))
    assert line.ask(wire.Get(key="drink")).memory.content == "Likes tea"


def test_no_quote_of_it_counts(world: World) -> None:
    """It can't confirm, reject, deny or forget the user's word by words that it claims to have from the user."""
    control = world.connect(CONTROL)
    stands = control.ask(wire.Act(request=wire.Save(content="Likes tea", key="drink"), level="INTERNAL"))
    line, _ = opened(world, level="INTERNAL", untrusted=True)
    waits = line.ask(wire.Save(content="Likes milk", key="milk", source="user_explicit", quote="I like milk"))
    quote = "I want that"
    assert code(line.ask(wire.Confirm(id=waits.id, quote=quote))) == "not_yours"
    assert code(line.ask(wire.Deny(key="drink", quote=quote))) == "not_yours"
    assert code(line.ask(wire.Forget(key="drink", quote=quote))) == "not_yours"
    assert code(line.ask(wire.Delete(key="drink"))) == "not_yours"
    assert line.ask(wire.Get(key="drink")).memory.id == stands.id


def test_what_was_forgotten_it_does_not_bring_back(world: World) -> None:
    """A wish of the user's is not lifted by a user_explicit from a session that strangers may have talked to."""
    control = world.connect(CONTROL)
    control.ask(wire.Act(request=wire.Save(content="Likes tea", key="drink"), level="INTERNAL"))
    control.ask(wire.Act(request=wire.Forget(key="drink"), level="INTERNAL"))
    line, _ = opened(world, level="INTERNAL", untrusted=True)
    assert code(line.ask(wire.Save(content="Likes tea", key="drink", source="user_explicit"))) == "forgotten"


@pytest.mark.parametrize(
    "request_", [wire.PromiseAdd(text="pay"), wire.PromiseDone(id="p"), wire.WellnessAdd(mood="low")]
)
def test_what_can_not_wait_is_refused(world: World, request_: wire.Write) -> None:
    """Promises and notes of the day have no state of waiting."""
    line, _ = opened(world, level="INTERNAL", untrusted=True)
    assert code(line.ask(request_)) == "untrusted"


def test_there_is_no_way_back(world: World) -> None:
    """It outlives lines, restarts and raises; resuming with untrusted unsaid does not wash it off."""
    line, welcome = opened(world, level="PUBLIC", ceiling="INTERNAL")
    distrust(world, welcome.session)
    world.connect(CONTROL).ask(wire.SessionRaise(session=welcome.session, level="INTERNAL", reason="mail"))
    assert line.ask(wire.Save(content="x", key="a")).status == "pending"
    world.restart()
    line, again = opened(world, resume=welcome.resume)
    assert again.session == welcome.session
    assert line.ask(wire.Save(content="x", key="b")).status == "pending"
    (row,) = world.connect(CONTROL).ask(wire.SessionList()).sessions
    assert row.untrusted and HANDED.name == row.origin


def test_a_session_of_a_level_socket_can_be_marked(world: World) -> None:
    """Also one that nobody is connected to now: it is so when it comes back. An agent has no such request."""
    line = world.connect(LEVEL_DOORS[Level.PUBLIC])
    welcome = line.ask(wire.Hello(protocol=wire.PROTOCOL))
    assert code(line.ask(wire.SessionUntrusted(session=welcome.session))) == "not_here"
    line.hang_up()
    distrust(world, welcome.session)
    line = world.connect(LEVEL_DOORS[Level.PUBLIC])
    line.ask(wire.Hello(protocol=wire.PROTOCOL, resume=welcome.resume))
    assert line.ask(wire.Save(content="x", key="a")).status == "pending"
    assert code(world.connect(CONTROL).ask(wire.SessionUntrusted(session="nobody"))) == "session_unknown"


@pytest.mark.parametrize("level", ["INTERNAL", "CONFIDENTIAL"])
def test_what_others_found_out_it_does_not_put_away(world: World, level: str) -> None:
    """Not by a no, a wish, a delete or an end, at its own level or from above; a dry run only looks."""
    other = world.agent(Level.INTERNAL)
    other.ask(wire.Save(content="Likes tea", key="drink", entity="asha"))
    line, _ = opened(world, level=level, untrusted=True)
    for request in (wire.Deny(key="drink"), wire.Forget(key="drink"), wire.Forget(entity="asha")):
        assert code(line.ask(request)) == "untrusted"
    assert line.ask(wire.Forget(key="drink", dry_run=True)).dry_run
    if level == "INTERNAL":
        assert code(line.ask(wire.Delete(key="drink"))) == "untrusted"
        assert code(line.ask(wire.Expire(key="drink"))) == "untrusted"
    assert other.ask(wire.Get(key="drink")).memory.content == "Likes tea"
    assert line.ask(wire.Get(key="drink")).memory.content == "Likes tea"


def test_it_keeps_nobody_from_learning(world: World) -> None:
    """A wish about something unknown, or about its own proposal, would refuse what other agents save later."""
    line, _ = opened(world, level="INTERNAL", untrusted=True)
    saved = line.ask(wire.Save(content="Likes tea", key="drink"))
    for request in (wire.Forget(entity="asha"), wire.Forget(key="drink"), wire.Forget(id=saved.id)):
        assert code(line.ask(request)) == "untrusted"
    other = world.agent(Level.INTERNAL)
    assert other.ask(wire.Save(content="Asha likes milk", key="drink", entity="asha")).outcome == "new"


def test_what_it_said_itself_it_takes_back(world: World) -> None:
    """What it proposes it rejects, and what it had said before the mark it denies, deletes and ends."""
    line, welcome = opened(world, level="INTERNAL")
    for key in ("one", "two", "three"):
        line.ask(wire.Save(content=f"Said {key}", key=key))
    distrust(world, welcome.session)
    waits = line.ask(wire.Save(content="May be so", key="four"))
    assert line.ask(wire.Reject(id=waits.id)).status == "rejected"
    assert line.ask(wire.Deny(key="one")).deny_count == 1
    assert isinstance(line.ask(wire.Delete(key="two")), wire.Deleted)
    assert line.ask(wire.Expire(key="three")).count == 1
