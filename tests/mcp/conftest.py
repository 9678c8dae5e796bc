"""Hosts of the official client, through the real pump to a real daemon. Slow: ``make test-mcp`` runs this folder."""

import os
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.conftest import Daemon
from tests.mcp import suites

HERE: Final = Path(__file__).parent
PUMP: Final = str(Path(sys.executable).with_name("memtrig-mcp"))
ERAS: Final = ("auto", "legacy")
"""The client's modes: the stateless revision where the server has it, and the older one."""

Agent = Callable[..., AbstractAsyncContextManager[Client]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is here, so that ``make test`` leaves it out."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.mcp)


@asynccontextmanager
async def client(home: Path, era: str, *options: str, **more: Any) -> AsyncIterator[Client]:
    """The official client with a pump to the daemon at ``home``, as a host starts it: with next to no environment."""
    command = StdioServerParameters(
        command=PUMP, args=["--home", os.fspath(home), *options], env={"HOME": os.fspath(home)}
    )
    async with Client(stdio_client(command), mode=era, **more) as connected:
        yield connected


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    """Each era of the protocol in turn."""
    return str(request.param)


@pytest.fixture
def agent(era: str, shared_daemon: Daemon) -> Agent:
    """Connect an agent with a set of tools, in each era in turn."""

    @asynccontextmanager
    async def connect(tools: str = "core", level: str = "internal", **more: Any) -> AsyncIterator[Client]:
        options = ("--no-start", "--tools", tools, "--level", level, "--agent", "gardener")
        async with client(shared_daemon.home, era, *options, **more) as connected:
            yield connected

    return connect


@pytest.fixture
def official() -> None:
    """The official suites; where they are not installed, a test that needs them is told how they come."""
    if not suites.installed():
        pytest.skip("the official suites are not installed: make test-mcp installs them")


@pytest.fixture
def empty_home() -> Iterator[Path]:
    """A home without a daemon; whichever is started on it is ended."""
    with tempfile.TemporaryDirectory(prefix="mt-") as name:
        home = Path(name)
        yield home
        pid = serving(home)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)


def serving(home: Path) -> int | None:
    """The pid of the daemon that listens at a home."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(home / "run" / "level" / "internal.sock"))
        except OSError:
            return None
        return int(struct.unpack("3i", probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])
