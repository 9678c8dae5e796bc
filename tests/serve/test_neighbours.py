"""Other programs beside the daemon: one that locks a file of the store, and a front of another version."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import memtrig
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent

HOLD = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
connection.execute("ROLLBACK")
"""
INITIALIZE = {
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "host", "version": "1"},
    },
}


class Front:
    """A host's end of memtrig-mcp, from the package under ``source``."""

    def __init__(self, daemon: Daemon, source: Path) -> None:
        command = [sys.executable, "-m", "memtrig.mcp_pump", "--home", os.fspath(daemon.home), "--agent", "host"]
        pipe = subprocess.PIPE
        environment = {**os.environ, "PYTHONPATH": os.fspath(source)}
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
        self._asked = 0

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Ask, and return the answer."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self._asked += 1
        self.process.stdin.write(
            json.dumps({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}) + "\n"
        )
        self.process.stdin.flush()
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self._asked:
            pass
        return answer

    def close(self) -> None:
        """Say all."""
        self.process.kill()
        self.process.communicate()


@pytest.fixture(name="front")
def _front(daemon: Daemon) -> Iterator[Callable[..., Front]]:
    """Start fronts."""
    made: list[Front] = []

    def make(source: Path = Path(memtrig.__file__).parents[1]) -> Front:
        made.append(Front(daemon, source))
        return made[-1]

    yield make
    for each in made:
        each.close()


def _kept(content: str) -> dict[str, Any]:
    """A call of the tool that saves."""
    return {"name": "save", "arguments": {"key": "h", "content": content, "source": "auto_detect"}}


@pytest.mark.slow
def test_a_lock_from_outside_is_waited_for_or_told(daemon: Daemon, front: Callable[..., Front]) -> None:
    """BR-008: BEGIN IMMEDIATE for 10 s: each save is done or refused as retryable, and daemon and front stay up."""
    pid, host = daemon.pid, front()
    assert "result" in host.ask(**INITIALIZE)
    file = daemon.home / "state" / "internal.db"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, os.fspath(file), "10"], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    refused = 0
    with agent(daemon, "internal") as line, agent(daemon, "public") as other:
        while holder.poll() is None:
            answer = line.exchange(wire.Save(key="k", content=f"said {refused} times"))
            if isinstance(answer.error, wire.Error):
                refused += 1
                assert (answer.error.code, answer.error.retryable) == ("store_locked", True)
            told = host.ask("tools/call", _kept("from the host"))
            assert "result" in told and (not told["result"].get("isError") or "internal.db" in json.dumps(told))
            other.ask(wire.Save(key="o", content="at another level"), wire.Saved)
        assert refused
        line.ask(wire.Save(key="k", content="after it"), wire.Saved)
        assert line.ask(wire.Get(key="k"), wire.Got).memory.content == "after it"
        told = host.ask("tools/call", _kept("from the host, after"))
        assert not told["result"].get("isError")
    holder.communicate()
    assert daemon.pid == pid and daemon.process is not None and daemon.process.poll() is None
    assert host.process.poll() is None


@pytest.mark.slow
def test_a_front_of_the_next_version_gets_one_clear_error(
    daemon: Daemon, front: Callable[..., Front], tmp_path: Path
) -> None:
    """BR-023: it is told both versions and how to restart; neither side restarts, and fronts of ours are served."""
    shutil.copytree(Path(memtrig.__file__).parent, tmp_path / "memtrig", ignore=shutil.ignore_patterns("__pycache__"))
    relay = tmp_path / "memtrig" / "mcp_relay.py"
    ours, next_one = (f'"protocol":{version}%s' for version in (wire.PROTOCOL, wire.PROTOCOL + 1))
    assert ours in relay.read_text()
    relay.write_text(relay.read_text().replace(ours, next_one))
    newer, log = front(tmp_path), daemon.log
    for _ in range(3):
        error = newer.ask(**INITIALIZE)["error"]
        assert "protocol 2, this daemon 1" in error["message"] and "restart memtrigd" in error["message"]
        time.sleep(0.2)
    assert "result" in front().ask(**INITIALIZE)
    assert daemon.process is not None and daemon.process.poll() is None
    assert newer.process.poll() is None and "fault" not in daemon.log[len(log) :]
