"""What is told on the pipes of work done apart: messages, each with its length before it.

A module of its own, so that a process that only reads files need not load what the daemon needs to start it.
"""

from typing import IO, Final, TypeAlias

import msgspec
from msgspec import Raw, Struct

from memtrigd.domain.levels import Level

PREFIX: Final = 4
"""Bytes of a length, big-endian, before each message."""


class Progress(Struct, frozen=True, tag="progress"):
    """How far it is: what is done, at which level, how much of it, and of how much (0 where nobody counts)."""

    level: Level
    what: str
    done: int = 0
    of: int = 0


class Refused(Struct, frozen=True, tag="refused"):
    """It came to a Refusal."""

    code: str
    message: str
    hint: str
    retryable: bool


class Fault(Struct, frozen=True, tag="fault"):
    """It came to an exception that nobody foresaw: its kind and place, nothing that it says."""

    kind: str
    where: str


class Outcome(Struct, frozen=True, tag="outcome"):
    """What it came to."""

    value: Raw


Message: TypeAlias = Progress | Refused | Fault | Outcome


def send(stream: IO[bytes], message: Struct) -> None:
    """Write a message with its length before it."""
    body = msgspec.msgpack.encode(message)
    stream.write(len(body).to_bytes(PREFIX, "big") + body)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read the body of a message; None where there is no whole one any more."""
    size = int.from_bytes(stream.read(PREFIX), "big")
    body = stream.read(size)
    return body if body and len(body) == size else None
