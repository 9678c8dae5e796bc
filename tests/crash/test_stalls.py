"""A daemon that stands still, and a file that somebody else holds: told as such, and over when they are."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import memtrig
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent

pytestmark = pytest.mark.crash

HOLDS = """
import apsw, sys
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN " + sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


def test_clients_of_a_daemon_that_stands_still_time_out_and_go_on(daemon: Daemon) -> None:
    """SIGSTOP: a typed error in time; after SIGCONT the same client goes on, and what it said is there once."""
    with memtrig.connect("internal", home=str(daemon.home), timeout=1) as memory:
        memory.save("tea", "no sugar")
        os.kill(daemon.pid, signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(memtrig.Timeout):
            memory.save("tea", "two spoons")
        with pytest.raises(memtrig.Timeout):
            memory.get("tea")
        assert time.monotonic() - began < 4
        os.kill(daemon.pid, signal.SIGCONT)
        said = memory.save("tea", "two spoons")
        assert (said.outcome, said.seen_count) in (("updated", 1), ("known", 2))
        assert [each.content for each in memory.history("tea").memories] == ["no sugar", "two spoons"]


@contextmanager
def held(path: Path, how: str) -> Iterator[None]:
    """Let another process hold a file meanwhile."""
    command = [sys.executable, "-c", HOLDS, str(path), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdin is not None
        assert other.stdout.readline() == "held\n"
        try:
            yield
        finally:
            other.stdin.close()
            other.wait(10)


@pytest.mark.parametrize("how", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_file_that_another_process_holds_is_told_and_got_over(daemon: Daemon, how: str) -> None:
    """Reads and other levels go on; a write is refused as one to be tried again, and a client that does so succeeds."""
    path, outcomes = daemon.home / "state" / "internal.db", list[str]()
    with agent(daemon) as line, agent(daemon, "public") as other:
        line.ask(wire.Save(key="tea", content="no sugar"), wire.Saved)
        with held(path, how):
            refused = line.refusal(wire.Save(key="tea", content="two spoons"))
            assert (refused.code, refused.retryable) == ("store_locked", True)
            assert line.ask(wire.Get(key="tea"), wire.Got).memory.content == "no sugar"
            other.ask(wire.Save(key="tea", content="with milk"), wire.Saved)
            patient = Thread(target=lambda: outcomes.append(saved(daemon)))
            patient.start()
            time.sleep(1.5)
            assert outcomes == []
        patient.join(20)
    assert outcomes == ["updated"]


def saved(daemon: Daemon) -> str:
    """Save as a client does that tries again by itself."""
    with memtrig.connect("internal", home=str(daemon.home), timeout=20) as memory:
        return memory.save("tea", "two spoons").outcome
