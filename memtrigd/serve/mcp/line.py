"""One MCP connection: a greeting of the pump, then JSON-RPC, a message a line, both ways.

Lines that come before the library is there are held as they are. Nobody's lines hold up those of others: each has its
turn, and whoever does not read what it is told, or has enough under way, is not read either.
"""

import asyncio
from typing import Any, Final

import msgspec
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp.aside import LARGE, Aside
from memtrigd.serve.mcp.bus import Bus
from memtrigd.serve.mcp.desk import Desk, Greeted, Service
from memtrigd.serve.mcp.engine import Engine
from memtrigd.serve.mcp.streams import Incoming, Outgoing
from memtrigd.serve.parts import MOST, Marks
from memtrigd.serve.protocol import Connection

LONGEST: Final = 16 << 20
"""Bytes of a line: a content of 1 MiB may be 6 MiB as JSON with escapes."""
HELD: Final = 4
"""Messages of one connection that may wait, but for the patient; then its bytes are left in the kernel. Each takes the
library some hundreds of objects, which every collection of garbage walks."""
HELD_BYTES: Final = LONGEST
"""Bytes of the large ones among them: as much as the longest line."""
SHARE: Final = 4
"""Lines of one connection that are read at a time, before the others have their turn: also those that are refused."""
TOOL_SETS: Final = ("core", "triggerfish", "memory-trigger", "all")
_PARSE, _INVALID = -32700, -32600


