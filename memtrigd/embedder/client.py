"""The model as the daemon sees it: a process that is started, asked, and started anew when it ends. On the loop alone.

Its life follows no traffic: it is there or not for every level alike. Nobody waits for it longer than a query may take,
and while it is not there searches go by the words.
"""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

import structlog
from msgspec import Struct

from memtrigd.embedder.channel import Channel
from memtrigd.embedder.choice import Choice
from memtrigd.embedder.messages import (
    Embed,
    Embedded,
    Failed,
    FromModel,
    Kind,
    Model,
    Ready,
    Vectors,
    Warming,
)

COMMAND: Final = (sys.executable, "-P", "-m", "memtrigd.embedder", "serve")
PATIENCE: Final = 0.3
"""Seconds that a query waits for its vector."""
QUERIES: Final = 64
"""Queries that may wait at a time; with more, those that come go by the words."""
FIRST_AGAIN: Final = 1.0
"""Seconds before a process that ended is started anew; twice as long each time, up to LAST_AGAIN."""
LAST_AGAIN: Final = 300.0
"""As long, too, until what is broken is looked at again: somebody may have mended it."""
HUNG: Final = 60.0
"""Seconds without a word while a query waits, after which a process is ended: queries go before all that takes long."""
STEADY: Final = 60.0
"""Seconds for which it must have been ready before the next end counts as the first."""

State: TypeAlias = Literal["off", "warming", "ready", "failed"]
Done: TypeAlias = Callable[[Sequence[Vectors] | None], None]

log = structlog.get_logger()


_DOING: Final = {"convert": "made of its weights, once", "calibrate": "calibrated, once", "load": "being loaded"}


class Condition(Struct, frozen=True):
    """How it is with the model; ``message`` is for the owner, and ``done`` of ``of`` is how far it is."""

    state: State = "off"
    code: str = ""
    message: str = ""
    name: str | None = None
    """Of the model that is ready."""
    done: int = 0
    of: int = 0


class _Waiting(Struct):
    done: Done
    timer: asyncio.TimerHandle | None


class Embedder:
    """The model's process, its state, and who waits for vectors."""

    def __init__(self, command: Sequence[str] = COMMAND, *, first_again: float = FIRST_AGAIN) -> None:
        self._command, self._first_again = tuple(command), first_again
        self._choice, self._begun = Choice(on=False), False
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._waiting: dict[int, _Waiting] = {}
        self._queries = self._number = 0
        self._again, self._since = first_again, 0.0
        self._silent = 0.0
        """When it was asked what it did not say a word to yet; 0 where there is nothing of the kind."""
        self._timer: asyncio.TimerHandle | None = None
        self.condition = Condition()
        self.model: Model | None = None
        """The model that is ready; None while none is."""
        self.listeners: list[Callable[[], None]] = []
        """Called on the loop whenever the state is another."""

    @property
    def state(self) -> State:
        """Of "off" (not wanted, or not installed), "warming", "ready" and "failed"."""
        return self.condition.state

    @property
    def pid(self) -> int | None:
        """The process; None where there is none."""
        return None if self._process is None else self._process.pid

    def choose(self, choice: Choice) -> None:
        """Use another model, or none. The one in use ends; whoever waits for it gets nothing."""
        if choice == self._choice:
            return
        self._choice, self._again = choice, self._first_again
        if self._begun:
            self._end()
            self._become(Condition())
            self._start()

    def start(self) -> None:
        """Begin, with the model that was chosen: in the background."""
        self._begun = True
        self._start()

    def stop(self) -> None:
        """End the process for good."""
        self._begun = False
        self._end()
        self._become(Condition())

    def ask(self, texts: Sequence[str], kind: Kind, done: Done) -> None:
        """Have the vectors of texts handed to ``done``, once, on the loop, or None where there will be none.

        A query waits for PATIENCE, passages until the process ends. A long passage has several vectors.
        """
        query = kind == "query"
        if self._channel is None or self.state != "ready" or (query and self._queries >= QUERIES):
            asyncio.get_running_loop().call_soon(done, None)
            return
        self._number += 1
        number = self._number
        timer = asyncio.get_running_loop().call_later(PATIENCE, self._late, number) if query else None
        self._queries += query
        self._silent = self._silent or (time.monotonic() if query else 0.0)
        self._waiting[number] = _Waiting(done, timer)
        until = time.monotonic() + PATIENCE if query else 0.0
        self._channel.send(Embed(number, kind, list(texts), until))

    def _start(self) -> None:
        self._timer = None
        if not self._choice.on:
            return
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = self._process = subprocess.Popen(  # noqa: S603 - our own program
                    [*self._command, self._choice.directory or ""],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    cwd=os.sep,
                )
            except OSError as error:
                ours.close()
                self._failed(Failed("cannot_start", f"The model's process can't be started: {error.strerror}.", True))
                return
        self._become(Condition("warming", "load", _DOING["load"]))
        self._channel = Channel(ours, self._heard, lambda: self._lost(process))

    def _heard(self, message: FromModel) -> None:
        self._silent = 0.0
        match message:
            case Embedded(number, vectors):
                self._settle(number, vectors)
            case Warming(what, done, of):
                self._become(Condition("warming", what, _DOING[what], done=done, of=of))
            case Ready(model):
                self.model, self._since = model, time.monotonic()
                log.info("model_ready", id=model.digest[:12])
                self._become(Condition("ready", name=model.name))
            case Failed():
                self._end()
                self._failed(message)

    def _late(self, number: int) -> None:
        self._settle(number, None)
        if self._process is not None and self._silent and time.monotonic() - self._silent > HUNG:
            self._lost(self._process)

    def _lost(self, process: "subprocess.Popen[bytes]") -> None:
        """It ended by itself, or was killed, or does not speak as it should, or not at all."""
        if process is not self._process:
            return
        if self.model is not None and time.monotonic() - self._since > STEADY:
            self._again = self._first_again
        self._end()
        self._failed(Failed("ended", "The model's process ended; it will be started anew.", True))

    def _failed(self, failure: Failed) -> None:
        if failure.code == "not_installed":
            self._become(Condition("off", failure.code, failure.message))
            return
        log.warning("model_failed", code=failure.code)
        self._become(Condition("failed", failure.code, failure.message))
        after = self._again if failure.again else LAST_AGAIN
        self._timer = asyncio.get_running_loop().call_later(after, self._start)
        if failure.again:
            self._again = min(2 * self._again, LAST_AGAIN)

    def _end(self) -> None:
        """End the process, if there is one. Whoever waits gets nothing."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        process, channel, self._process, self._channel, self.model = self._process, self._channel, None, None, None
        self._silent = 0.0
        if channel is not None:
            channel.close()
        if process is not None:
            process.kill()
            asyncio.get_running_loop().run_in_executor(None, process.wait)  # half a gigabyte is not gone in a moment
        for number in list(self._waiting):
            self._settle(number, None)

    def _settle(self, number: int, vectors: Sequence[Vectors] | None) -> None:
        waiting = self._waiting.pop(number, None)
        if waiting is None:
            return  # it was too late
        if waiting.timer is not None:
            waiting.timer.cancel()
            self._queries -= 1
        waiting.done(vectors)

    def _become(self, condition: Condition) -> None:
        before, self.condition = self.condition.state, condition
        if condition.state != before:
            for listener in self.listeners:
                listener()
