"""A real daemon goes back to a backup, and agents go on."""

import os
import signal
import time

import memtrig
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent, dial

pytestmark = pytest.mark.slow


def test_a_level_goes_back_while_an_agent_waits_at_the_door(daemon: Daemon) -> None:
    """The answer comes first; whoever connects meanwhile waits; the pid stays; going back again is possible."""
    pid = daemon.pid
    with dial(daemon, "control") as control, agent(daemon) as line:
        line.ask(wire.Save(key="tea", content="no sugar"), wire.Saved)
        name = control.ask(wire.BackupNow(), wire.BackedUp).backup.name
        line.ask(wire.Save(key="tea", content="two spoons"), wire.Saved)
        told = control.ask(wire.Restore(name=name, level="internal"), wire.Restored)
        assert told.restarting and told.levels == ["INTERNAL"]
        with memtrig.connect("internal", home=str(daemon.home)) as memory:
            got = memory.get("tea")
            assert got is not None and got.content == "no sugar"
        assert control.ended()
    with dial(daemon, "control") as control:
        assert control.ask(wire.GetStatus(), wire.StatusReport).pid == pid
        control.ask(wire.Restore(name=told.safety), wire.Restored)
    with agent(daemon) as line:
        assert line.ask(wire.Get(key="tea"), wire.Got).memory.content == "two spoons"
    assert daemon.stop() == 0
    daemon.start()


def test_a_torn_level_is_refused_names_its_backup_and_comes_back(daemon: Daemon) -> None:
    """BR-013: nothing is made over it; status names the newest backup and the command; that command heals it."""
    with dial(daemon, "control") as control, agent(daemon) as line:
        line.ask(wire.Save(key="tea", content="no sugar"), wire.Saved)
        name = control.ask(wire.BackupNow(), wire.BackedUp).backup.name
    daemon.stop()
    path = daemon.home / "state" / "internal.db"
    with path.open("r+b") as file:
        file.write(bytes(64))
    daemon.start()
    with dial(daemon, "control") as control:
        levels = control.ask(wire.GetStatus(), wire.StatusReport).levels
        reason = {each.level: each.reason for each in levels}["INTERNAL"]
        assert reason is not None and f"memtrigctl restore {name} --level internal" in reason
        assert path.read_bytes()[:64] == bytes(64)
        control.ask(wire.Restore(name=name, level="INTERNAL"), wire.Restored)
    with agent(daemon) as line:
        assert line.ask(wire.Get(key="tea"), wire.Got).memory.content == "no sugar"


def test_a_session_does_not_fall_with_a_restore(daemon: Daemon) -> None:
    """What was raised since the backup stays raised, by its token too."""
    with dial(daemon, "control") as control:
        control.send(wire.SessionOpen(level="PUBLIC", ceiling="RESTRICTED"))
        time.sleep(0.2)
    with dial(daemon, "control") as control:
        (session,) = control.ask(wire.SessionList(all=True), wire.Sessions).sessions
        control.ask(wire.BackupNow(), wire.BackedUp)
        control.ask(wire.SessionRaise(session=session.session, level="RESTRICTED", reason="read it"), wire.Raised)
        control.ask(wire.Restore(), wire.Restored)
    with dial(daemon, "control") as control:
        (session,) = control.ask(wire.SessionList(all=True), wire.Sessions).sessions
        assert session.level == "RESTRICTED"


def test_killed_right_after_the_answer_it_is_finished_at_the_next_start(daemon: Daemon) -> None:
    """Whether or not the swap had begun."""
    with dial(daemon, "control") as control, agent(daemon) as line:
        line.ask(wire.Save(key="tea", content="no sugar"), wire.Saved)
        control.ask(wire.BackupNow(), wire.BackedUp)
        line.ask(wire.Save(key="tea", content="two spoons"), wire.Saved)
        control.ask(wire.Restore(), wire.Restored)
        os.kill(daemon.pid, signal.SIGKILL)
    daemon.kill()
    daemon.start()
    with agent(daemon) as line:
        assert line.ask(wire.Get(key="tea"), wire.Got).memory.content == "no sugar"
