"""Handing over a descriptor: a frame that leaves past the transport, with a socket as ancillary data (SCM_RIGHTS)."""

import asyncio
import socket
from typing import Final

RETRY: Final = 0.01
"""Seconds between looks whether a descriptor can be handed over."""


def hand_over(transport: asyncio.Transport, frame: bytes, descriptor: socket.socket) -> None:
    """Send a frame with a descriptor, which is closed then; only when the transport has nothing left to send.

    Where that fails both are closed: the peer is gone.
    """
    if transport.is_closing():
        descriptor.close()
        return
    try:
        sent = 0 if transport.get_write_buffer_size() else _send_past(transport, frame, descriptor)
    except OSError:
        descriptor.close()
        transport.abort()
        return
    if sent == 0:
        asyncio.get_running_loop().call_later(RETRY, hand_over, transport, frame, descriptor)
        return
    descriptor.close()
    if sent < len(frame):
        transport.write(frame[sent:])


def _send_past(transport: asyncio.Transport, frame: bytes, descriptor: socket.socket) -> int:
    """Send what the kernel takes of a frame, and the descriptor with its first byte; return how many it took."""
    borrowed = socket.socket(fileno=transport.get_extra_info("socket").fileno())
    try:
        return socket.send_fds(borrowed, [frame], [descriptor.fileno()])
    except BlockingIOError:
        return 0
    finally:
        borrowed.detach()  # it stays the transport's to close
