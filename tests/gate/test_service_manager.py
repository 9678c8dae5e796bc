"""A service manager opens the doors and passes them by name (sd_listen_fds_with_names(3))."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import Line, agent

LAUNCHER = """
import fcntl, os, sys
numbers, program = sys.argv[1].split(","), sys.argv[2:]
high = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 64) for number in numbers]
for place, number in enumerate(high):
    os.dup2(number, 3 + place, inheritable=True)
os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(program[0], program)
"""
"""What a service manager does between fork and exec: descriptors from 3 on, and the pid that they are for."""


@pytest.fixture
def passive() -> Iterator[Daemon]:
    """A home whose daemon was not started."""
    daemon = Daemon()
    yield daemon
    daemon.remove()


def listening(path: Path) -> socket.socket:
    """A socket as a service manager opens it."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(8)
    return listener


def launch(daemon: Daemon, passed: dict[str, socket.socket]) -> "subprocess.Popen[str]":
    """Start memtrigd with descriptors by name."""
    numbers = [listener.fileno() for listener in passed.values()]
    program = [sys.executable, "-m", "memtrigd", "--home", str(daemon.home)]
    return subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, ",".join(map(str, numbers)), *program],
        pass_fds=numbers,
        env={**os.environ, "LISTEN_FDS": str(len(numbers)), "LISTEN_FDNAMES": ":".join(passed)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_passed_sockets_are_used_by_name_and_left_at_the_end(passive: Daemon) -> None:
    """The names decide, not the order; doors that were not passed are bound; only those are removed at the stop."""
    paths = {name: passive.home / f"{name}.s" for name in ("level-restricted", "control", "level-public")}
    passed = {name: listening(path) for name, path in paths.items()}
    process = launch(passive, passed)
    assert process.stdout is not None
    assert "ready" in process.stdout.readline()
    for name, level in (("level-restricted", "RESTRICTED"), ("level-public", "PUBLIC")):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(paths[name]))
            assert Line(sock).ask(wire.Hello(protocol=1), wire.Welcome).level == level
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(paths["control"]))
        assert Line(sock).ask(wire.Whoami(), wire.Me).kind == "owner"
    with agent(passive, "internal") as bound:
        assert bound.ask(wire.Whoami(), wire.Me).level == "INTERNAL"
    assert not (passive.home / "run/control.sock").exists()
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    process.communicate()
    assert all(path.is_socket() for path in paths.values())
    assert not list((passive.home / "run").rglob("*.sock"))
    for listener in passed.values():
        listener.close()


@pytest.mark.parametrize(
    "name", ["level-secret", pytest.param("public", marks=pytest.mark.slow), pytest.param("", marks=pytest.mark.slow)]
)
def test_a_descriptor_by_an_unknown_name_is_refused(passive: Daemon, name: str) -> None:
    """A mistake in a unit file must not become an agent's door by accident."""
    with listening(passive.home / "x.s") as listener:
        process = launch(passive, {name: listener})
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert repr(name) in errors
    assert "level-public" in errors
    assert "Traceback" not in errors
    assert (passive.home / "x.s").is_socket()
