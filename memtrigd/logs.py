"""Logs: ids and codes, never contents, keys, tags, entities or queries. Lines for people on a terminal, else JSON."""

from typing import Final, TextIO

import structlog
from structlog.types import EventDict

LEVELS: Final = ("debug", "info", "warning", "error", "critical")
"""From the most to the least talkative. ``debug`` has a line for each request."""


class Talk:
    """How much is said. It may change while the daemon runs."""

    least = LEVELS.index("info")

    def at(self, level: str) -> None:
        """Say what is at ``level`` or weightier from now on."""
        self.least = LEVELS.index(level)


talk: Final = Talk()


def configure(stream: TextIO) -> None:
    """Send every entry to ``stream``, with its time in UTC."""
    people = stream.isatty()
    structlog.configure(
        processors=[
            _heed,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer() if people else structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )


def _heed(_: object, method: str, entry: EventDict) -> EventDict:
    """Drop what is not to be said."""
    if LEVELS.index(method) < talk.least:
        raise structlog.DropEvent
    return entry
