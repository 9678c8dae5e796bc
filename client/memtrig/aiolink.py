"""A connection for asyncio that carries many requests at once, and comes back when it's lost."""

from __future__ import annotations

import asyncio
from typing import Protocol, TypeVar, cast
from weakref import WeakSet

import msgspec

from memtrig import wire
from memtrig.connection import closed, dial, late, lost
from memtrig.errors import MemtrigError, ProtocolError, Refused
from memtrig.frames import R, Splitter, astray, encode, outcome
from memtrig.retry import Patience, Ticket


class Channel(asyncio.Protocol):
    """One connection. Answers find their requests by id; those nobody waits for any more are dropped."""

    def __init__(self) -> None:
        self._splitter = Splitter()
        self._number = 0
        self._waiting: dict[int, asyncio.Future[wire.Answer] | None] = {}
        self._failure: MemtrigError | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    @property
    def broken(self) -> bool:
        """Whether nothing more will come of it."""
        return self._failure is not None

    async def exchange(self, request: wire.Request) -> wire.Answer:
        """Send a request and return its answer, which may be an error. Raises what broke the connection."""
        while not self._writable.is_set():
            await self._writable.wait()
        if self._failure is not None:
            raise again(self._failure)
        number = self._number = self._number + 1
        self._transport.write(encode(number, request))
        answer: asyncio.Future[wire.Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            return await answer
        except asyncio.CancelledError:
            if number in self._waiting:
                self._waiting[number] = None
            raise

    def fail(self, failure: MemtrigError) -> None:
        """Close it, and tell all who wait."""
        if self._failure is None:
            self._failure = failure
            self._transport.abort()
            self._writable.set()
            for answer in self._waiting.values():
                if answer is not None and not answer.done():
                    answer.set_exception(again(failure))
            self._waiting.clear()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Hand answers to who waits for them."""
        try:
            for answer in self._splitter.feed(data):
                self.take(answer)
        except ProtocolError as failure:
            self.fail(failure)

    def take(self, answer: wire.Answer) -> None:
        """Hand an answer to who waits for it. Raises ProtocolError where there was no request."""
        if answer.id not in self._waiting:
            raise astray(answer)
        future = self._waiting.pop(answer.id)
        if future is not None and not future.done():
            future.set_result(answer)

    def end(self) -> None:
        """Close this end."""
        self.fail(closed())

    def connection_lost(self, error: Exception | None) -> None:
        """Tell all who wait."""
        self.fail(lost(error if isinstance(error, OSError) else None))

    def pause_writing(self) -> None:
        """Hold further requests back: the daemon does not keep up."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Let them go."""
        self._writable.set()


def again(failure: MemtrigError) -> MemtrigError:
    """Make the same error anew: one that several tasks raised would collect all their tracebacks."""
    return type(failure)(failure.code, failure.message, failure.hint, failure.retryable)


C = TypeVar("C", bound=Channel)


class Companion(Protocol):
    """What lives beside a link, on a connection of its own to the same session."""

    def close(self) -> None:
        """End with the link."""


class Link:
    """The asyncio twin of memtrig.link.Link on a level's socket; requests do not wait for each other."""

    def __init__(self, path: str, hello: wire.Hello, resume: str | None, timeout: float) -> None:
        if not timeout > 0:
            raise ValueError(f"the timeout must be over 0 seconds, not {timeout}")
        self.ticket = Ticket(resume, renewable=True)
        self._path = path
        self._hello = hello
        self.timeout = timeout
        self.companions: WeakSet[Companion] = WeakSet()
        self._channel: Channel | None = None
        self._closed = False
        self._dialling = asyncio.Lock()

    async def open(self) -> None:
        """Connect now. Unlike a call, which waits for a daemon that went away, this fails at once if there is none."""
        patience = Patience(self.timeout)
        while True:
            try:
                async with asyncio.timeout(self.timeout):
                    await self._connected(None, patience)
                return
            except TimeoutError:
                raise late() from None
            except MemtrigError as failure:
                if failure.code == "daemon_down":
                    raise
                await asyncio.sleep(patience.pause(failure))

    async def call(self, request: wire.Request, kind: type[R]) -> tuple[R, list[str]]:
        """Return the result and the levels that it lacks. Raises the errors of memtrig.errors."""
        patience = Patience(self.timeout)
        while True:
            try:
                return await self._attempt(request, kind, patience)
            except MemtrigError as failure:
                await asyncio.sleep(patience.pause(failure))

    async def branch(self, make: type[C]) -> C:
        """Return a further connection to the session, for the caller to keep."""
        if self._closed:
            raise closed()
        if self.ticket.resume is None:
            await self.call(wire.Ping(), wire.Pong)  # there is a session after this
        return (await self._greet(make, self.ticket.resume))[0]

    def close(self) -> None:
        """Close the connection for good, and those of companions; the session stays for who has its token."""
        self._closed = True
        for companion in [*self.companions]:
            companion.close()
        if self._channel is not None:
            self._channel.end()

    async def _attempt(self, request: wire.Request, kind: type[R], patience: Patience) -> tuple[R, list[str]]:
        try:
            async with asyncio.timeout(patience.left()):
                channel = self._channel
                if channel is None or channel.broken:
                    channel = await self._connected(request, patience)
                answer = await channel.exchange(request)
        except TimeoutError:
            raise late() from None
        try:
            return outcome(answer, kind), answer.incomplete
        except ProtocolError as failure:
            channel.fail(failure)
            raise

    async def _connected(self, request: wire.Request | None, patience: Patience) -> Channel:
        """Return the channel; who comes first dials, the others wait for it."""
        async with self._dialling:
            if self._channel is None or self._channel.broken:
                self._channel = await self._connect(request, patience)
                if self._closed:  # meanwhile
                    self.close()
            return self._channel

    async def _connect(self, request: wire.Request | None, patience: Patience) -> Channel:
        if self._closed:
            raise closed()
        try:
            channel, welcome = await self._greet(Channel, self.ticket.resume)
        except Refused as refusal:
            self.ticket.give_up(refusal, request, patience)
            channel, welcome = await self._greet(Channel, None)
        try:
            self.ticket.accept(welcome)
        except ProtocolError as failure:
            channel.fail(failure)
            raise
        return channel

    async def _greet(self, make: type[C], resume: str | None) -> tuple[C, wire.Welcome]:
        """Connect and say hello."""
        _, channel = await asyncio.get_running_loop().create_unix_connection(make, sock=dial(self._path))
        try:
            answer = await channel.exchange(msgspec.structs.replace(self._hello, resume=resume))
            return channel, outcome(answer, wire.Welcome)
        except BaseException:
            channel.end()
            raise
