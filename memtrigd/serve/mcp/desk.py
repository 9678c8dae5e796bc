"""The desk of one MCP connection: what its tools ask of the daemon goes through here, as the session's own requests.

So a tool can do nothing that a frame could not: the gate decides about the one as about the other.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from memtrig import wire
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.serve.dispatch import Caller, Done, Reply
from memtrigd.serve.mcp.bus import Buses
from memtrigd.serve.protocol import Connection

R = TypeVar("R", bound=wire.Result)


class Service(Protocol):
    """What a line and its desk need of the daemon."""

    @property
    def buses(self) -> Buses:
        """What lines are told unasked."""

    def take(self, caller: Caller, request: wire.Request, connection: Connection, done: Done) -> None:
        """Answer one request through ``done``."""

    def fault(self, error: BaseException) -> Refusal:
        """Log a fault of our own and turn it into what the caller may know of it."""


class Greeted(Struct, frozen=True):
    """What the pump said of its agent: labels, and which tools it offers."""

    agent: str | None = None
    conversation: str | None = None
    space: str | None = None
    tools: str = "core"


class Desk:
    """Asks on behalf of one session. A read waits for the writes that were asked before it."""

    def __init__(self, service: Service, caller: Caller, connection: Connection, greeted: Greeted) -> None:
        self.greeted = greeted
        self.missing: tuple[str, ...] = ()
        """The levels that the last answer lacks: they can't be used at present."""
        self._service = service
        self._caller = caller
        self._connection = connection
        self._open: set[asyncio.Future[Reply]] = set()
        self._writes: set[asyncio.Future[Reply]] = set()

    @property
    def session(self) -> str:
        """The handle of the session."""
        assert self._caller.session is not None
        return self._caller.session

    async def ask(self, request: wire.Request, kind: type[R]) -> R:
        """Put a request and return its result, which is of ``kind``. Raises Refusal."""
        if not isinstance(request, wire.Write) and self._writes:
            await asyncio.wait(self._writes)
        answered: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._open.add(answered)
        answered.add_done_callback(self._open.discard)
        if isinstance(request, wire.Write):
            self._writes.add(answered)
            answered.add_done_callback(self._writes.discard)
        try:
            self._service.take(self._caller, request, self._connection, lambda reply: _settle(answered, reply))
        except Exception as error:
            _settle(answered, Reply(error=error))
        reply = await asyncio.shield(answered)  # who stops waiting for a write does not stop the write
        if reply.incomplete is not None:
            self.missing = tuple(level.name for level in reply.incomplete)
        if isinstance(reply.error, Refusal):
            raise reply.error
        if reply.error is not None:
            raise self._service.fault(reply.error)
        result: Any = reply.result
        assert isinstance(result, kind)
        return result

    def when_settled(self, done: Callable[[], None]) -> None:
        """Call ``done`` once all that was asked so far is answered, also what nobody waits for any more."""
        left = set(self._open)

        def settled(answered: asyncio.Future[Reply]) -> None:
            left.discard(answered)
            if not left:
                done()

        for each in tuple(left):
            each.add_done_callback(settled)
        if not left:
            done()


def _settle(answered: asyncio.Future[Reply], reply: Reply) -> None:
    if not answered.done():
        answered.set_result(reply)
