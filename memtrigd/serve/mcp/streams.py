"""The two streams that the MCP library reads and writes: queues beside a transport, no task of their own."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Self

PATIENCE: Final = 1.0
"""Seconds after the peer's last line in which requests that are under way may still be answered."""


class Incoming:
    """Messages in. It ends when the peer has said all and everything is answered, or after PATIENCE.

    The library ends what is under way when its input ends: a save would be committed and yet answered with an error.
    """

    def __init__(self, taken: Callable[[], None]) -> None:
        self._taken = taken
        self._queue: deque[Any] = deque()
        self._ended = False
        self._abandoned = False
        self._under_way: set[Any] = set()
        self._patient = 0
        self._news = asyncio.Event()

    def __len__(self) -> int:
        return len(self._queue) + len(self._under_way) - self._patient

    @contextmanager
    def patiently(self) -> Iterator[None]:
        """While a request waits for the user, or brings news, it takes nobody's place."""
        self._patient += 1
        self._taken()
        try:
            yield
        finally:
            self._patient -= 1

    def put(self, message: Any, number: Any) -> None:
        """Add a message; ``number`` is the id of a request, None for anything else."""
        if number is not None:
            self._under_way.add(number)
        self._queue.append(message)
        self._news.set()

    def answered(self, number: Any) -> None:
        """Note that a request was answered."""
        self._under_way.discard(number)
        self._news.set()

    def end(self) -> None:
        """No more will come."""
        self._ended = True
        self._news.set()

    def abandon(self) -> None:
        """Nobody is there any more to be answered."""
        self._ended = self._abandoned = True
        self._queue.clear()
        self._news.set()

    async def receive(self) -> Any:
        """The next message. Raises the library's own end-of-stream."""
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            import anyio  # part of the library, which is imported late

            raise anyio.EndOfStream from None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        while not self._queue:
            if self._ended:
                await self._settled()
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        message = self._queue.popleft()
        self._taken()
        return message

    async def _settled(self) -> None:
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while self._under_way and not self._abandoned:
            self._news.clear()
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return
            try:
                await asyncio.wait_for(self._news.wait(), left)
            except TimeoutError:
                return

    async def aclose(self) -> None:
        """Nothing is held that would have to be let go."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


class Outgoing:
    """Messages out, each a line. Waits while the peer does not read."""

    def __init__(self, send: Callable[[Any], None]) -> None:
        self._send = send
        self._room = asyncio.Event()
        self._room.set()
        self._closed = False

    @property
    def clogged(self) -> bool:
        """Whether the peer does not read."""
        return not self._room.is_set()

    def clog(self) -> None:
        """The peer does not read."""
        self._room.clear()

    def clear(self) -> None:
        """The peer has caught up."""
        self._room.set()

    def close(self) -> None:
        """The peer is gone: who waits need not wait longer."""
        self._closed = True
        self._room.set()

    async def send(self, message: Any) -> None:
        """Send one message. Raises the library's own broken-stream when the peer is gone."""
        await self._room.wait()
        if self._closed:
            import anyio

            raise anyio.BrokenResourceError
        self._send(message)

    async def aclose(self) -> None:
        """The transport is closed by whoever owns it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None
