"""Heirs: who goes on with a connection's bytes once it has shown that it speaks another language than frames."""

from typing import Protocol


class Heir(Protocol):
    """An asyncio.Protocol that goes on with a connection's bytes; the connection stays what the gate knows it by."""

    def data_received(self, data: bytes) -> None:
        """Take bytes."""

    def stop_reading(self) -> None:
        """Take no more requests: the daemon stops."""
