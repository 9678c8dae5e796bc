"""Agents of the official MCP client, over a real daemon's socket, in either era of the protocol."""

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.conftest import Daemon

ERAS = ("auto", "legacy")
"""The client's modes: the stateless revision where the server has it, and the older one."""
BRIDGE = """
import os, socket, sys, threading
line = socket.socket(socket.AF_UNIX); line.connect(sys.argv[1]); line.sendall(sys.argv[2].encode() + b"\\n")
back = line.makefile("rb"); back.readline()
def out():
    for each in back: os.write(1, each)
    os._exit(0)
threading.Thread(target=out, daemon=True).start()
while data := os.read(0, 65536): line.sendall(data)
line.shutdown(1); threading.Event().wait(2)
"""
"""A pump in a few lines: what is tested here is the daemon's side."""

Agent = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture(params=ERAS)
def agent(request: pytest.FixtureRequest, shared_daemon: Daemon) -> Agent:
    """Connect an agent at a level with a set of tools, in each era in turn."""

    @asynccontextmanager
    async def connect(
        tools: str = "core", level: str = "internal", name: str = "gardener", **client_: Any
    ) -> AsyncIterator[Client]:
        hello = json.dumps({"memtrig": {"protocol": 1, "agent": name, "tools": tools}})
        where = str(shared_daemon.home / "run" / "level" / f"{level}.sock")
        command = StdioServerParameters(command=sys.executable, args=["-c", BRIDGE, where, hello])
        async with Client(stdio_client(command), mode=request.param, **client_) as client:
            yield client

    return connect
