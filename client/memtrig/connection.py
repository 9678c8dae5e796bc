"""A blocking connection: dialled, one request in flight at a time, bounded in time."""

from __future__ import annotations

import errno
import os
import socket
import struct
from time import monotonic

from memtrig import wire
from memtrig.errors import DaemonDown, MemtrigError, Timeout
from memtrig.frames import Splitter, astray, encode

READ = 1 << 16
"""Bytes asked for at once: nearly every answer comes in one read."""
SLACK = 0.02
"""Seconds by which a socket's own time limit may be too long before it is set anew, which costs two system calls."""


def dial(path: str) -> socket.socket:
    """Connect to a Unix socket, without waiting: it answers at once or not at all. The socket blocks afterwards.

    Raises DaemonDown (retryable where a daemon that is being restarted looks the same), or MemtrigError ``busy`` if
    more callers are waiting than the daemon's backlog holds.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        sock.connect(path)
        sock.setblocking(True)
    except BlockingIOError:
        sock.close()
        raise MemtrigError("busy", f"Too many callers wait at {path}.", "Try again soon.", True) from None
    except (FileNotFoundError, ConnectionRefusedError) as error:
        sock.close()
        raise DaemonDown(
            "daemon_down",
            f"memtrigd is not running: nothing listens on {path} ({os.strerror(error.errno or 0)}).",
            "Start it by typing: memtrigd",
            True,
        ) from None
    except OSError as error:
        sock.close()
        raise DaemonDown(
            "daemon_down", f"memtrigd can't be reached on {path}: {error.strerror or error}.", "Is it the right home?"
        ) from None
    except BaseException:
        sock.close()
        raise
    return sock


def lost(error: OSError | None = None) -> DaemonDown:
    """Make the error for a connection that broke: it ended, or failed with ``error``."""
    how = f" ({errno.errorcode.get(error.errno or 0, error)})" if error else ""
    return DaemonDown(
        "connection_lost",
        f"memtrigd closed the connection before it answered{how}.",
        "A write may or may not have been done: look before you write again.",
        True,
    )


def closed() -> MemtrigError:
    """Make the error for a call after close()."""
    return MemtrigError("closed", "This memory was closed.", "Connect anew.")


def late() -> Timeout:
    """Make the error for an answer that didn't come in time."""
    return Timeout(
        "timeout",
        "memtrigd did not answer in time.",
        "A write may or may not have been done: look before you retry.",
        True,
    )


class Connection:
    """A connected socket. After any error but a refusal it is good for nothing and must be closed."""

    __slots__ = ("_limit", "_number", "_socket", "_splitter")

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._splitter = Splitter()
        self._number = 0
        self._limit = 0.0

    def exchange(self, request: wire.Request, deadline: float) -> wire.Answer:
        """Send a request and return its answer, which may be an error.

        Raises Timeout at ``deadline`` (monotonic seconds), DaemonDown when the connection breaks, ProtocolError when
        what comes is not the answer to this request.
        """
        self._number += 1
        frame = encode(self._number, request)
        try:
            self._send(frame, deadline)
            answers = self._receive(deadline)
            while not answers:
                answers = self._receive(deadline)
        except BlockingIOError:
            raise late() from None
        except OSError as error:
            raise lost(error) from error
        for answer in answers:
            if answer.id != self._number:
                raise astray(answer)
        return answers[0]

    def close(self) -> None:
        """Close this end. A copy that a forked process has stays open."""
        self._socket.close()

    def _send(self, frame: bytes, deadline: float) -> None:
        self._bound(deadline)
        sent = self._socket.send(frame)
        while sent < len(frame):
            self._bound(deadline)
            sent += self._socket.send(memoryview(frame)[sent:])

    def _receive(self, deadline: float) -> list[wire.Answer]:
        self._bound(deadline)
        data = self._read()
        if not data:
            raise lost()
        return self._splitter.feed(data)

    def _read(self) -> bytes:
        return self._socket.recv(READ)

    def _bound(self, deadline: float) -> None:
        """Let the kernel end the next wait at ``deadline``.

        Python's own time limits make every send and receive two system calls: a quarter of the time of a get.
        """
        left = deadline - monotonic()
        if left <= 0:
            raise late()
        if not left <= self._limit <= left + SLACK:
            self._limit = left
            limit = struct.pack("@ll", int(left), int(left % 1 * 1e6) or 1)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
