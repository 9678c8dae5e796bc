"""Large writes prepared: those of an import in a process of its own, all others on the thread that asks.

The analysis of a thousand records takes a second of pure Python. Beside the writer and the loop it would take the
interpreter from both at every statement; another process takes a processor that is idle.
"""

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import tzinfo
from typing import IO, Any, Final

import msgspec
import structlog
from memtrig import wire

from memtrigd.analysis.messages import Preparing
from memtrigd.clockwork.pipe import Fault, Message, Outcome, Refused, receive, send
from memtrigd.domain.errors import Refusal
from memtrigd.gate.policy import Actor
from memtrigd.serve.handlers import imports
from memtrigd.serve.screening import prepared

COMMAND: Final = (sys.executable, "-P", "-m", "memtrigd.analysis")
PATIENCE: Final = 30.0
"""Seconds that one batch may take there."""
PAUSE: Final = 60.0
"""Seconds without a new process after one that failed."""

log = structlog.get_logger()
_decode: Final = msgspec.msgpack.Decoder(Message).decode
_batch: Final = msgspec.msgpack.Decoder(imports.Batch).decode


class Analysis:
    """The process, from the first batch on, until it is idle. ``end`` may be called from any thread, the rest on one.

    Nobody waits for its start, and what it does not answer is prepared here: it only makes things faster.
    """

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        self._command = command
        self._gate = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._ended = False
        self._not_before = 0.0

    def prepared(
        self, prepare: Callable[[Any, Actor, tzinfo], Any] | None, request: Any, actor: Actor, zone: tzinfo
    ) -> tuple[Any, Any]:
        """What ``screening.prepared`` returns and raises."""
        name = getattr(zone, "key", None)
        if isinstance(request, wire.Import) and name is not None and (process := self._ready()) is not None:
            try:
                return request, self._asked(process, Preparing(request, actor, name))
            except (OSError, msgspec.MsgspecError, _NoAnswerError):
                self._give_up(process)
        return prepared(prepare, request, actor, zone)

    def end(self) -> None:
        """End the process, from any thread, and start none any more. Whoever waits for it goes on without it."""
        with self._gate:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """Close the pipes of a process that was ended, once nobody asks it any more."""
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def _ready(self) -> "subprocess.Popen[bytes] | None":
        """The process, once it is there; one is started where there is none."""
        with self._gate:
            process = self._process
            if process is None:
                if not self._ended and time.monotonic() >= self._not_before:
                    self._process = self._start()
                return None
        assert process.stdout is not None
        if not self._is_ready and _tells(process.stdout, 0.0):
            self._is_ready = receive(process.stdout) is not None
            if not self._is_ready:
                self._give_up(process)
        return process if self._is_ready else None

    def _start(self) -> "subprocess.Popen[bytes]":
        """Start it. It hears nothing of the terminal's Ctrl-C, and when our end of its pipe closes it ends."""
        return subprocess.Popen(  # noqa: S603 - our own program
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=os.sep,
        )

    def _asked(self, process: "subprocess.Popen[bytes]", asked: Preparing) -> imports.Batch:
        assert process.stdin is not None and process.stdout is not None
        send(process.stdin, asked)
        body = receive(process.stdout) if _tells(process.stdout, PATIENCE) else None
        match _decode(body) if body is not None else None:
            case Outcome(value):
                return _batch(value)
            case Refused(code, message, hint, retryable):
                raise Refusal(code, message, hint, retryable=retryable)
            case Fault(kind, where):
                log.error("analysis_failed", kind=kind, where=where)
        raise _NoAnswerError

    def _give_up(self, process: "subprocess.Popen[bytes]") -> None:
        """Go on without the process: it was idle and has ended, which is well, or something is wrong with it."""
        if process.poll() != 0:
            process.kill()
            self._not_before = time.monotonic() + PAUSE
            if not self._ended:
                log.error("analysis_failed", kind="ended")
        process.communicate()  # and its pipes are closed
        self._is_ready = False
        with self._gate:
            self._process = None


class _NoAnswerError(Exception):
    """The process did not answer."""


def _tells(stream: IO[bytes], seconds: float) -> bool:
    """Tell whether there is something to read within some seconds: between two messages nothing is in a buffer."""
    return bool(select.select([stream], [], [], seconds)[0])
