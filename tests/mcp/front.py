"""The product's MCP server object behind HTTP, for the conformance suite, which speaks nothing else. For tests alone.

``python -m tests.mcp.front [--fixtures]`` serves a fresh daemon in memory at a port that it prints, until it is killed.
"""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Final

import uvicorn
from mcp.server.lowlevel.server import Server

from memtrigd.domain.levels import Level
from memtrigd.gate.doors import LEVEL_DOORS
from memtrigd.serve.mcp.line import Line
from memtrigd.serve.mcp.server import build
from tests.mcp import fixtures
from tests.serve.harness import World, nursery

GREETING: Final = {"memtrig": {"protocol": 1, "agent": "conformance", "tools": "all"}}


def greeted(world: World) -> Line:
    """A line of an agent that has said whom it speaks for: what the server knows a session by."""
    cable = world.connect(LEVEL_DOORS[Level.INTERNAL])
    cable.send(json.dumps(GREETING).encode() + b"\n")
    line = cable.connection.transport.get_protocol()
    assert isinstance(line, Line) and line.desk is not None
    return line


def serving(world: World, *, with_fixtures: bool) -> Server[Any]:
    """The server as the product builds it; all of HTTP's sessions are one of the daemon's."""
    server: Server[Any] = build()
    if with_fixtures:
        fixtures.install(server)

    @asynccontextmanager
    async def lifespan(_: Server[Any]) -> AsyncIterator[Line]:
        yield greeted(world)

    server.lifespan = lifespan
    return server


async def main(with_fixtures: bool) -> None:
    """Serve until killed."""
    now = int(datetime.now(UTC).timestamp() * 1_000_000)
    with nursery() as born, born.world(now) as world, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        app = serving(world, with_fixtures=with_fixtures).streamable_http_app()
        front = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
        print(listener.getsockname()[1], flush=True)
        await front.serve([listener])


if __name__ == "__main__":
    asyncio.run(main("--fixtures" in sys.argv))
