"""The owner's own command for a due promise, such as a desktop notification: none unless the configuration names one.

The text goes to its standard input and only if the owner allowed it, never into its arguments, where every user of the
machine could read it. There is no shell. Nothing leaves the machine unless the owner's command sends it.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import structlog
from memtrig import wire
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.writer import WriterLane

PREFIX: Final = "told."
"""Of the settings that say which promises the owner was told of: ids, which name no content."""
TOO_LONG: Final = 124
"""The exit code of a command that was killed for being slow, as timeout(1) has it."""
UNSAID: Final = "A promise is due."
PATIENCE: Final = 10.0
"""Seconds that a command has."""
PASSED_ON: Final = ("PATH", "HOME", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
"""All that a command has of our environment: what it takes to reach the desktop."""

log = structlog.get_logger()


class Orders(Struct, frozen=True):
    """What the owner wants: a program and its arguments (none: nothing is done), for the promises of which levels."""

    command: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    say_text: bool = False


Find: TypeAlias = Callable[[Callable[[Sequence[wire.Notice] | Exception], None]], None]
"""Looks for the owner's due promises, at every level, and tells of them on the loop's thread."""
Run: TypeAlias = Callable[[Sequence[str], str], Awaitable[int]]
"""Runs a command with a text on its standard input; returns its exit code."""


class Errands:
    """Runs the command once for each promise, one after the other. It is noted first: a crash tells none twice."""

    def __init__(self, orders: Orders, find: Find, rows: ControlReader, writers: WriterLane, run: Run) -> None:
        self.orders = orders
        self._find = find
        self._rows = rows
        self._writers = writers
        self._run = run
        self._noted: set[str] = set()
        self._running: asyncio.Task[None] | None = None

    def tick(self) -> None:
        """Look whether there is anybody to tell."""
        if self.orders.command and self._running is None:
            self._find(self._found)

    def _found(self, outcome: Sequence[wire.Notice] | Exception) -> None:
        if isinstance(outcome, Exception):
            log.error("promises_not_looked_at", kind=type(outcome).__name__)
            return
        fresh = list(self._untold(outcome))
        if fresh and self._running is None:
            self._running = asyncio.get_running_loop().create_task(self._tell(fresh))
            self._running.add_done_callback(self._over)

    def _untold(self, due: Sequence[wire.Notice]) -> Iterator[tuple[str, str]]:
        levels = {level.name for level in self.orders.levels}
        for promise in due:
            if promise.id is not None and promise.level in levels and not self._was_told(promise.id):
                yield promise.id, promise.text or ""

    def _was_told(self, promise: str) -> bool:
        return promise in self._noted or self._rows.setting(PREFIX + promise) is not None

    async def _tell(self, due: Sequence[tuple[str, str]]) -> None:
        for promise, text in due:
            orders = self.orders
            if not await self._note(promise):
                continue
            try:
                code = await self._run(orders.command, text if orders.say_text else UNSAID)
            except OSError as error:
                log.error("command_failed", kind=type(error).__name__)
            else:
                if code:
                    log.error("command_failed", code=code)

    async def _note(self, promise: str) -> bool:
        """Keep on disk that a promise was told of; tell whether that worked."""
        self._noted.add(promise)
        loop = asyncio.get_running_loop()
        noted: asyncio.Future[Any] = loop.create_future()
        setting = PREFIX + promise
        self._writers.submit(None, lambda hands: hands.control.set_setting(setting, "1"), noted.set_result)
        if isinstance(await noted, Exception):
            self._noted.discard(promise)  # the next look tries again
            return False
        return True

    def _over(self, task: "asyncio.Task[None]") -> None:
        self._running = None
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("command_failed", kind=type(error).__name__)


async def run_command(command: Sequence[str], text: str, environ: Mapping[str, str] = os.environ) -> int:
    """Run a command without a shell; its output goes nowhere. Returns its exit code, TOO_LONG after PATIENCE."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={name: environ[name] for name in PASSED_ON if name in environ},
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            await process.communicate(text.encode())
    except TimeoutError:
        return TOO_LONG
    finally:
        if process.returncode is None:  # too slow, or the daemon stops
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return process.returncode or 0
