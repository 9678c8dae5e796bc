"""Work done apart: in a process of its own, of low priority, which reads the store beside the daemon and ends with it.

What walks through a whole store for a minute would take the interpreter away from the loop and the writer a thousand
times a second. In another process it takes a processor that is idle, and SQLite lets it read beside the writes.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any, Final, Protocol, TypeAlias

import msgspec
import structlog
from msgspec import Raw, Struct

from memtrigd.clockwork.pipe import Fault, Message, Outcome, Progress, Refused, receive, send
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store.lanes import stopping

COMMAND: Final = (sys.executable, "-P", "-m", "memtrigd.proof")

log = structlog.get_logger()


class Verifying(Struct, frozen=True, tag="verify"):
    """The files of ``levels`` are to be verified; ``heads`` were kept elsewhere, ``unusable`` says why a level is not.

    ``state`` is the state directory.
    """

    state: str
    levels: list[Level]
    heads: list[tuple[Level, int, bytes]] = []
    unusable: dict[Level, str] = {}


class Drilling(Struct, frozen=True, tag="drill"):
    """The newest backup of each level is to be tried out."""

    state: str


Heard: TypeAlias = Callable[[Progress], None]
_decode: Final = msgspec.msgpack.Decoder(Message).decode


class Work(Protocol):
    """One piece of work, done apart."""

    def run(self, work: Struct, heard: Heard, kind: Any) -> Any:
        """Do it and return what it comes to, of that ``kind``."""

    def end(self) -> None:
        """End it, from any thread."""


class Apart:
    """One piece of work in a process of its own. ``run`` waits for it, on a thread that may wait; ``end`` kills it."""

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        self._command = command
        self._gate = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def run(self, work: Struct, heard: Heard, kind: Any) -> Any:
        """Do the work and return what it comes to, of that ``kind``; ``heard`` is told how far it is, in this thread.

        Raises the Refusal that it came to, ``stopping`` where it was ended, RuntimeError for a fault, which is logged.
        """
        with self._gate:
            if self._ended:
                raise stopping()
            self._process = process = self._start()
        try:
            assert process.stdin is not None and process.stdout is not None
            send(process.stdin, work)
            return msgspec.msgpack.decode(self._awaited(process.stdout, heard), type=kind)
        except BrokenPipeError:
            raise self._cut_off() from None
        finally:
            process.kill()
            process.communicate()  # and its pipes are closed

    def end(self) -> None:
        """End the work, from any thread: nobody loses anything by asking again."""
        with self._gate:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def _start(self) -> "subprocess.Popen[bytes]":
        """Start the process. It hears nothing of the terminal's Ctrl-C, and when our end of its pipe closes it ends."""
        return subprocess.Popen(  # noqa: S603 - our own program
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=os.sep,
        )

    def _awaited(self, stream: IO[bytes], heard: Heard) -> Raw:
        while True:
            body = receive(stream)
            match _decode(body) if body is not None else None:
                case Progress() as progress:
                    heard(progress)
                case Refused(code, message, hint, retryable):
                    raise Refusal(code, message, hint, retryable=retryable)
                case Outcome(value):
                    return value
                case Fault(kind, where):
                    log.error("work_apart_failed", kind=kind, where=where)
                    raise RuntimeError("work apart failed")
                case None:
                    raise self._cut_off()

    def _cut_off(self) -> Exception:
        if self._ended:
            return stopping()
        log.error("work_apart_failed", kind="ended")
        return RuntimeError("work apart came to no end")
