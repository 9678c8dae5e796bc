"""The doctor of a running daemon: in memory, and as a process with its command line."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from memtrig import wire

from memtrigd.doctor.repair import UNDER_WAY
from memtrigd.domain.levels import Level
from memtrigd.gate.doors import CONTROL
from memtrigd.search.analyser import VERSION
from memtrigd.store.backup import backups_of
from memtrigd.store.manifest import listing
from tests.conftest import Daemon
from tests.serve.harness import Line, Nursery, World, nursery
from tests.serve.histories import START
from tests.serve.worlds import is_a
from tests.talk import agent, dial

HARM = """
DELETE FROM lexicon WHERE rowid = 2; DELETE FROM tag WHERE number = 1; UPDATE corpus SET terms = 1;
UPDATE document SET hashes = x'', times = x'' WHERE number = 3;
"""


@pytest.fixture(name="fresh", scope="module")
def _fresh() -> Iterator[Nursery]:
    """Where fresh worlds come from."""
    with nursery() as fresh:
        yield fresh


@pytest.fixture(name="world")
def _world(fresh: Nursery) -> Iterator[World]:
    """A daemon in memory that was told three things."""
    with fresh.world(START) as world:
        line = world.agent(Level.INTERNAL)
        for number in range(3):
            line.ask(wire.Save(key=f"k{number}", content=f"tea number {number}", tags=["kept"]))
        yield world


def harm(path: Path) -> None:
    """Edit the index behind the daemon's back."""
    connection = apsw.Connection(str(path))
    connection.execute(HARM)
    connection.close()


def verdicts(diagnosis: wire.Diagnosis, *checks: str) -> set[str]:
    """What was found in some checks."""
    return {each.verdict for each in diagnosis.findings if each.check in checks}


def keys(control: Line) -> list[str]:
    """The keys of what a search for tea finds."""
    found = is_a(wire.Found, control.ask(wire.Act(wire.Search(query="tea"))))
    return sorted(each.key for each in found.results)


def test_a_sound_store_is_found_sound_and_stays_as_it_is(world: World) -> None:
    """With --repair nothing is done either, and no backup made."""
    for request in (wire.Doctor(), wire.Doctor(repair=True)):
        found = is_a(wire.Diagnosis, world.connect(CONTROL).ask(request))
        assert verdicts(found, "integrity", "control", "clock", "versions", "daemon", "repair") == {"ok"}
    assert listing(backups_of(world.state))[0] == []


def test_an_index_is_mended_through_the_writer_after_a_backup(world: World) -> None:
    """What was found wrong is well afterwards, and a search finds again."""
    harm(world.file(Level.INTERNAL))
    control = world.connect(CONTROL)
    assert keys(control) == ["k0", "k1"]
    assert verdicts(is_a(wire.Diagnosis, control.ask(wire.Doctor())), "index") == {"fail"}
    found = is_a(wire.Diagnosis, control.ask(wire.Doctor(repair=True)))
    assert verdicts(found, "repair", "integrity") == {"ok"}
    assert verdicts(found, "index") == set()
    assert [each.why for each in listing(backups_of(world.state))[0]] == ["repair"]
    assert keys(control) == ["k0", "k1", "k2"]
    assert world.problems() == []
    assert world.rows.settings(UNDER_WAY) == {}


@pytest.mark.slow
def test_a_daemon_that_was_cut_off_in_a_repair_goes_on_with_it(daemon: Daemon) -> None:
    """BR-011: what control.db keeps of it is enough; when it is over nothing is kept any more."""
    with agent(daemon) as line:
        for number in range(3):
            line.ask(wire.Save(key=f"k{number}", content=f"tea number {number}", tags=["kept"]), wire.Saved)
    daemon.stop()
    state = daemon.home / "state"
    harm(state / "internal.db")
    connection = apsw.Connection(str(state / "control.db"))
    connection.execute("INSERT INTO setting VALUES (?, 'backup x')", (f"{UNDER_WAY}internal",))
    connection.close()
    daemon.start()
    with dial(daemon, "control") as control:
        found = control.ask(wire.Doctor(), wire.Diagnosis)  # waits its turn behind the repair
        assert verdicts(found, "index", "audit") == set() and verdicts(found, "integrity") == {"ok"}
    assert "index_mended" in daemon.log
    daemon.stop()
    connection = apsw.Connection(str(state / "control.db"))
    assert connection.execute("SELECT * FROM setting WHERE name GLOB 'repair.*'").fetchall() == []
    connection.close()


