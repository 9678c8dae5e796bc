"""Attention to the files of guidance while the daemon runs: a change is in force within two seconds."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from memtrig.homes import Home

from memtrigd.domain.moments import Micros
from memtrigd.guidance.awareness import locale_of
from memtrigd.guidance.keeper import POLL, Keeper
from memtrigd.watch import Watch


def begin_keeping(home: Home, environ: Mapping[str, str], clock: Callable[[], Micros]) -> Keeper:
    """Take up the guidance of a home; the first one is made in the language of the environment."""
    keeper = Keeper(home, locale_of(environ), clock)
    keeper.begin()
    return keeper


class Attention:
    """Has the keeper look when a file may have changed, and tells its listeners on the loop's thread."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._loop = asyncio.get_running_loop()
        self._watch = Watch("memtrigd-guidance", keeper.places, self._look, poll=POLL)

    def start(self) -> None:
        """Begin to watch."""
        self._watch.start()

    def stop(self) -> None:
        """Watch no more."""
        self._watch.stop()

    def look(self) -> None:
        """Look now, beside the loop: a file that is being written is waited for."""
        threading.Thread(target=self._look, name="memtrigd-guidance-now", daemon=True).start()

    def _look(self) -> None:
        if changed := self._keeper.look():
            with suppress(RuntimeError):  # the loop has ended: there is nobody to tell any more
                self._loop.call_soon_threadsafe(self._tell, changed)

    def _tell(self, changed: list[str | None]) -> None:
        for agent in changed:
            for listener in self._keeper.listeners:
                listener(agent)
