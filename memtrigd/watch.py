"""Watching directories: a change is looked at in a part of a second, and what no watch tells of at the next poll."""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import structlog
import watchfiles

STEP: Final = 150
"""Milliseconds between two looks of a watch at what the system has told it: each wakes the processor."""
GATHERED: Final = 400
"""Milliseconds for which changes that follow each other are gathered at most."""

log = structlog.get_logger()


class Watch:
    """A thread that calls ``look`` when something changes in a directory of ``places``, and every ``poll`` seconds.

    Directories and not files: editors put a new file in the place of the old one. A directory that was itself replaced,
    and one that is new among ``places``, is watched from the next look on.
    """

    def __init__(
        self, name: str, places: Callable[[], Iterable[Path]], look: Callable[[], None], *, poll: float
    ) -> None:
        self._places = places
        self._look = look
        self._poll = poll
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no more; returns when the last look is over."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._watch()
            except Exception as error:  # the watch is a hint: without it the poll goes on
                log.warning("not_watched", job=self._thread.name, kind=type(error).__name__)
                self._pause()

    def _watch(self) -> None:
        """Watch the directories as they are now, until they are others."""
        there = self._identities()
        if not there:
            self._pause()
            return
        self._look()  # what was saved before the watch was set up
        for _ in watchfiles.watch(
            *there,
            recursive=False,
            debounce=GATHERED,
            step=STEP,
            stop_event=self._stop,
            rust_timeout=int(self._poll * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
        ):
            self._look()
            if self._identities() != there:
                return

    def _pause(self) -> None:
        if not self._stop.wait(self._poll):
            self._look()

    def _identities(self) -> dict[Path, tuple[int, int]]:
        """Which directories there are, and whether one is still the same."""
        found: dict[Path, tuple[int, int]] = {}
        for place in self._places():
            try:
                status = place.stat()
            except OSError:
                continue
            found[place] = (status.st_dev, status.st_ino)
        return found