@pytest.mark.slow
def test_an_index_of_another_analyser_is_made_anew_at_the_start(daemon: Daemon) -> None:
    """What no term of is known is found again without a repair; the next start has nothing to do."""
    with agent(daemon) as line:
        for number in range(3):
            line.ask(wire.Save(key=f"k{number}", content=f"tea number {number}"), wire.Saved)
    daemon.stop()
    store(daemon, "internal.db", "UPDATE document SET hashes = x'', times = x''")
    store(daemon, "control.db", "UPDATE setting SET value = '0' WHERE name = 'analyser.internal'")
    daemon.start()
    with dial(daemon, "control") as control:
        found = control.ask(wire.Doctor(), wire.Diagnosis)  # waits its turn behind the new index
        assert verdicts(found, "index", "audit") == set() and verdicts(found, "integrity") == {"ok"}
        assert len(control.ask(wire.Act(wire.Search(query="tea")), wire.Found).results) == 3
        assert "repair" not in {each.why for each in control.ask(wire.BackupList(), wire.Backups).backups}
    assert "index_reanalysed" in daemon.log
    daemon.restart()
    with dial(daemon, "control") as control:
        control.ask(wire.Doctor(), wire.Diagnosis)
    assert "index_reanalysed" not in daemon.log
    daemon.stop()
    rows = store(daemon, "control.db", "SELECT value FROM setting WHERE name GLOB 'analyser.*'")
    assert rows == [(f"{VERSION}",)] * len(Level)


def store(daemon: Daemon, file: str, statement: str) -> list[tuple[object, ...]]:
    """Read or edit a file of a daemon that is stopped."""
    connection = apsw.Connection(str(daemon.home / "state" / file))
    rows = [tuple(row) for row in connection.execute(statement)]
    connection.close()
    return rows


def ctl(daemon: Daemon, *words: str) -> subprocess.CompletedProcess[str]:
    """Run memtrigctl on a daemon's home."""
    command = [sys.executable, "-m", "memtrig.ctl", "--home", os.fspath(daemon.home), *words]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


@pytest.mark.slow
def test_from_a_torn_level_to_a_whole_one_by_what_the_doctor_says(daemon: Daemon) -> None:
    """BR-013: running and stopped it names the same backup; log, status and welcome name it too; the command heals."""
    with dial(daemon, "control") as control, agent(daemon) as line:
        line.ask(wire.Save(key="tea", content="no sugar"), wire.Saved)
        name = control.ask(wire.BackupNow(), wire.BackedUp).backup.name
    assert ctl(daemon, "doctor").returncode == 0
    daemon.stop()
    path = daemon.home / "state" / "internal.db"
    with path.open("r+b") as file:
        file.write(bytes(64))
    stopped = ctl(daemon, "doctor")
    assert stopped.returncode == 2
    daemon.start()
    running = ctl(daemon, "doctor")
    assert running.returncode == 2
    back = ["restore", name, "--level", "internal"]
    for said in (stopped.stdout, running.stdout, daemon.log, ctl(daemon, "status").stdout):
        assert " ".join(back) in said
    assert path.read_bytes()[:64] == bytes(64)
    assert ctl(daemon, *back).returncode == 0
    with agent(daemon) as line:
        assert line.ask(wire.Get(key="tea"), wire.Got).memory.content == "no sugar"
    assert ctl(daemon, "doctor").returncode == 0


@pytest.mark.slow
def test_a_damaged_control_db_comes_back_by_the_command_that_is_named(daemon: Daemon) -> None:
    """The daemon says why it does not start; after the command it starts, and the memories are there."""
    with dial(daemon, "control") as control, agent(daemon) as line:
        line.ask(wire.Save(key="tea", content="no sugar"), wire.Saved)
        control.ask(wire.BackupNow(), wire.BackedUp)
        refused = ctl(daemon, "restore", "--control")
        assert refused.returncode == 1 and f"process {daemon.pid}" in refused.stderr
    daemon.stop()
    with (daemon.home / "state" / "control.db").open("r+b") as file:
        file.write(bytes(64))
    with pytest.raises(AssertionError, match="did not start"):
        daemon.start()
    daemon.kill()  # it has ended by itself
    assert "memtrigctl restore --control" in daemon.log
    assert ctl(daemon, "restore", "--control", "--level", "internal").returncode == 2
    done = ctl(daemon, "restore", "--control")
    assert done.returncode == 0, done.stderr
    assert ctl(daemon, "doctor").returncode == 1  # no daemon runs
    daemon.start()
    with agent(daemon) as line:
        assert line.ask(wire.Get(key="tea"), wire.Got).memory.content == "no sugar"
