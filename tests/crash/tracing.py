"""Faults put into a running process's system calls by strace, where it is there and ptrace is allowed."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

ATTACHES_WITHIN = 20.0
"""Seconds."""


@contextmanager
def injected(pid: int, call: str, fault: str) -> Iterator[None]:
    """Let a system call fare as strace says meanwhile: ``error=EIO``, ``signal=KILL:when=7``. Skips where it can't."""
    _need()
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "signal=none", "-e", f"trace={call}"]
    with subprocess.Popen([*command, "-e", f"inject={call}:{fault}", "-p", str(pid)]) as tracer:
        try:
            _wait(pid, tracer)
            yield
        finally:
            tracer.terminate()
            tracer.wait(ATTACHES_WITHIN)


@cache
def _need() -> None:
    if shutil.which("strace") is None:
        pytest.skip("there is no strace")
    tried = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], check=False, capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"ptrace is forbidden: {tried.stderr.strip()}")


def _wait(pid: int, tracer: "subprocess.Popen[bytes]") -> None:
    """Wait until every thread is traced, or the process is gone."""
    deadline = time.monotonic() + ATTACHES_WITHIN
    while time.monotonic() < deadline and tracer.poll() is None:
        try:
            threads = [(task / "status").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
        except OSError:
            return
        if all("TracerPid:\t0\n" not in status for status in threads):
            return
        time.sleep(0.01)
    if tracer.poll() is not None and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
        pytest.skip("ptrace is forbidden")
