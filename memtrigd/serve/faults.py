"""Faults of our own, logged by their kind and place. Never by their message: that may hold what the user said."""

import asyncio
import os
import traceback
from typing import Any

import structlog

log = structlog.get_logger()


def record(error: BaseException) -> str:
    """Log what sort of error it was and where it happened; returns the random id by which the entry is found."""
    number = os.urandom(4).hex()
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}:{frame.name}" for frame in frames]
    log.error("fault", id=number, kind=type(error).__name__, where=where)
    return number


def of_job(outcome: Any) -> None:
    """Take what became of a job that nobody waits for."""
    if isinstance(outcome, Exception):
        record(outcome)


def of_loop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Take what asyncio would print of a failed callback, with its arguments: an exception handler for the loop."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        record(error)
    else:
        log.error("fault", kind="asyncio", where=[])
