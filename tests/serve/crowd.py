"""Client processes for load tests: they work through the client library, and can be killed in the middle."""

import subprocess
import sys
import time
from pathlib import Path

from tests.conftest import Daemon
from tests.talk import figures

WORKER = """
import sys, memtrig
home, count, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
memories = [memtrig.connect("internal", agent=name, home=home) for _ in range(count)]
for n, memory in enumerate(memories):
    key = f"crowd-{name}-{n}"
    memory.save(key, "the crowd said this")
    assert memory.get(key).content == "the crowd said this"
    memory.search("crowd", max_results=3), memory.list(limit=3), memory.delete(key)
print("done", flush=True)
sys.stdin.readline()
"""
"""Opens connections, works on each, says so, and then holds them until it is told to go."""


def worker(daemon: Daemon, connections: int, name: str) -> "subprocess.Popen[str]":
    """Start a client process."""
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(daemon.home), str(connections), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def visit(daemon: Daemon, processes: int, connections: int, name: str) -> None:
    """Let short-lived processes come, two at a time, and work; every other one is killed holding its connections."""
    for start in range(0, processes, 2):
        pair = [worker(daemon, connections, f"{name}-{start + n}") for n in range(2)]
        for each in pair:
            assert each.stdout is not None
            assert each.stdout.readline() == "done\n"
        pair[0].kill()
        for each in pair:
            each.communicate()
        assert pair[1].returncode == 0


def settled(daemon: Daemon, descriptors: int, within: float = 5.0) -> dict[str, int]:
    """Wait until the daemon has no more descriptors than before; returns its figures then."""
    deadline = time.monotonic() + within
    while (now := figures(daemon.pid))["descriptors"] > descriptors and time.monotonic() < deadline:
        time.sleep(0.02)  # the kernel tells nobody when the last connection of a killed process is gone
    return now


def who_has_open(directory: Path) -> set[int]:
    """The processes that have a file under a directory open."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            target = link.readlink()
        except OSError:
            continue
        if target.is_relative_to(directory):
            found.add(int(link.parts[2]))
    return found
