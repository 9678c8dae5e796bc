"""A scripted daemon for faults that a real one can't be asked for, and both clients behind one face."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import memtrig
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
        size = int.from_bytes(self._exactly(wire.PREFIX), "big")
        call = wire.decode_call(self._exactly(size))
        decode = wire.decode_control if b"session." in bytes(call.request) else wire.decode_agent
        return call.id, decode(call.request)

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
    """Plays one act for each connection, in order, and then stops listening."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen(8)
        self._listener.settimeout(10)
        self._thread: threading.Thread | None = None
        self.failure: BaseException | None = None

    def play(self, *acts: Callable[[Peer], object]) -> None:
        """Start the play."""
        self._thread = threading.Thread(target=self._play, args=(acts,))
        self._thread.start()

    def _play(self, acts: tuple[Callable[[Peer], object], ...]) -> None:
        try:
            for act in acts:
                connected, _ = self._listener.accept()
                with connected:
                    act(Peer(connected))
        except BaseException as failure:
            self.failure = failure

    def close(self) -> None:
        """Wait for the last act, and fail if one failed."""
        if self._thread is not None:
            self._thread.join(15)
        self._listener.close()
        if self.failure is not None:
            raise self.failure


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
