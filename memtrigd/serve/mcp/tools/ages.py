"""How long ago: days between moments as the wire tells them. The daemon's clock is asked, as any client would ask."""

from datetime import datetime
from typing import Final

from memtrig import wire

from memtrigd.serve.mcp.desk import Desk

DAY: Final = 86_400.0
"""Seconds."""


async def now(desk: Desk) -> str:
    """The daemon's time, ISO 8601."""
    return (await desk.ask(wire.Ping(), wire.Pong)).time


def days(since: str, until: str) -> float:
    """Days from one ISO 8601 moment to another; negative if that comes first."""
    return (datetime.fromisoformat(until) - datetime.fromisoformat(since)).total_seconds() / DAY
