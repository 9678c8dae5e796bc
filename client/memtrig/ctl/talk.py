"""One question to the daemon and its answer. ``memtrig.wire`` is the specification; here the messages are plain maps.

msgpack and sockets only: msgspec, which the client library uses, would cost a third of the whole command's time.
"""

from __future__ import annotations

import os
import socket
import time

import msgpack

from memtrig.ctl.failure import UNREACHABLE, Failure
from memtrig.limits import MAX_FRAME, PREFIX, PROTOCOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from memtrig.homes import Home

    Heard = Callable[[dict[str, Any]], object]

TIMEOUT = 10.0
"""Seconds for the whole question, tries and pauses included."""
PAUSES = (0.1, 0.3, 0.9)
"""Seconds before another try."""
WRITES = frozenset(
    ("save", "delete", "confirm", "reject", "deny", "forget", "unforget", "undo", "erase", "expire", "decay", "vacuum")
) | {"pin", "promise.add", "promise.done", "wellness.add", "alias.add", "alias.remove", "restore", "import"}
WRITES |= frozenset(("bundle.take",))
"""The requests that change something: memtrig.wire.Write and what is derived of it."""


class Caller:
    """Who asks, and at which door. ``path`` is the socket."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def requests(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """List what goes out on a fresh connection, the request itself last."""
        return [request]

    def welcomed(self, result: dict[str, Any]) -> None:
        """Take note of an answer that came before that of the request."""


class Owner(Caller):
    """The owner at the control socket. ``level`` is where to act; None reads every level and writes to INTERNAL."""

    __slots__ = ("level",)

    def __init__(self, home: Home, level: str | None = None) -> None:
        super().__init__(home.control_socket)
        self.level = level

    def act(self, request: dict[str, Any], level: str | None = None, **beside: Any) -> dict[str, Any]:
        """Wrap a request about memories: on the control socket it says at which level it is made, if not the own."""
        level = level or self.level
        return {"type": "act", "request": request, **beside} | ({"level": level} if level else {})


class Agent(Caller):
    """An agent at the socket of a level; a second try continues the session of the first."""

    __slots__ = ("hello",)

    def __init__(self, home: Home, level: str, agent: str | None = None) -> None:
        super().__init__(home.level_socket(level))
        self.hello: dict[str, Any] = {"type": "hello", "protocol": PROTOCOL, "client": "memtrigctl"}
        if agent is not None:
            self.hello["agent"] = agent

    def requests(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """Put the hello first."""
        return [self.hello, request]

    def welcomed(self, result: dict[str, Any]) -> None:
        """Keep the session's token."""
        self.hello["resume"] = result.get("resume")


class Reply:
    """A result as a map, and the visible levels that could not be consulted for it."""

    __slots__ = ("incomplete", "result")

    def __init__(self, result: dict[str, Any], incomplete: list[str]) -> None:
        self.result = result
        self.incomplete = incomplete


