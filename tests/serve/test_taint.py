"""Taint: a session's level is looked up at every request, on every connection, and is on disk before it is told."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL, HANDED, LEVEL_DOORS
from memtrigd.gate.sessions import Labels, Sessions
from memtrigd.serve.dispatch import Reply, Writers
from memtrigd.serve.greeting import Greeting
from memtrigd.store.interface import Hands
from memtrigd.store.lanes import stopping
from memtrigd.store.vault import Vault
from memtrigd.store.writer import WriterLane
from tests.serve.harness import CountedIds, Line, World


class Dying:
    """A writer that dies before it comes to control.db."""

    def __init__(self, writers: Writers) -> None:
        self._writers = writers

    def submit(self, level: Level | None, run: Callable[[Hands], Any], done: Callable[[Any], None]) -> None:
        """Write the files of levels only."""
        done(stopping()) if level is None else self._writers.submit(level, run, done)


def _opened(control: Line, world: World) -> tuple[Line, wire.Welcome]:
    welcome = control.ask(wire.SessionOpen(level="PUBLIC", ceiling="RESTRICTED"))
    assert world.handed is not None
    return world.handed, welcome


def _raise(control: Line, session: str) -> None:
    raised = control.ask(wire.SessionRaise(session=session, level="CONFIDENTIAL", reason="it read a letter"))
    assert raised.level == "CONFIDENTIAL"


def test_a_raise_reaches_every_connection_of_the_session(world: World) -> None:
    """Connections from before the raise and after it write at the new level, also those that have spoken already."""
    control = world.connect(CONTROL)
    first, welcome = _opened(control, world)
    control.ask(wire.SessionOpen(resume=welcome.resume))
    second = world.handed
    assert second is not None
    assert [line.ask(wire.Save(content="before")).level for line in (first, second)] == ["PUBLIC"] * 2
    _raise(control, welcome.session)
    control.ask(wire.SessionOpen(resume=welcome.resume))
    third = world.handed
    assert third is not None
    for line in (first, second, third):
        assert line.ask(wire.Save(content="after")).level == "CONFIDENTIAL"
        assert line.ask(wire.Whoami()).reads == ["CONFIDENTIAL", "INTERNAL", "PUBLIC"]


def test_dropping_the_line_washes_nothing_off(world: World) -> None:
    """A session whose connections are all gone comes back at the level to which it was raised while it was away."""
    control = world.connect(CONTROL)
    line, welcome = _opened(control, world)
    line.hang_up()
    _raise(control, welcome.session)
    assert control.ask(wire.SessionOpen(resume=welcome.resume)).level == "CONFIDENTIAL"
    assert world.handed is not None
    assert world.handed.ask(wire.Save(content="later")).level == "CONFIDENTIAL"


@pytest.mark.parametrize("level", Level)
def test_a_token_of_a_raised_session_opens_no_socket(world: World, level: Level) -> None:
    """The token of a handed session is unknown at every level's socket, or that socket would not tell the level."""
    control = world.connect(CONTROL)
    _, welcome = _opened(control, world)
    _raise(control, welcome.session)
    error = world.connect(LEVEL_DOORS[level]).ask(wire.Hello(protocol=wire.PROTOCOL, resume=welcome.resume))
    assert error.code == "session_unknown"


def test_a_raise_is_neither_told_nor_in_force_before_it_is_on_disk(tmp_path: Path) -> None:
    """While the writer has not come to it nobody hears of the raise; then another handle finds it in control.db."""
    replies: list[Reply] = []
    heard = threading.Event()
    with Vault.open(tmp_path / "state") as vault:
        rows = vault.control_reader()
        lane = WriterLane(vault, lambda outcomes: [done(outcome) for done, outcome in outcomes] and None, pytest.fail)
        sessions = Sessions(CountedIds(), rows.by_token)
        row, _ = sessions.mint(HANDED, Labels(), Level.PUBLIC, Level.RESTRICTED, 1)
        sessions.attach(row, None, lambda: None)
        lane.submit(None, lambda hands: hands.control.add(row), lambda outcome: None)
        greeting = Greeting(sessions, rows, lane, lambda: 2, lambda ours, row, peer: None)
        order = wire.SessionRaise(session=row.id, level="RESTRICTED", reason="it read a letter")

        def told(reply: Reply) -> None:
            kept = vault.control_reader().by_id(row.id)
            assert kept is not None
            assert kept.level is Level.RESTRICTED
            replies.append(reply)
            heard.set()

        greeting.raise_(order, told)
        assert (replies, sessions.current(row.id).level) == ([], Level.PUBLIC)
        lane.start()
        assert heard.wait(20)
        lane.stop()
        assert [reply.result for reply in replies] == [wire.Raised(session=row.id, level="RESTRICTED")]
        assert sessions.current(row.id).level is Level.RESTRICTED


def test_a_daemon_that_dies_within_a_raise_keeps_the_reason_and_not_the_level(tmp_path: Path) -> None:
    """No session is ever at a level without the reason for it: that one is written first."""
    replies: list[Reply] = []
    with Vault.open(tmp_path / "state") as vault:
        rows = vault.control_reader()
        lane = WriterLane(vault, lambda outcomes: [done(outcome) for done, outcome in outcomes] and None, pytest.fail)
        sessions = Sessions(CountedIds(), rows.by_token)
        row, _ = sessions.mint(HANDED, Labels(), Level.PUBLIC, Level.RESTRICTED, 1)
        sessions.attach(row, None, lambda: None)
        lane.submit(None, lambda hands: hands.control.add(row), lambda outcome: None)
        greeting = Greeting(sessions, rows, Dying(lane), lambda: 2, lambda ours, row, peer: None)
        order = wire.SessionRaise(session=row.id, level="RESTRICTED", reason="it read a letter")
        greeting.raise_(order, replies.append)
        lane.start()
        lane.stop()
        kept = rows.by_id(row.id)
        assert [getattr(reply.error, "code", None) for reply in replies] == ["stopping"]
        assert kept is not None
        assert (kept.level, sessions.current(row.id).level) == (Level.PUBLIC, Level.PUBLIC)
    with closing(sqlite3.connect(tmp_path / "state/restricted.db")) as database:
        assert database.execute("SELECT reason FROM event").fetchall() == [("it read a letter",)]
