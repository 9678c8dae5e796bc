"""What the daemon asks of the model's process, in order: queries first, for somebody waits for them."""

import os
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from msgspec import MsgspecError, Struct

from memtrigd.embedder.messages import LONGEST, PREFIX, Embed, framed, to_model


class Desk:
    """Takes requests on a thread of its own. When the daemon is gone, or speaks otherwise than it should, all ends."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._there = threading.Condition()
        self._queries: deque[Embed] = deque()
        self._passages: deque[Embed] = deque()
        self.under_way: Callable[[], None] | None = None
        """Stops the passage that is under way; called when a query comes."""

    def open(self) -> None:
        """Begin to take requests."""
        threading.Thread(target=self._receive, daemon=True).start()

    def say(self, message: Struct) -> None:
        """Tell the daemon. The process ends if it is gone."""
        try:
            self._channel.sendall(framed(message))
        except OSError:
            os._exit(1)

    def take(self) -> Embed:
        """The next request, waiting for one."""
        with self._there:
            while not (self._queries or self._passages):
                self._there.wait()
            return (self._queries or self._passages).popleft()

    def query(self) -> Embed | None:
        """The next query, if one waits."""
        with suppress(IndexError):
            return self._queries.popleft()
        return None

    def _receive(self) -> None:
        with suppress(OSError, MsgspecError), self._channel.makefile("rb") as stream:
            while len(head := stream.read(PREFIX)) == PREFIX:
                size = int.from_bytes(head, "big")
                body = stream.read(size) if size <= LONGEST else b""
                if len(body) < size or not body:
                    break
                self._put(to_model(body))
        os._exit(0)

    def _put(self, request: Embed) -> None:
        with self._there:
            (self._queries if request.kind == "query" else self._passages).append(request)
            if request.kind == "query" and self.under_way is not None:
                self.under_way()
            self._there.notify()
