"""A daemon that answers by a script on real sockets, and memtrigctl as a process of its own, also on a terminal."""

import os
import select
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import memtrig
import msgpack
import pytest
from memtrig import wire

Line = wire.AnyResult | wire.Error | wire.Answer | bytes | None
"""What the script says to one request: a result, an error, a whole answer, raw bytes, or None to break off."""


class ScriptedDaemon:
    """Listens on one socket; ``heard`` are the requests as the specification decodes them."""

    def __init__(self, path: Path, decode: Callable[[bytes], wire.Request], script: list[Line]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.heard: list[Any] = []
        self._decode = decode
        self._script = script
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with suppress(ConnectionError), connection, connection.makefile("rb") as stream:
                self._converse(connection, stream)

    def _converse(self, connection: socket.socket, stream: Any) -> None:
        while prefix := stream.read(wire.PREFIX):
            call = wire.decode_call(stream.read(int.from_bytes(prefix, "big")))
            self.heard.append(self._decode(bytes(call.request)))
            line = self._script.pop(0)
            match line:
                case None:
                    return
                case bytes():
                    connection.sendall(line)
                case wire.Error():
                    connection.sendall(wire.frame(wire.Answer(id=call.id, error=line)))
                case wire.Answer():
                    connection.sendall(wire.frame(line))
                case _:
                    connection.sendall(wire.frame(wire.Answer(id=call.id, result=line)))

    def close(self) -> None:
        """Stop listening and wait for the thread."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)


@pytest.fixture
def control(tmp_path: Path) -> Iterator[Callable[..., ScriptedDaemon]]:
    """Make scripted daemons on the control socket of the home ``tmp_path``."""
    made: list[ScriptedDaemon] = []

    def make(*script: Line) -> ScriptedDaemon:
        made.append(ScriptedDaemon(tmp_path / "run" / "control.sock", wire.decode_control, list(script)))
        return made[-1]

    yield make
    for daemon in made:
        daemon.close()


@pytest.fixture
def internal(tmp_path: Path) -> Iterator[Callable[..., ScriptedDaemon]]:
    """Make scripted daemons on the socket of INTERNAL."""
    made: list[ScriptedDaemon] = []

    def make(*script: Line) -> ScriptedDaemon:
        made.append(ScriptedDaemon(tmp_path / "run" / "level" / "internal.sock", wire.decode_agent, list(script)))
        return made[-1]

    yield make
    for daemon in made:
        daemon.close()


def record(**fields: Any) -> wire.Record:
    """Make a memory as the daemon sends it."""
    known: dict[str, Any] = {
        "id": "m-1",
        "key": "user.tea",
        "content": "Likes masala tea",
        "level": "INTERNAL",
        "created": "2026-11-30T08:15:00+00:00",
        "updated": "2026-11-30T08:15:00+00:00",
        "kind": "preference",
        "entity": "Anna",
        "tags": ["food"],
        "status": "active",
        "source": "stated",
        "importance": 1.0,
        "effective_importance": 0.9876,
        "space": "default",
    }
    return wire.Record(**known | fields)


@pytest.fixture(name="record")
def record_maker() -> Callable[..., wire.Record]:
    """Hand out ``record``."""
    return record


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Name the little that memtrigctl needs from its environment."""
    packages = [Path(memtrig.__file__).parents[1], Path(msgpack.__file__).parents[1]]
    return {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join(map(str, packages)),
        "MEMTRIG_HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


@pytest.fixture
def ctl(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run memtrigctl as a process on the home ``tmp_path``.

    Without ``site`` (-S), whose .pth files import what an installation happens to have; packages come by PYTHONPATH.
    """

    def run(*words: str | bytes, python: tuple[str, ...] = (), **more: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-S", *python, "-m", "memtrig.ctl", *words]
        settings: dict[str, Any] = {"capture_output": True, "encoding": "utf-8", "timeout": 30, "env": environment}
        return subprocess.run(command, check=False, **settings | more)

    return run


RUN = """
import fcntl, sys, termios
from memtrig.ctl import main
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
sys.exit(main())
"""
"""memtrigctl with its terminal in control, as under a shell: Ctrl-C is a signal."""


class Terminal:
    """memtrigctl on a pseudoterminal of 80 × 24."""

    def __init__(self, environment: dict[str, str], *words: str) -> None:
        self._ours, theirs = os.openpty()
        command = [sys.executable, "-S", "-c", RUN, *words]
        settings = environment | {"NO_COLOR": "1", "TERM": "xterm"}
        termios.tcsetwinsize(theirs, (24, 80))
        self._process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=settings, start_new_session=True
        )
        os.close(theirs)
        self.seen = ""
        self._place = 0

    def until(self, text: str) -> None:
        """Read until a text appears behind what was seen before."""
        deadline = time.monotonic() + 10
        while text not in self.seen[self._place :]:
            assert select.select([self._ours], [], [], deadline - time.monotonic())[0], f"{text!r} not in {self.seen}"
            self.seen += os.read(self._ours, 1 << 16).decode(errors="replace")
        self._place = self.seen.index(text, self._place) + len(text)

    def press(self, keys: str) -> None:
        """Type without Enter."""
        os.write(self._ours, keys.encode())

    def end(self) -> int:
        """Read to the end and return the exit code."""
        with suppress(OSError):  # a pseudoterminal ends with EIO
            while piece := os.read(self._ours, 1 << 16):
                self.seen += piece.decode(errors="replace")
        return self._process.wait(10)

    def close(self) -> None:
        """Take the terminal away."""
        self._process.kill()
        self._process.wait()
        os.close(self._ours)


@pytest.fixture
def terminal(environment: dict[str, str]) -> Iterator[Callable[..., Terminal]]:
    """Run memtrigctl on terminals."""
    made: list[Terminal] = []

    def make(*words: str) -> Terminal:
        made.append(Terminal(environment, *words))
        return made[-1]

    yield make
    for each in made:
        each.close()
