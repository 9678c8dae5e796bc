"""Logs: ids and codes, never contents, keys, tags, entities or queries. Lines for people on a terminal, else JSON."""

from typing import TextIO

import structlog


def configure(stream: TextIO) -> None:
    """Send every entry to ``stream``, with its time in UTC."""
    people = stream.isatty()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer() if people else structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
