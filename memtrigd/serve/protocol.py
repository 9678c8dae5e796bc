"""One connection: bytes in, frames out, in order, with back-pressure both ways.

Requests of a connection take effect in the order in which they were sent: a read waits for the writes before it,
while writes that follow each other travel together into one commit.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve import decode
from memtrigd.serve.behind import Service
from memtrigd.serve.decode import analysed_elsewhere, is_write
from memtrigd.serve.dispatch import Caller, Reply
from memtrigd.serve.frames import Splitter
from memtrigd.serve.handover import hand_over
from memtrigd.serve.heirs import Heir
from memtrigd.serve.rota import AtOnce, Turns

IN_FLIGHT: Final = 128
"""Requests of one connection that may wait or run; then its bytes are left in the kernel until there is room."""
HELD: Final = 16 << 20
"""Bytes of such requests from which there is no room either: two of the largest frames."""
READS: Final = 8
"""Reads of one connection that may run at a time: each answer may have a mebibyte, and its reader may be slow."""
LONG: Final = 64 << 10
"""Bytes of an answer that leaves at once, so that a peer that does not read is noticed before the next."""


class Connection(asyncio.Protocol):
    """The life of one connection, from accept to close. ``gone`` is set after it."""

    def __init__(
        self,
        service: Service,
        admit: Callable[[asyncio.Transport], Caller],
        inside: set["Connection"],
        turns: Turns | None = None,
    ) -> None:
        self.turns = AtOnce() if turns is None else turns
        self.gone = asyncio.Event()
        self._service = service
        self._admit = admit
        self._all = inside
        self._splitter = Splitter()
        self._waiting: deque[tuple[int, wire.Request, int]] = deque()
        self._running = 0
        self._held = 0
        self._writing = 0
        self._analysed = 0
        self._clogged = False
        self._stopping = False
        self._unsent: list[bytes] = []
        self._inside = False
        self._queued = False
        self._ended = False
        self._closed = False
        self._fresh = True
        self._heir: Heir | None = None
        self._caller: Caller | None = None
        self._transport: asyncio.Transport | None = None

    @property
    def transport(self) -> asyncio.Transport:
        """The transport of a connection that was made."""
        assert self._transport is not None
        return self._transport

    @property
    def caller(self) -> Caller:
        """The caller that the gate admitted."""
        assert self._caller is not None
        return self._caller

    # -- bytes in ------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let the gate see who it is. A stranger is closed on without a word, and so is whom the gate can't judge."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        try:
            self._caller = self._admit(transport)
        except Exception as error:
            if not isinstance(error, PermissionError):
                self._service.fault(error)
            transport.abort()
            return
        self._all.add(self)
        if self._closed:
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Take what arrived; answers that are ready at once leave in one write."""
        if self._fresh:
            self._fresh = False
            if data.startswith(b"{") and self._bequeath(data):  # a frame begins with 0: none has 16 MiB
                return
        self._splitter.feed(data)
        self._ask_for_turn()
        if self._queued:
            self.transport.pause_reading()

    def _bequeath(self, data: bytes) -> bool:
        """Let a line-wise language have the bytes, where the door has one."""
        self._heir = self._service.lines(self)
        if isinstance(self._heir, asyncio.Protocol):
            self.transport.set_protocol(self._heir)
            self._heir.data_received(data)
        return self._heir is not None

    def _ask_for_turn(self) -> None:
        """Go on when it is our turn, which may be now."""
        if not self._queued:
            self._queued = True
            self.turns.turn(self.caller.peer.process, self._go_on)

    def _go_on(self) -> None:
        """Do what there is room and time for: waiting requests first, then the frames that are in the buffer."""
        self._queued = False
        if self.transport.is_closing():
            return
        self._inside = True
        try:
            self._advance()
            more = self._read_frames()
            cut = self._advance()
        finally:
            self._inside = False
            self._flush()
        if self._ended:
            self._close_when_answered(more)
        elif more or self._full():
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()
        if cut or (more and not self._full()):
            self._ask_for_turn()

    def eof_received(self) -> bool:
        """Answer a peer that has said all, and may still listen, before closing."""
        self._ended = True
        self._ask_for_turn()
        return True

    def _close_when_answered(self, more: bool) -> None:
        if not (more or self._waiting or self._running):
            self.transport.close()

    def _read_frames(self) -> bool:
        """Decode whole frames while there is room for their requests; tell whether some may be left."""
        if self._full():
            return True
        try:
            for body in self._splitter.frames():
                self._read_call(body)
                if self._full() or self.turns.over():
                    return True
        except Refusal as refusal:  # the stream can't be followed any more: say why, answer the others, then close
            self._send(0, Reply(error=refusal))
            self._splitter, self._ended = Splitter(), True
            self.transport.pause_reading()
        return False

    def _read_call(self, body: bytes) -> None:
        number = 0
        try:
            call = decode.call(body)
            number = call.id
            request = decode.request(self.caller.door.kind, call.request)
        except Refusal as refusal:
            self._send(number, Reply(error=refusal))
        else:
            self._held += len(body)
            self._waiting.append((number, request, len(body)))

    def _full(self) -> bool:
        crowded = len(self._waiting) + self._running >= IN_FLIGHT or self._held >= HELD
        return crowded or self._clogged or self._stopping

    # -- requests, in order --------------------------------------------------------------------------------------

    def _advance(self) -> bool:
        """Start what may start: writes beside writes, reads beside reads, each behind the others before it.

        While texts are analysed elsewhere only more of these start: that thread has an asker's in their order.
        Tell whether there was no time for something that may start.
        """
        while self._waiting and not self._clogged:
            number, request, size = self._waiting[0]
            writes = is_write(request)
            if self._analysed and not analysed_elsewhere(request):
                break
            reading = self._running - self._writing
            if reading if writes else (self._writing or reading >= READS):
                break
            if self.turns.over():
                return True
            self._waiting.popleft()
            self._start(number, request, size, writes)
        return False

    def _start(self, number: int, request: wire.Request, size: int, writes: bool) -> None:
        self._running += 1
        self._writing += writes
        slow = analysed_elsewhere(request)
        self._analysed += slow

        def done(reply: Reply) -> None:
            self._running -= 1
            self._held -= size
            self._writing -= writes
            self._analysed -= slow
            self._send(number, reply)
            if not self._inside:
                self._ask_for_turn()

        try:
            self._service.take(self.caller, request, self, done)
        except Exception as error:
            done(Reply(error=error))

    # -- frames out ----------------------------------------------------------------------------------------------

    def _send(self, number: int, reply: Reply) -> None:
        frame = self._encode(number, reply)
        if reply.descriptor is not None:
            self._flush()
            hand_over(self.transport, frame, reply.descriptor)
            return
        self._unsent.append(frame)
        if not self._inside or len(frame) >= LONG:
            self._flush()

    def notify(self, notice: wire.Notice) -> bool:
        """Send a notice; False for a peer that does not read, or is gone, and is sent none."""
        if self._clogged or self._stopping or self.transport.is_closing():
            return False
        self._unsent.append(wire.frame(wire.Answer(id=0, notice=notice)))
        if not self._inside:
            self._flush()
        return True

    def _encode(self, number: int, reply: Reply) -> bytes:
        """Frame a reply; a fault of our own becomes ``internal`` and nothing of it leaves but that."""
        missing = self._service.missing(self.caller) if reply.incomplete is None else reply.incomplete
        incomplete = [level.name for level in missing]
        if reply.error is None:
            result: Any = reply.result
            return wire.frame(wire.Answer(id=number, result=result, incomplete=incomplete))
        refusal = reply.error if isinstance(reply.error, Refusal) else self._service.fault(reply.error)
        error = wire.Error(code=refusal.code, message=refusal.message, hint=refusal.hint, retryable=refusal.retryable)
        return wire.frame(wire.Answer(id=number, error=error, incomplete=incomplete))

    def _flush(self) -> None:
        if self._unsent and not self.transport.is_closing():
            self.transport.write(b"".join(self._unsent))
        self._unsent.clear()

    def pause_writing(self) -> None:
        """Stop reading from a peer that does not read its answers: they must not pile up here."""
        self._clogged = True
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        """Go on once the peer has caught up."""
        self._clogged = False
        self._ask_for_turn()

    def stop_reading(self) -> None:
        """Take no more requests: the daemon stops."""
        if self._heir is not None:
            self._heir.stop_reading()
            return
        self._stopping = True
        self._waiting.clear()
        self.transport.pause_reading()

    def close(self) -> None:
        """Close after what is still to be sent: the session was ended, or the daemon stops."""
        self._closed = True
        if self._transport is not None:
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        """Tell the gate. Writes that are under way still commit; nobody hears of them here."""
        self._waiting.clear()
        self._all.discard(self)
        self.gone.set()
        if self._caller is not None:
            self._service.lost(self._caller, self)
