"""The daemon's end of the socket to the model's process: frames in and out, without ever waiting. On the loop."""

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from msgspec import MsgspecError

from memtrigd.embedder.messages import LONGEST, PREFIX, Embed, FromModel, framed, from_model

PIECE: Final = 1 << 18
"""Bytes that are read or written at a time."""


class Channel:
    """Hands what comes to ``heard``; ``lost`` is called once, when the other end is gone or says what it should not."""

    def __init__(
        self,
        ours: socket.socket,
        heard: Callable[[FromModel], None],
        lost: Callable[[], None],
    ) -> None:
        ours.setblocking(False)
        self._socket, self._heard, self._lost = ours, heard, lost
        self._loop = asyncio.get_running_loop()
        self._in, self._out = bytearray(), bytearray()
        self._loop.add_reader(ours, self._read)

    def send(self, message: Embed) -> None:
        """Send a message, or keep it until there is room."""
        waits = bool(self._out)
        self._out += framed(message)
        if not waits:
            self._write()

    def close(self) -> None:
        """Hear and say nothing more."""
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._socket.close()

    def _read(self) -> None:
        try:
            got = self._socket.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            got = b""
        self._in += got
        try:
            while got and self._socket.fileno() >= 0 and (body := self._body()) is not None:
                self._heard(from_model(body))
        except (MsgspecError, OverflowError):
            got = b""
        if not got and self._socket.fileno() >= 0:
            self._lost()

    def _body(self) -> bytes | None:
        """The next whole message. Raises OverflowError for one that is too long."""
        size = int.from_bytes(self._in[:PREFIX], "big")
        if size > LONGEST:
            raise OverflowError
        end = PREFIX + size
        if len(self._in) < max(end, PREFIX):
            return None
        body = bytes(self._in[PREFIX:end])
        del self._in[:end]
        return body

    def _write(self) -> None:
        try:
            sent = self._socket.send(self._out[:PIECE])
        except BlockingIOError:
            sent = 0
        except OSError:
            sent = len(self._out)  # nobody is there any more: the reader hears of it
        del self._out[:sent]
        if self._out:
            self._loop.add_writer(self._socket, self._write)
        else:
            self._loop.remove_writer(self._socket)
