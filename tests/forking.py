"""Starts of memtrigd without its imports, which are nine tenths of the work: a process that has them forks each.

What comes of it is a process like any other, with its own pid, files, environment and end; only the way there is
shorter. The tests of ``make test`` start hundreds. Benches, soak runs and the crash suite start the real program.
"""

import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, Final

READY_MADE: Final = ("memtrigd.__main__", "numpy")
"""What every daemon imports sooner or later."""
_ROOT: Final = Path(__file__).parents[1]
_MOST: Final = 1 << 18
"""Bytes of an order; an environment fits."""


class Forked:
    """A process that was forked, with the part of Popen's face that tests use."""

    stdin = None

    def __init__(self, pid: int, stdout: IO[str], ended: int) -> None:
        self.pid = pid
        self.stdout = stdout
        self.returncode: int | None = None
        self._ended = ended

    def poll(self) -> int | None:
        """Its exit code, negative the signal that ended it; None while it runs."""
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its exit code. Raises TimeoutExpired."""
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"forked {self.pid}", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL it."""
        self.send_signal(signal.SIGKILL)

    def _look(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._ended], [], [], timeout)[0]:
            self.returncode = int(os.read(self._ended, 16))
            os.close(self._ended)
        return self.returncode


def fork(program: str, arguments: list[str], errors: IO[str]) -> Forked:
    """Start a module's ``main`` in a process of its own, with our environment and directory; stdout is a pipe."""
    said, says = os.pipe()
    ended, ends = os.pipe()
    order = {"program": program, "arguments": arguments, "cwd": os.getcwd(), "environ": dict(os.environ)}
    line, _ = _mother()
    socket.send_fds(line, [json.dumps(order).encode()], [says, errors.fileno(), ends])
    os.close(says)
    os.close(ends)
    return Forked(int(line.recv(16)), os.fdopen(said, encoding="utf-8"), ended)


@cache
def _mother() -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    """The line to the process that forks; started for the first, and gone when this process is."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MOST)
    with theirs:
        command = [sys.executable, "-m", "tests.forking", str(theirs.fileno())]
        process = subprocess.Popen(
            command,
            cwd=_ROOT,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # a thread would not be there after a fork
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    return ours, process


class _Mother:
    """Forks on order, and tells of each end."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._ends: dict[int, int] = {}
        self._woken, self._wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakes)

    def child(self) -> dict[str, Any] | None:
        """Serve, and return in each child with its order; in this process in the end with None."""
        while True:
            ready, _, _ = select.select([self._line, self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 512)
                self._tell()
            if self._line in ready:
                said, descriptors, _, _ = socket.recv_fds(self._line, _MOST, 3)
                if not said:
                    return None
                order = json.loads(said)
                importlib.import_module(order["program"])
                pid = os.fork()
                if pid == 0:
                    self._be_born(order, *descriptors)
                    return dict(order)
                self._ends[pid] = descriptors.pop()
                for descriptor in descriptors:
                    os.close(descriptor)
                self._line.send(str(pid).encode())

    def _tell(self) -> None:
        """Tell of those that ended."""
        while self._ends:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            end = self._ends.pop(pid)
            with suppress(BrokenPipeError):  # nobody asks any more
                os.write(end, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(end)

    def _be_born(self, order: dict[str, Any], says: int, errors: int, ends: int) -> None:
        """Become what a process is that was started anew."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(says, 1)
        os.dup2(errors, 2)
        for descriptor in (says, errors, ends, self._woken, self._wakes, *self._ends.values()):
            os.close(descriptor)
        self._line.close()
        os.chdir(order["cwd"])
        os.environ.clear()
        os.environ.update(order["environ"])
        time.tzset()
        random.seed()
        sys.argv = [order["program"], *order["arguments"]]


def main() -> None:
    """Import what takes long, and serve; in a child run what was ordered, and end as any program does."""
    for module in READY_MADE:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
    order = _Mother(socket.socket(fileno=int(sys.argv[1]))).child()
    if order is not None:
        sys.modules[order["program"]].main()


if __name__ == "__main__":
    main()
