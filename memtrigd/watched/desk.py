"""What a folder's thread asks of the daemon: reads and writes in their lanes, and files read in a process apart."""

import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from memtrig import wire
from msgspec.structs import replace

from memtrigd.clockwork.apart import Work
from memtrigd.domain.errors import Refusal
from memtrigd.domain.folders import Line
from memtrigd.gate.doors import CONTROL
from memtrigd.gate.peers import Peer, own_uid
from memtrigd.gate.policy import Permit, spaces_of
from memtrigd.serve.dispatch import Caller, Dispatcher
from memtrigd.serve.handlers import Lane, Operation
from memtrigd.serve.places import pages
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import Hands, LevelReader
from memtrigd.store.lanes import stopping
from memtrigd.store.writer import WriterLane
from memtrigd.watched import taking
from memtrigd.watched.reading import FileRead, Reading
from memtrigd.watched.registry import Entry

COMMAND: Final = (sys.executable, "-P", "-m", "memtrigd.watched")
SLICE: Final = 8
"""Lines of one transaction: others write between two."""
PATIENCE: Final = 60.0
"""Seconds that the process apart may take for some files."""
SHORT: Final = 16
"""Characters of a digest, in hexadecimal: enough to tell the lines of one folder apart."""

Told: TypeAlias = Callable[[Any], None]
Result = TypeVar("Result")


class Desk:
    """The daemon as a folder's thread sees it. ``call`` has something done on the loop's thread."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        writers: WriterLane,
        apart: Callable[[tuple[str, ...]], Work],
        call: Callable[[Callable[[], None]], object],
    ) -> None:
        self.ending = threading.Event()
        self._dispatcher = dispatcher
        self._writers = writers
        self._apart = apart
        self.call = call
        self._gate = threading.Lock()
        self._work: Work | None = None

    def stop(self) -> None:
        """End what is under way: the next start goes on with it."""
        with self._gate:
            self.ending.set()
            if self._work is not None:
                self._work.end()

    def read(self, entry: Entry, files: Sequence[str]) -> list[FileRead]:
        """Read files of a folder in a process apart. Raises Refusal, RuntimeError."""
        with self._gate:
            if self.ending.is_set():
                raise stopping()
            self._work = work = self._apart(COMMAND)
        limit = threading.Timer(PATIENCE, work.end)
        limit.daemon = True
        limit.start()
        asked = Reading(entry.path, list(files), self._dispatcher.clock())
        try:
            found: list[FileRead] = work.run(asked, _unheard, list[FileRead])
        except Refusal as refusal:
            if refusal.code == "stopping" and not self.ending.is_set():
                raise RuntimeError("reading took too long") from None
            raise
        finally:
            limit.cancel()
        return found

    def pages(self, entry: Entry) -> dict[str, list[Line]]:
        """What the files said when they were taken up last."""
        return self._look(entry, lambda reader: pages(reader, entry.id))

    def digests(self, entry: Entry, texts: Sequence[str]) -> list[str]:
        """The digests of texts at the folder's level."""
        return self._look(entry, lambda reader: [reader.digest(text).hex()[:SHORT] for text in texts])

    def take(
        self, entry: Entry, lines: Sequence[tuple[wire.ImportRecord, str | None]]
    ) -> list[tuple[str | None, str | None]]:
        """Take lines, a slice in each transaction. A crash in between leaves lines that are known the next time."""
        zone, done = self._dispatcher.zone, list[tuple[str | None, str | None]]()
        for at in range(0, len(lines), SLICE):
            ready = [taking.drafted(record, entry, old, zone) for record, old in lines[at : at + SLICE]]
            done += self._write(entry, lambda turn, ready=ready: taking.take(turn, ready))  # type: ignore[misc]
        return done

    def settle(self, entry: Entry, file: str, lines: Sequence[Line], closing: Sequence[str]) -> None:
        """Keep what a file says, and close memories."""
        self._write(entry, lambda turn: taking.settle(turn, file, lines, closing))

    def note(self, run: Callable[[Hands], None]) -> None:
        """Keep something in control.db."""
        self._await(lambda told: self._writers.submit(None, run, told))

    def _look(self, entry: Entry, run: Callable[[LevelReader], Result]) -> Result:
        def looked(turn: Turn) -> Result:
            reader = turn.view.reader(entry.level)
            if reader is None:
                raise Refusal("level_unavailable", f"{entry.level.name} can't be used.", "`memtrigctl status`")
            return run(reader)

        owner = Caller(CONTROL, Peer(own_uid()))
        found: Result = self._await(lambda told: self._dispatcher.look(owner, looked, told))
        return found

    def _write(self, entry: Entry, run: Callable[[Turn], Result]) -> Result:
        """Run in a transaction of the folder's level, as the folder."""
        reads, kept = entry.level.and_below(), list[Result]()
        leave = Permit(taking.voice(entry.id), entry.level, reads, spaces_of(entry.space), asker=(entry.id, None))

        def act(turn: Turn, _: object) -> wire.Result:
            kept.append(run(turn))
            return wire.Noted(sessions=0)

        def queue(told: Told) -> None:
            here = replace(leave, missing=self._dispatcher.missing(reads))
            self._dispatcher.queue(Operation(Lane.WRITE, act), here, _NO_KEY, None, told)

        self._await(queue)
        return kept[-1]

    def _await(self, ask: Callable[[Told], object]) -> Any:
        """Ask on the loop's thread and wait for the outcome. Raises what that raised, ``stopping`` at the end."""
        there, outcome = threading.Event(), list[Any]()

        def told(each: Any) -> None:
            outcome.append(each)
            there.set()

        def begin() -> None:
            try:
                ask(told)
            except Refusal as refusal:
                told(refusal)

        try:
            self.call(begin)
        except RuntimeError:  # the loop has ended
            raise stopping() from None
        while not there.wait(0.1):
            if self.ending.is_set():
                raise stopping()
        if isinstance(outcome[0], Exception):
            raise outcome[0]
        return outcome[0]


def _unheard(_: object) -> None:
    """A reader tells nothing until it is done."""


_NO_KEY: Final = wire.Import(records=[])
"""In place of a request: it has no idempotency key, for a line is known by its text."""
