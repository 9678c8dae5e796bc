"""The model in its own process: prepared, loaded, and asked until the daemon is gone."""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np

from memtrigd.embedder import calibration, shelf
from memtrigd.embedder.calibration import Calibration
from memtrigd.embedder.desk import Desk
from memtrigd.embedder.messages import Embed, Embedded, Failed, Kind, Model, Ready, Vector, Warming
from memtrigd.embedder.runtime import Numbers, Runtime, Stop
from memtrigd.embedder.shelf import Files, Unusable

GIVES_WAY: Final = 32
"""How often a passage is begun again because a query came."""
NICE: Final = 10
"""How much less it gets of a busy processor than the daemon, as nice(1) counts."""
CALIBRATION: Final = "calibration.json"
EVERY: Final = 0.2
"""Seconds between two tellings of how far it is."""


def serve(directory: str) -> None:
    """Serve the daemon at the other end of the standard input, with the model of a directory, or the installed one."""
    be_nice()
    desk = Desk(socket.socket(fileno=os.dup(0)))
    try:
        files = shelf.find(Path(directory) if directory else None, shelf.cache())
        if shelf.prepare(files, shelf.cache(), _telling(desk, "convert")):
            os.execv(sys.executable, sys.orig_argv)  # noqa: S606 - ourselves, without what was needed to make it
        desk.open()
        served = Served(files, _telling(desk, "calibrate"))
    except Unusable as why:
        desk.say(Failed(why.code, why.message, why.again))
        return
    desk.say(Ready(served.model))
    while True:
        served.answer(desk.take(), desk)


def be_nice() -> None:
    """Leave the processor to whoever waits; what is written is for us alone."""
    os.umask(0o077)
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, NICE)


class Served:
    """A model that is loaded and calibrated. Raises Unusable."""

    def __init__(self, files: Files, told: Callable[[int, int], None]) -> None:
        try:
            self._runtime = Runtime(files.model, files.tokenizer, files.prefixes)
            self._usual = self._calibrated(files, told)
        except Exception as error:  # each of the libraries has its own
            raise Unusable(
                "model_broken", f"The model can't be used: {type(error).__name__} in {files.model}."
            ) from error
        usual, dim = self._usual, len(self._usual.mean) // 4
        self.model = Model(files.name, files.digest, dim, usual.mu, usual.sigma, usual.floor)

    def answer(self, wanted: Embed, desk: Desk) -> None:
        """Answer a request; queries that come meanwhile are answered before it goes on."""
        if wanted.until and time.monotonic() > wanted.until:
            desk.say(Embedded(wanted.id, None))
            return
        try:
            vectors = [tuple(self._found(text, wanted.kind, desk)) for text in wanted.texts]
        except Exception:  # whatever it is, it is of this text: nobody else shall suffer for it
            vectors = None
        desk.say(Embedded(wanted.id, vectors))

    def _found(self, text: str, kind: Kind, desk: Desk) -> Iterator[Vector]:
        for ids in self._runtime.passages(text, kind):
            raw = self._runtime.raw(ids) if kind == "query" else self._giving_way(ids, desk)
            yield self._usual.centred(raw)

    def _giving_way(self, ids: list[int], desk: Desk) -> Numbers:
        """The vector of a passage, which is begun again when a query comes meanwhile; but not for ever."""
        for _ in range(GIVES_WAY):
            stop = Stop()
            desk.under_way = stop
            while (query := desk.query()) is not None:
                self.answer(query, desk)
            raw = self._runtime.raw(ids, stop)
            if raw is not None:
                return raw
        return self._runtime.raw(ids)

    def tried(self) -> tuple[Numbers, Numbers, Numbers]:
        """A question of the background, what answers it, and what answers another: as vectors."""
        first, other = calibration.rows()[:2]
        texts: tuple[tuple[str, Kind], ...] = ((first[2], "query"), (first[3], "passage"), (other[3], "passage"))
        found = [np.frombuffer(self._usual.centred(self._first(*each)), np.float32) for each in texts]
        return found[0], found[1], found[2]

    def _calibrated(self, files: Files, told: Callable[[int, int], None]) -> Calibration:
        known = calibration.load(files.folder / CALIBRATION)
        if known is None:
            known = calibration.calibrate(self._first, told)
            with suppress(OSError):  # else it is calibrated anew at the next start
                files.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                shelf.write(files.folder / CALIBRATION, calibration.kept(known))
        return known

    def _first(self, text: str, kind: Kind) -> Any:
        return self._runtime.raw(next(iter(self._runtime.passages(text, kind))))


def _telling(desk: Desk, what: Any) -> Callable[[int, int], None]:
    """Tell the daemon how far it is, some times a second."""
    next_ = 0.0

    def told(done: int, of: int) -> None:
        nonlocal next_
        if time.monotonic() >= next_:
            next_ = time.monotonic() + EVERY
            desk.say(Warming(what, done, of))

    return told
