"""``status --watch``: the answer again and again, in its place on a terminal, in lines elsewhere."""

import json
import signal
import subprocess
import sys
from typing import Any

import pytest
from memtrig import wire

from tests.conftest import Daemon


def report(active: int) -> wire.StatusReport:
    """A status with so many memories."""
    level = wire.LevelStatus(level="PUBLIC", available=True, memories={"active": active}, sessions=0)
    return wire.StatusReport(
        server="0.1.0", protocol=1, schema=1, started="2026-11-30T08:15:00+00:00", levels=[level], pid=7, home="home"
    )


def test_a_terminal_is_drawn_anew_and_ctrl_c_is_a_good_end(control: Any, terminal: Any) -> None:
    """The cursor goes home, each line is cleared behind its end, and what is below the last."""
    control(report(1), report(22))
    run = terminal("status", "--watch", "0.1")
    run.until("1 active\x1b[K")
    run.until("\x1b[J")
    run.until("\x1b[H")
    run.until("22 active\x1b[K")
    run.press("\x03")
    assert run.end() == 0 and "Traceback" not in run.seen


@pytest.mark.slow
def test_a_restart_of_the_daemon_is_waited_for(daemon: Daemon) -> None:
    """A document a look; while nobody answers each is an error that says to try again."""
    command = [sys.executable, "-m", "memtrig.ctl", "--home", str(daemon.home), "status", "--watch", "0.1", "--json"]
    watcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)
    assert watcher.stdout is not None
    first = json.loads(watcher.stdout.readline())
    daemon.stop()
    while "error" not in (told := json.loads(watcher.stdout.readline())):
        pass
    daemon.start()
    while "error" in (last := json.loads(watcher.stdout.readline())):
        pass
    watcher.send_signal(signal.SIGINT)
    _, said = watcher.communicate(timeout=10)
    assert watcher.returncode == 0 and said == ""
    assert told["error"]["retryable"] and first["pid"] != last["pid"] == daemon.pid


def test_seconds_without_watch_or_out_of_range_are_a_mistake(ctl: Any) -> None:
    """Exit code 2, before anybody is asked."""
    for words in (["5"], ["--watch", "0"], ["--watch", "soon"], ["--watch", "nan"]):
        assert ctl("status", *words).returncode == 2
