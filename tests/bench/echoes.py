"""Servers that answer at once and remember nothing: what any server on this socket costs at least."""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from memtrig import wire

_ID = 77
"""A small id, one byte in msgpack, where an answer is cut in two around it."""


@contextmanager
def echo(kind: str, result: wire.Result) -> Iterator[str]:
    """Run an echo server, ``c`` or ``asyncio``, that gives ``result`` to every request; yields a home to connect to."""
    with tempfile.TemporaryDirectory(prefix="mt-") as place:
        home = Path(place)
        (home / "run" / "level").mkdir(parents=True)
        welcome = wire.Welcome(session="s", resume="r", level="PUBLIC", ceiling="PUBLIC", protocol=1, server="echo")
        for name, answer in (("tail", result), ("hello", welcome)):
            head, tail = _around_the_id(answer)
            (home / "head").write_bytes(head)
            (home / name).write_bytes(tail)
        socket = home / "run" / "level" / "public.sock"
        if kind == "c":
            subprocess.run(["cc", "-O2", "-o", home / "echo", Path(__file__).with_name("echo.c")], check=True)
            command = [os.fspath(home / "echo")]
        else:
            command = [sys.executable, "-m", "tests.bench.echoes"]
        process = subprocess.Popen([*command, os.fspath(socket), place])
        try:
            while not socket.exists():
                assert process.poll() is None, "the echo server did not start"
                os.sched_yield()
            yield place
        finally:
            process.kill()
            process.wait()


def _around_the_id(result: wire.Result) -> tuple[bytes, bytes]:
    body = msgspec.msgpack.encode(wire.Answer(id=_ID, result=result))
    head, _, tail = body.partition(bytes([_ID]))
    return head, tail


class _Echo(asyncio.Protocol):
    """The same in asyncio: what the event loop costs before a daemon does anything."""

    def __init__(self, head: bytes, tail: bytes, hello: bytes) -> None:
        self._head = head
        self._rest = [hello, tail]
        self._kept = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        data = self._kept + data
        out, at = [], 0
        while len(data) - at >= 4 and len(data) - at - 4 >= (size := int.from_bytes(data[at : at + 4], "big")):
            number = data[at + 8 : at + 8 + _integer(data[at + 8])]
            body = self._head + number + self._rest[0]
            self._rest = self._rest[-1:]
            out.append(len(body).to_bytes(4, "big") + body)
            at += 4 + size
        self._kept = data[at:]
        if out:
            self._transport.write(b"".join(out))  # type: ignore[attr-defined]


def _integer(first: int) -> int:
    return {0xCC: 2, 0xCD: 3, 0xCE: 5, 0xCF: 9}.get(first, 1)


async def _serve(socket: str, place: str) -> None:
    texts = [(Path(place) / name).read_bytes() for name in ("head", "tail", "hello")]
    server = await asyncio.get_running_loop().create_unix_server(lambda: _Echo(*texts), socket)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(*sys.argv[1:]))
