"""A client for tests that hides nothing: frames by hand over a real socket."""

import socket
import struct
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from memtrig import wire

from tests.conftest import Daemon

Kind = TypeVar("Kind", bound=wire.Result)


def frame(body: bytes) -> bytes:
    """Put its length before a body."""
    return len(body).to_bytes(wire.PREFIX, "big") + body


def packed(number: object, request: object) -> bytes:
    """Frame a request of any shape, valid or not."""
    return frame(msgspec.msgpack.encode({"id": number, "request": request}))


class Line:
    """One connection. Answers come as they are, errors included."""

    def __init__(self, sock: socket.socket) -> None:
        sock.settimeout(15)
        self.socket = sock
        self._number = 0

    def send(self, *requests: wire.Request) -> list[int]:
        """Send requests in one write without waiting; returns their numbers."""
        numbers = list(range(self._number + 1, self._number + 1 + len(requests)))
        self._number += len(requests)
        self.raw(b"".join(map(wire.call, numbers, requests)))
        return numbers

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(data)

    def answer(self) -> wire.Answer:
        """Read the next answer. Raises EOFError when the daemon has closed."""
        return wire.decode_answer(self._exactly(int.from_bytes(self._exactly(wire.PREFIX), "big")))

    def answers(self, count: int) -> dict[int, wire.Answer]:
        """Read so many answers, by number; each number comes once."""
        got = [self.answer() for _ in range(count)]
        assert len({each.id for each in got}) == count
        return {each.id: each for each in got}

    def exchange(self, request: wire.Request) -> wire.Answer:
        """Send one request and read its answer."""
        (number,) = self.send(request)
        answer = self.answer()
        assert answer.id == number
        return answer

    def ask(self, request: wire.Request, kind: type[Kind]) -> Kind:
        """Send a request that is to succeed; returns its result."""
        answer = self.exchange(request)
        assert isinstance(answer.result, kind), answer
        return answer.result

    def refusal(self, request: wire.Request) -> wire.Error:
        """Send a request that is to be refused; returns the error."""
        return error_of(self.exchange(request))

    def ended(self) -> bool:
        """Wait for the daemon's end of file."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def reset(self) -> None:
        """Vanish without a goodbye, as a killed process does: what it had not read is lost."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self) -> None:
        """Close this end."""
        self.socket.close()

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)


def error_of(answer: wire.Answer) -> wire.Error:
    """Return the error of an answer that has one."""
    assert isinstance(answer.error, wire.Error), answer
    return answer.error


def socket_path(daemon: Daemon, door: str) -> Path:
    """The socket of a door: ``control``, ``hook`` or the name of a level."""
    run = daemon.home / "run"
    return run / f"{door}.sock" if door in ("control", "hook") else run / "level" / f"{door}.sock"


def dial(daemon: Daemon, door: str) -> Line:
    """Connect to a door and say nothing."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.connect(str(socket_path(daemon, door)))
    return Line(sock)


def agent(daemon: Daemon, level: str = "internal", **labels: Any) -> Line:
    """Connect to a level's socket and say hello."""
    line = dial(daemon, level)
    line.ask(wire.Hello(protocol=wire.PROTOCOL, **labels), wire.Welcome)
    return line


def opened(control: Line, order: wire.SessionOpen) -> tuple[Line, wire.Welcome]:
    """Open a session over the control socket; returns its line, which comes as a descriptor, and the welcome."""
    control.send(order)
    data, descriptors, _, _ = socket.recv_fds(control.socket, 1 << 16, 4)
    answer = wire.decode_answer(data[wire.PREFIX :])
    assert isinstance(answer.result, wire.Welcome), answer
    (descriptor,) = descriptors
    return Line(socket.socket(fileno=descriptor)), answer.result


def figures(pid: int) -> dict[str, int]:
    """Read how much memory (kB), how many threads and how many descriptors a process has."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {
        "rss": int(status["VmRSS"].split()[0]),
        "threads": int(status["Threads"]),
        "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir())),
    }
