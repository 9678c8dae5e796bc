"""How long a session is kept: from its last use, however long ago it began."""

from collections.abc import Iterator

import pytest
from memtrig import wire

from memtrigd.clockwork.housekeeping import SESSIONS_KEPT, UNSEEN
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY
from memtrigd.gate.doors import CONTROL, LEVEL_DOORS
from tests.serve.harness import Line, World, nursery
from tests.serve.histories import START

PUBLIC = LEVEL_DOORS[Level.PUBLIC]


@pytest.fixture(name="world")
def _world() -> Iterator[World]:
    """A daemon in memory with an empty store."""
    with nursery() as fresh, fresh.world(START) as world:
        yield world


def greeted(world: World, resume: str | None = None) -> tuple[Line, wire.Welcome]:
    """Begin a session, or go on with it."""
    line = world.connect(PUBLIC)
    welcome = line.ask(wire.Hello(protocol=wire.PROTOCOL, resume=resume))
    assert isinstance(welcome, wire.Welcome), welcome
    return line, welcome


def seen(world: World, session: str) -> int | None:
    """The day on which control.db has the session in use, None if it is not there any more."""
    row = world.rows.by_id(session)
    return None if row is None else (row.seen - START) // DAY


def test_a_session_that_nobody_uses_is_kept_as_long_as_promised(world: World) -> None:
    """Its token works to the last day; some time later it is unknown."""
    line, welcome = greeted(world)
    line.hang_up()
    world.now += SESSIONS_KEPT
    world.tidy()
    assert seen(world, welcome.session) == 0
    world.now += UNSEEN + 1
    world.tidy()
    assert seen(world, welcome.session) is None
    refused = world.connect(PUBLIC).ask(wire.Hello(protocol=wire.PROTOCOL, resume=welcome.resume))
    assert refused.code == "session_unknown"


def test_a_day_of_use_that_a_crash_kept_from_the_disk_does_not_count_against_it(world: World) -> None:
    """What is kept of its use may be a day old already when it goes unused."""
    line, welcome = greeted(world)
    line.hang_up()
    world.now += SESSIONS_KEPT + UNSEEN
    world.tidy()
    assert greeted(world, welcome.resume)[1].session == welcome.session


def test_use_is_noted_when_a_line_goes_and_when_one_comes_back(world: World) -> None:
    """A session is as old as its last use and not as its first."""
    line, welcome = greeted(world)
    world.now += 80 * DAY
    line.hang_up()
    assert seen(world, welcome.session) == 80
    world.now += 80 * DAY
    world.tidy()
    greeted(world, welcome.resume)
    assert seen(world, welcome.session) == 160


def test_use_of_a_handed_session_is_noted_when_it_comes_back(world: World) -> None:
    """The descriptors of a host count like sockets."""
    control = world.connect(CONTROL)
    welcome = control.ask(wire.SessionOpen(level="PUBLIC"))
    world.now += 80 * DAY
    assert control.ask(wire.SessionOpen(resume=welcome.resume)).session == welcome.session
    assert seen(world, welcome.session) == 80


def test_a_session_that_is_connected_is_never_old(world: World) -> None:
    """One line that stays for a year is use enough, also if the daemon then dies without a word."""
    _, welcome = greeted(world)
    world.now += 365 * DAY
    world.tidy()
    assert seen(world, welcome.session) == 365
