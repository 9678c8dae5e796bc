"""Real daemons for tests: a process of its own, on a home of its own, that can be killed."""

import gc
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tests.forking import Forked, fork

os.environ["MEMTRIG_SEMANTIC"] = "off"
"""The model costs half a gigabyte and some seconds: only the tests of it have one."""
STARTS_WITHIN = 20
"""Seconds; a start takes a quarter of one on an idle machine."""
MEMORY = Path("/dev/shm")
ROOM = 2 << 30
"""Bytes that a file system in memory must have free for the files of the tests."""


class Daemon:
    """One memtrigd process on its home. Its socket paths are short, as a Unix socket asks."""

    program = "memtrigd.__main__"
    forks = False
    """Whether it is forked from a process that has all imports, not started as a program."""

    def __init__(self, *, seat_belt: bool = False) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="mt-"))
        (self.home / "config").mkdir()
        belt = "true" if seat_belt else "false"
        (self.home / "config" / "memtrigd.toml").write_text(f"[owner]\nseat_belt = {belt}\n")
        self.process: subprocess.Popen[str] | Forked | None = None

    @property
    def command(self) -> list[str]:
        """What is run."""
        return [sys.executable, "-m", self.program, "--home", os.fspath(self.home)]

    @property
    def pid(self) -> int:
        """The pid of the running process."""
        assert self.process is not None
        return self.process.pid

    @property
    def log(self) -> str:
        """What the daemon has logged since the last start."""
        return (self.home / "stderr").read_text()

    def start(self) -> "Daemon":
        """Start it and wait for its ready message."""
        with (self.home / "stderr").open("w") as errors:
            if self.forks:
                self.process = fork(self.program, ["--home", os.fspath(self.home)], errors)
            else:
                self.process = subprocess.Popen(
                    self.command,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    stdin=subprocess.DEVNULL,
                    text=True,
                )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "ready" in line, f"memtrigd did not start: {line}{self.log}"
        return self

    def kill(self) -> None:
        """SIGKILL it: no chance to say goodbye."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Ask it to stop; returns its exit code."""
        return self._end(signal.SIGTERM)

    def restart(self) -> None:
        """Stop it and start it again."""
        self.stop()
        self.start()

    def remove(self) -> None:
        """End it and take its home away."""
        if self.process is not None:
            self.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def _end(self, number: int) -> int:
        assert self.process is not None
        assert self.process.stdout is not None
        self.process.send_signal(number)
        code = self.process.wait(STARTS_WITHIN)
        self.process.stdout.close()
        self.process = None
        return code


def pytest_configure(config: pytest.Config) -> None:
    """Spare ``make test`` what it does not try: it forks daemons, has files in memory where it can, and logs little.

    Nobody waits for a disk then, though all is synced as ever. The crash suite and what is measured stay as they are.
    """
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
    if config.option.markexpr in ("crash", "soak"):
        return
    Daemon.forks = True
    if MEMORY.is_dir() and _fits(os.statvfs(MEMORY)):
        os.environ["TMPDIR"] = tempfile.tempdir = os.fspath(MEMORY)


def _fits(memory: os.statvfs_result) -> bool:
    """Whether it has room, and programs that tests write may run there."""
    return memory.f_bavail * memory.f_frsize >= ROOM and not memory.f_flag & os.ST_NOEXEC


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: at the end no process is alone with it while the others have nothing to do."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Spare the garbage collector what stays to the end, all modules and tests: a twentieth of the time in memory."""
    gc.collect()
    gc.freeze()


@pytest.fixture(name="daemon")
def _daemon() -> Iterator[Daemon]:
    """A running daemon with an empty store; its owner's seat belt is off, for the tests are many clients in one."""
    daemon = Daemon()
    try:
        yield daemon.start()
    finally:
        daemon.remove()


@pytest.fixture(name="shared_daemon", scope="module")
def _shared_daemon() -> Iterator[Daemon]:
    """A running daemon for a whole module, for tests that leave each other's memories alone."""
    daemon = Daemon()
    try:
        yield daemon.start()
    finally:
        daemon.remove()