class Greeting(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The first line's ``memtrig``: who the pump speaks for."""

    protocol: int
    agent: str | None = None
    conversation: str | None = None
    space: str | None = None
    tools: str = "core"
    client: str | None = None
    resume: str | None = None


class _First(msgspec.Struct, forbid_unknown_fields=True):
    memtrig: Greeting


class Line(asyncio.Protocol):
    """The bytes of one connection that shows itself to be MCP. ``connection`` stays what the gate knows it by."""

    def __init__(self, service: Service, connection: Connection, engine: Engine) -> None:
        self._service = service
        self._connection = connection
        self._engine = engine
        self._buffer = bytearray()
        self._scanned = 0
        self._skipping = False
        self._marks = Marks()
        self._early: list[bytes] = []
        self._stopping = False
        self._scheduled = False
        self._task: asyncio.Task[None] | None = None
        self.desk: Desk | None = None
        self._bus: Bus | None = None
        self.incoming = Incoming(self._soon)
        self.outgoing = Outgoing(self.write)
        self.aside = Aside()
        self.spent: set[str] = set()
        """Questions that the user left open: each is answered once."""
        self.asking = 0
        """Questions to the user that wait for their answer on this line."""
        self._transport = connection.transport

    @property
    def bus(self) -> Bus:
        """The news of this line, once it is greeted."""
        assert self._bus is not None
        return self._bus

    # -- bytes in ------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Take what arrived."""
        self._buffer += data
        self._go_on()

    def _go_on(self) -> None:
        """Read a share of the lines in the buffer, while there is room for what they ask."""
        self._scheduled = False
        count = 0
        while count < SHARE and not self._full() and (line := self._cut()) is not None:
            count += 1
            if line.strip():
                self._read(line)
        if count == SHARE:
            self._soon()
        if not self._transport.is_closing():
            if count == SHARE or self._full():
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()

    def _soon(self) -> None:
        """Go on when the others had their turn: there may be room now."""
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._go_on)

    def _full(self) -> bool:
        early = sum(map(len, self._early))
        crowded = len(self.incoming) + len(self._early) >= HELD or self.aside.size + early >= HELD_BYTES
        return crowded or self.outgoing.clogged or self._stopping or self._transport.is_closing()

    def _cut(self) -> bytes | None:
        """Cut the next line off the buffer; None where no more are whole."""
        while (end := self._buffer.find(b"\n", self._scanned)) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._look(line[self._scanned :] if end >= LARGE else b"", end)
            skipped = self._skipping
            self._scanned, self._skipping, self._marks = 0, False, Marks()
            if not skipped:
                return line
        self._look(bytes(self._buffer[self._scanned :]), len(self._buffer))
        if self._skipping:
            self._buffer.clear()
        self._scanned = len(self._buffer)
        return None

    def _look(self, piece: bytes, size: int) -> None:
        """Look at what a line goes on with, while it arrives: what can't be served is skipped to its end."""
        if self._skipping:
            return
        self._marks.feed(piece)
        if size > LONGEST or self._marks.too_many:
            self._complain(None, _INVALID, f"A line may have {LONGEST >> 20} MiB and {MOST:,} values; this has more.")
            self._skipping = True

    def _read(self, line: bytes) -> None:
        if self.desk is None:
            self._greet(line)
        elif self._engine.ready:
            self._deliver(line)
        else:
            self._early.append(line)

    def _deliver(self, line: bytes) -> None:
        """Hand a line to the library, or answer what it could not read."""
        try:
            message, number = self._engine.read(self.aside.spare(line))
        except (ValueError, RecursionError):
            broken = _is_broken(line)
            self._complain(None, _PARSE if broken else _INVALID, "Parse error" if broken else "Invalid request")
            return
        self.incoming.put(message, number)

    # -- the greeting --------------------------------------------------------------------------------------------

    def _greet(self, line: bytes) -> None:
        """Begin or resume the session; then let the library serve it."""
        try:
            said = msgspec.json.decode(line, type=_First).memtrig
            if said.tools not in TOOL_SETS:
                raise Refusal("bad_value", f"No tool set is {said.tools!r}.", f"It is one of {', '.join(TOOL_SETS)}.")
            self._say_hello(said)
        except (msgspec.MsgspecError, Refusal) as error:
            refusal = error if isinstance(error, Refusal) else _not_a_greeting(error)
            told = {"code": refusal.code, "message": refusal.message, "hint": refusal.hint}
            self.write_line(msgspec.json.encode({"memtrig": {"error": told}}))
            self._transport.close()

    def _say_hello(self, said: Greeting) -> None:
        caller = self._connection.caller
        greeted = Greeted(said.agent, said.conversation, said.space, said.tools)
        welcome: dict[str, str | None] = {"session": caller.session, "resume": None}
        if caller.session is None:
            hello = wire.Hello(
                protocol=said.protocol,
                agent=said.agent,
                conversation=said.conversation,
                space=said.space,
                client=said.client,
                resume=said.resume,
            )

            def greeted_back(reply: Any) -> None:
                if reply.error is not None:
                    raise reply.error
                welcome.update(session=reply.result.session, resume=reply.result.resume)

            self._service.take(caller, hello, self._connection, greeted_back)
        self.desk = Desk(self._service, caller, self._connection, greeted)
        self._bus = self._service.buses.open(self.desk.session, said.agent)
        self.write_line(msgspec.json.encode({"memtrig": welcome}))
        self._task = asyncio.get_running_loop().create_task(self._serve())

    async def _serve(self) -> None:
        try:
            await self._engine.prepared()
            early, self._early = self._early, []
            for line in early:
                self._deliver(line)
            self._soon()
            await self._engine.serve(self)
        except Refusal as refusal:  # the library could not be loaded
            self._complain(None, -32603, refusal.message)
        except Exception as error:
            self._service.fault(error)
        finally:
            self._transport.close()

    # -- bytes out -----------------------------------------------------------------------------------------------

    def write(self, message: Any) -> None:
        """Send a message of the library."""
        line, number = self._engine.spell(message)
        if number is not None:
            self.over(number)
        self.write_line(line)

    def taken_back(self, number: Any) -> None:
        """Let go of a request that nobody waits for: not before what it set going is over, which takes room as well."""
        assert self.desk is not None
        self.desk.when_settled(lambda: self.over(number))

    def over(self, number: Any) -> None:
        """Let go of a request that is answered."""
        self.aside.drop(number)
        self.incoming.answered(number)
        self._soon()

    def write_line(self, line: bytes) -> None:
        """Send a line."""
        if not self._transport.is_closing():
            self._transport.write(line + b"\n")

    def _complain(self, number: Any, code: int, message: str) -> None:
        self.write_line(
            msgspec.json.encode({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})
        )

    # -- its end -------------------------------------------------------------------------------------------------

    def stop_reading(self) -> None:
        """Take no more requests: the daemon stops."""
        self._stopping = True
        self._transport.pause_reading()
        self._say_all()

    def eof_received(self) -> bool:
        """Answer what is under way to a peer that has said all."""
        self._say_all()
        return self._task is not None

    def _say_all(self) -> None:
        """Take no more requests, and end the streams of news, which would have to be waited for."""
        if self._bus is not None:
            self._bus.end()
        self.incoming.end()

    def pause_writing(self) -> None:
        """Let the library wait, and take no more: the peer does not read."""
        self.outgoing.clog()
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Go on once the peer has caught up."""
        self.outgoing.clear()
        self._soon()

    def connection_lost(self, error: Exception | None) -> None:
        """Let go of everything, and tell the gate."""
        if self._bus is not None:
            self._service.buses.close(self._bus)
        self.incoming.abandon()
        self.outgoing.close()
        self.aside.clear()
        self._connection.connection_lost(error)


def _is_broken(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except msgspec.MsgspecError:
        return True
    except RecursionError:  # deeper than anything that is asked for
        return False
    return False


def _not_a_greeting(error: Exception) -> Refusal:
    return Refusal(
        "hello_first",
        f"The first line on this socket must be the greeting of memtrig-mcp: {str(error)[:200]}.",
        "Let the agent's host start memtrig-mcp; docs/mcp.md shows how.",
    )
