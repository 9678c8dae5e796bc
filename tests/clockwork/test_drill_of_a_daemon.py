"""The drill of a real daemon: it comes due while the daemon is away, and finds the backup that was spoilt meanwhile."""

import time
from contextlib import closing

import apsw
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent, dial

pytestmark = pytest.mark.slow

PATIENCE = 60
"""Seconds until the drill has come to its end; on an idle machine it takes about one."""


def due(daemon: Daemon, *jobs: str) -> None:
    """Let jobs of a stopped daemon be due, as if they had last run at the epoch."""
    with closing(apsw.Connection(str(daemon.home / "state" / "control.db"))) as control, control:
        for job in jobs:
            control.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?, '0')", (f"last_run.{job}",))


def drilled(daemon: Daemon, level: str) -> wire.Copies:
    """Wait until a drill is noted, and return what an agent of the level is told of its backups."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with agent(daemon, level) as line:
            (status,) = [
                each for each in line.ask(wire.GetStatus(), wire.StatusReport).levels if each.level == level.upper()
            ]
        assert status.backups is not None
        if status.backups.drill is not None:
            return status.backups
        time.sleep(0.1)
    raise AssertionError(f"no drill:\n{daemon.log}")


@pytest.mark.parametrize("spoilt", (True, False))
def test_a_spoilt_backup_turns_its_level_red_within_one_cycle(daemon: Daemon, spoilt: bool) -> None:
    """Red at the level of the spoilt file alone, and in the log; nothing is red where nothing was spoilt."""
    with agent(daemon) as line, dial(daemon, "control") as control:
        line.ask(wire.Save(key="tea", content="चहात आले असावे 茶里要放姜"), wire.Saved)
        backup = control.ask(wire.BackupNow(), wire.BackedUp).backup
    assert daemon.stop() == 0
    if spoilt:
        path = daemon.home / "state" / "backups" / backup.name / "internal.db"
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    due(daemon, "drill")
    daemon.start()
    told = drilled(daemon, "internal")
    assert (told.drill_failed, told.red) == (spoilt, spoilt)
    assert not drilled(daemon, "public").red
    assert ("drill_failed" in daemon.log) is spoilt
