"""A scripted daemon for faults that a real one can't be asked for, and both clients behind one face."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import memtrig
import msgspec
import pytest
from memtrig import aio, homes, wire

WELCOME = wire.Welcome(
    session="s1", resume="token-1", level="INTERNAL", ceiling="INTERNAL", protocol=wire.PROTOCOL, server="scripted"
)
SAVED = wire.Saved(id="m1", key="tea", level="INTERNAL", status="active", outcome="new")
ANOTHER = msgspec.structs.replace(WELCOME, session="s2", resume="token-2")


class Peer:
    """The daemon's side of one connection."""

    def __init__(self, connected: socket.socket) -> None:
        connected.settimeout(10)
        self.socket = connected

    def read(self) -> tuple[int, Any]:
        """Return the id and the request of the next frame."""
        call = wire.decode_call(self.frame()[wire.PREFIX :])
        decode = wire.decode_control if b"session." in bytes(call.request) else wire.decode_agent
        return call.id, decode(call.request)

    def frame(self) -> bytes:
        """Return the next frame as it is."""
        prefix = self._exactly(wire.PREFIX)
        return prefix + self._exactly(int.from_bytes(prefix, "big"))

    def answer(self, number: int, result: wire.Result | wire.Error, incomplete: tuple[str, ...] = ()) -> None:
        """Send an answer."""
        self.socket.sendall(answer(number, result, incomplete))

    def welcome(self, welcome: wire.Result | wire.Error = WELCOME) -> wire.Hello:
        """Read hello, answer it and return it."""
        number, hello = self.read()
        assert isinstance(hello, wire.Hello)
        self.answer(number, welcome)
        return hello

    def ended(self) -> bool:
        """Wait for the client's end of file; what it still sent is False."""
        return self.socket.recv(1) == b""

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            assert piece, "the client closed the connection"
            data += piece
        return data


def answer(number: int, result: wire.Result | wire.Error, incomplete: tuple[str, ...] = ()) -> bytes:
    """Frame an answer."""
    content: dict[str, Any] = {"error" if isinstance(result, wire.Error) else "result": result}
    return wire.frame(wire.Answer(id=number, incomplete=list(incomplete), **content))


class Scripted:
    """Plays one act for each connection, in the order of their coming, and then accepts no more."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen(8)
        self._listener.settimeout(10)
        self._threads: list[threading.Thread] = []
        self._failures: list[BaseException] = []

    def play(self, *acts: Callable[[Peer], object]) -> None:
        """Start the play."""
        self._start(self._accept, acts)

    def close(self) -> None:
        """Wait for the end of all acts, and fail if one failed."""
        for thread in self._threads:  # grows while the acts begin
            thread.join(15)
        self._listener.close()
        if self._failures:
            raise self._failures[0]

    def _start(self, run: Callable[[Any], None], argument: object) -> None:
        thread = threading.Thread(target=self._watched, args=(run, argument))
        self._threads.append(thread)
        thread.start()

    def _watched(self, run: Callable[[Any], None], argument: object) -> None:
        try:
            run(argument)
        except BaseException as failure:
            self._failures.append(failure)

    def _accept(self, acts: tuple[Callable[[Peer], object], ...]) -> None:
        for act in acts:
            connected, _ = self._listener.accept()
            self._start(partial(self._act, act), connected)

    @staticmethod
    def _act(act: Callable[[Peer], object], connected: socket.socket) -> None:
        with connected:
            act(Peer(connected))


class Awaited:
    """The asyncio memory, each call run to its end: the tests below say the same to both clients."""

    def __init__(self, **arguments: Any) -> None:
        self._runner = asyncio.Runner()
        try:
            self._memory = self._runner.run(self._open(arguments))
        except BaseException:
            self._runner.close()
            raise

    @staticmethod
    async def _open(arguments: dict[str, Any]) -> aio.Memory:
        return await aio.connect(**arguments).__aenter__()

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._memory, name)
        if not callable(value):
            return value
        return lambda *args, **fields: self._runner.run(value(*args, **fields))

    def __enter__(self) -> "Awaited":
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.close()
        finally:
            self._runner.close()


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[Scripted]:
    """A daemon at tmp_path that does as it's told, on the INTERNAL socket."""
    daemon = Scripted(Path(homes.find(str(tmp_path)).level_socket("internal")))
    yield daemon
    daemon.close()


@pytest.fixture
def scripted_control(tmp_path: Path) -> Iterator[Scripted]:
    """A daemon at tmp_path that does as it's told, on the control socket."""
    daemon = Scripted(Path(homes.find(str(tmp_path)).control_socket))
    yield daemon
    daemon.close()


@pytest.fixture(params=[memtrig.connect, Awaited], ids=["sync", "aio"])
def connect(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``connect`` of either client."""
    return request.param  # type: ignore[no-any-return]
