"""The walking skeleton: one memory through every layer to the disk, through a kill, and back by another process."""

import json
import subprocess
import sys

from tests.conftest import Daemon


def _memtrigctl(daemon: Daemon, *arguments: str) -> dict[str, object]:
    command = [sys.executable, "-m", "memtrig.ctl", "--json", "--home", str(daemon.home), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20)
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def test_an_acknowledged_save_outlives_a_killed_daemon(daemon: Daemon) -> None:
    """What was acknowledged before SIGKILL is read back after the restart, by a process that never wrote it."""
    saved = _memtrigctl(daemon, "save", "user-name", "Asha")
    daemon.kill()
    daemon.start()
    found = _memtrigctl(daemon, "get", "user-name")
    assert (found["id"], found["content"], found["level"]) == (saved["id"], "Asha", "INTERNAL")