def make_request(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Make a request; a write gets an idempotency key, so that trying again never writes twice."""
    return {"type": name, **fields} | ({"idempotency_key": os.urandom(16).hex()} if name in WRITES else {})


def ask(caller: Caller, request: dict[str, Any], timeout: float = TIMEOUT, heard: Heard | None = None) -> Reply:
    """Ask and wait for the answer; ``heard`` gets the notices that come before it, of which each grants as long again.

    A refusal that promises success later is tried again for a moment; a connection that breaks off once, and then a
    daemon that is just starting again is waited for as long. Raises Failure.
    """
    deadline = time.monotonic() + timeout
    pauses = iter(PAUSES)
    lost: Failure | None = None
    while True:
        try:
            return _exchange(caller, request, deadline, timeout, heard)
        except Failure as failure:
            pause = next(pauses, None)
            if pause is None or not _worth_another_try(failure, lost):
                raise (lost if lost and failure.code == "daemon_down" else failure) from None
            lost = failure if failure.code == "connection_lost" else lost
        time.sleep(pause)


def follow(caller: Caller, request: dict[str, Any], timeout: float = TIMEOUT) -> Iterator[dict[str, Any]]:
    """Ask once, and give the answer and then whatever comes unasked, in the order of its coming, without end.

    Only the answer is waited for with a time-out. Raises Failure, also when the daemon goes away.
    """
    deadline: float | None = time.monotonic() + timeout
    requests = caller.requests(request)
    with connected(caller.path, time.monotonic() + timeout) as connection:
        try:
            connection.sendall(_frames(requests))
            while True:
                answer = answer_on(connection, caller.path, deadline)
                if isinstance(answer.get("notice"), dict):
                    yield _untyped(answer["notice"])
                    continue
                reply = unwrapped(answer, caller.path)
                if answer.get("id") == len(requests):
                    deadline = None
                    yield reply.result
        except TimeoutError:
            raise _too_slow(caller.path) from None
        except OSError:
            raise _lost(caller.path) from None


def _worth_another_try(failure: Failure, lost: Failure | None) -> bool:
    """Decide after a failure; ``lost`` is that of the connection that broke off before, if one did."""
    if failure.code in ("daemon_down", "timeout"):
        return lost is not None and failure.code == "daemon_down"
    return failure.retryable and not (lost and failure.code == "connection_lost")


def _exchange(caller: Caller, request: dict[str, Any], deadline: float, timeout: float, heard: Heard | None) -> Reply:
    """Try once, on a connection of its own: send everything in one piece, read up to the answer of the last."""
    requests = caller.requests(request)
    frames = _frames(requests)
    with connected(caller.path, deadline) as connection:
        try:
            connection.sendall(frames)
            while True:
                answer = answer_on(connection, caller.path, deadline)
                if heard is not None and isinstance(answer.get("notice"), dict):
                    heard(_untyped(answer["notice"]))
                    deadline = time.monotonic() + timeout
                    continue
                reply = unwrapped(answer, caller.path)
                if answer.get("id") == len(requests):
                    return reply
                caller.welcomed(reply.result)
        except TimeoutError:
            raise _too_slow(caller.path) from None
        except OSError:
            raise _lost(caller.path) from None


def _frames(requests: list[dict[str, Any]]) -> bytes:
    return b"".join(framed({"id": number, "request": each}) for number, each in enumerate(requests, 1))


def framed(message: dict[str, Any]) -> bytes:
    """Put a message in a frame. Raises Failure ``too_large``."""
    body: bytes = msgpack.packb(message)
    if len(body) > MAX_FRAME:
        raise Failure(
            "too_large",
            f"The request has {len(body):,} bytes; a frame holds {MAX_FRAME:,}.",
            "Save it in parts, each with its own key, or keep the long text in a file and remember where it is.",
        )
    return len(body).to_bytes(PREFIX, "big") + body


def connected(path: str, deadline: float) -> socket.socket:
    """Connect until ``deadline``, by the monotonic clock. Raises Failure."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(_left(deadline))
        connection.connect(path)
    except TimeoutError:
        connection.close()
        raise _too_slow(path) from None
    except OSError as error:
        connection.close()
        raise Failure(
            "daemon_down",
            f"No memtrigd answers at {path} ({error.strerror or error}).",
            "Start it with `memtrigd`, or name its home with --home DIR.",
            retryable=True,
            exit_code=UNREACHABLE,
        ) from None
    return connection


def answer_on(connection: socket.socket, path: str, deadline: float | None) -> dict[str, Any]:
    """Read an answer until ``deadline``. Raises OSError where the connection breaks off or time is over, or Failure."""
    size = int.from_bytes(_read(connection, PREFIX, deadline), "big")
    if size > MAX_FRAME:
        raise _foreign(path)
    try:
        answer = msgpack.unpackb(_read(connection, size, deadline))
    except (ValueError, msgpack.UnpackException):
        raise _foreign(path) from None
    if not isinstance(answer, dict):
        raise _foreign(path)
    return answer


def _read(connection: socket.socket, size: int, deadline: float | None) -> bytes:
    """Read exactly ``size`` bytes. Raises ConnectionError if there are fewer."""
    data = bytearray()
    while len(data) < size:
        connection.settimeout(_left(deadline))
        piece = connection.recv(min(size - len(data), 1 << 16))
        if not piece:
            raise ConnectionError
        data += piece
    return bytes(data)


def unwrapped(answer: dict[str, Any], path: str) -> Reply:
    """Take the result out of an answer, or raise its error."""
    incomplete = answer.get("incomplete") or []
    error, result = answer.get("error"), answer.get("result")
    if isinstance(error, dict):
        raise Failure(
            error.get("code", "internal"),
            error.get("message", ""),
            error.get("hint", ""),
            retryable=error.get("retryable", False),
            incomplete=incomplete,
        )
    if not isinstance(result, dict):
        raise _foreign(path)
    return Reply(_untyped(result), incomplete)


def _untyped(message: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name != "type"}


def _left(deadline: float | None) -> float | None:
    """Seconds up to the deadline, if any. Raises TimeoutError after it: 0 would mean a socket that never waits."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _too_slow(path: str) -> Failure:
    return Failure(
        "timeout",
        f"The memtrigd at {path} did not answer in time.",
        "It may be very busy or stopped; a write may or may not have been made.",
        retryable=True,
        exit_code=UNREACHABLE,
    )


def _lost(path: str) -> Failure:
    return Failure(
        "connection_lost",
        f"The memtrigd at {path} broke off before it answered.",
        "A write may or may not have been made: look with `memtrigctl get KEY`, or say it again.",
        retryable=True,
        exit_code=UNREACHABLE,
    )


def _foreign(path: str) -> Failure:
    return Failure(
        "bad_frame",
        f"What answers at {path} does not speak memtrigd's protocol.",
        "Is another program, or a memtrigd of another version, listening there?",
        exit_code=UNREACHABLE,
    )
