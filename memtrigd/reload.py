"""The configuration while the daemon runs: a changed file takes effect, a bad one leaves the last good one in force."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog
from memtrig.homes import Home

from memtrigd import config
from memtrigd.config import Config
from memtrigd.watch import Watch

POLL: Final = 30.0
"""Seconds after which the file is looked at even if nobody told of a change: what a watch misses, a look finds."""
SETTLING: Final = 1.0
"""Seconds after which the file is looked at once more: a watch that is being set up does not see what is saved then."""

log = structlog.get_logger()


class Reloader:
    """Keeps the configuration that is in force, and hands a new one to ``apply`` on the loop's thread."""

    def __init__(self, home: Home, current: Config, apply: Callable[[Config], None]) -> None:
        self._home = home
        self._current = current
        self._apply = apply
        self._loop = asyncio.get_running_loop()
        self._watch = Watch("memtrigd-config", lambda: [Path(home.config)], self._tell, poll=POLL)

    def start(self) -> None:
        """Begin to watch the directory: editors put a new file in the place of the old one, so the file can't be."""
        Path(self._home.config).mkdir(mode=0o700, parents=True, exist_ok=True)
        self._watch.start()
        self._loop.call_later(SETTLING, self.reload)

    def stop(self) -> None:
        """Watch no more."""
        self._watch.stop()

    def reload(self) -> None:
        """Read the file again. What can't be read or is wrong changes nothing, and the log says why."""
        try:
            fresh = config.load(self._home)
        except config.BadConfig as error:
            log.error("config_kept", why=str(error))
            return
        if fresh != self._current:
            if fresh.time != self._current.time:
                log.warning("config_needs_restart", why="[time] is read at the start alone")
            self._current = fresh
            self._apply(fresh)
            log.info("config_reloaded")

    def _tell(self) -> None:
        """Tell the loop of a change, from the watch's thread."""
        self._loop.call_soon_threadsafe(self.reload)
