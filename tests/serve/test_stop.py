"""A stop: what was answered arrives, and nobody can hold the daemon up for long."""

import contextlib
import signal
import socket
import subprocess
import time

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import agent, socket_path

LARGE = "x" * (1 << 20)
"""More than a socket holds."""


def test_an_answer_that_was_given_arrives_whole(daemon: Daemon) -> None:
    """Whoever is in the middle of reading it when the daemon is told to stop is given the time to read to the end."""
    assert daemon.process is not None
    with agent(daemon) as line:
        line.ask(wire.Save(key="large", content=LARGE), wire.Saved)
        line.send(wire.Get(key="large"))
        line.socket.recv(1, socket.MSG_PEEK)
        daemon.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(ConnectionRefusedError, FileNotFoundError):
            while True:  # until it has begun to stop
                with socket.socket(socket.AF_UNIX) as knocking:
                    knocking.connect(str(socket_path(daemon, "internal")))
        with pytest.raises(subprocess.TimeoutExpired):
            daemon.process.wait(0.2)
        answer = line.answer()
        assert isinstance(answer.result, wire.Got)
        assert answer.result.memory.content == LARGE
        assert line.ended()
    assert daemon.stop() == 0


def test_a_peer_that_does_not_read_holds_a_stop_up_for_a_second(daemon: Daemon) -> None:
    """It had its time; the daemon ends."""
    with agent(daemon) as line:
        line.ask(wire.Save(key="large", content=LARGE), wire.Saved)
        line.send(wire.Get(key="large"))
        line.socket.recv(1, socket.MSG_PEEK)
        begun = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - begun < 5
