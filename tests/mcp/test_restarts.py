"""The daemon goes away and comes back under the official client: a call may fail, the session goes on, in each era."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest
from mcp import Client, MCPError

from tests.conftest import Daemon
from tests.mcp.conftest import client, serving


def test_a_kill_costs_the_call_under_way_and_nothing_else(daemon: Daemon, era: str) -> None:
    """It may be asked again, which the error says; the next call goes to the new daemon, in the same session."""

    async def story() -> None:
        async with client(daemon.home, era, "--no-start") as agent:
            before = (await agent.call_tool("whoami", {})).structured_content
            saying = {"content": "चहा", "source": "auto_detect", "key": "tea"}
            assert not (await agent.call_tool("save", saying)).is_error
            for _ in range(2):
                os.kill(daemon.pid, signal.SIGSTOP)
                under_way = asyncio.create_task(agent.call_tool("get", {"key": "tea"}))
                await asyncio.sleep(0.2)
                daemon.kill()
                with pytest.raises(MCPError) as lost:
                    await under_way
                assert lost.value.error.code == -32000 and lost.value.error.data == {"retryable": True}
                await asyncio.to_thread(daemon.start)
                got = await agent.call_tool("get", {"key": "tea"})
                assert got.structured_content["content"] == "चहा"
            assert (await agent.call_tool("whoami", {})).structured_content == before
            assert len((await agent.list_tools()).tools) == 12

    asyncio.run(story())


def test_what_is_asked_while_it_is_away_waits_for_it(daemon: Daemon, era: str) -> None:
    """A restart that takes a second costs no call at all."""

    async def story() -> None:
        async with client(daemon.home, era, "--no-start") as agent:
            await agent.call_tool("whoami", {})
            daemon.stop()
            asked = asyncio.create_task(agent.call_tool("whoami", {}))
            await asyncio.sleep(1)
            await asyncio.to_thread(daemon.start)
            assert not (await asked).is_error

    asyncio.run(story())


def test_a_daemon_that_nobody_restarts_is_started_by_the_pump(empty_home: Path, era: str) -> None:
    """Once it has been away for some seconds and somebody asks: a service manager would have been faster."""

    async def story() -> None:
        async with client(empty_home, era) as agent:
            assert not (await agent.call_tool("whoami", {})).is_error
            first = serving(empty_home)
            assert first is not None
            os.kill(first, signal.SIGKILL)
            assert not (await _answered(agent)).is_error
            assert serving(empty_home) not in (None, first)

    asyncio.run(story())


def test_two_agents_on_an_empty_home_share_one_daemon(empty_home: Path, era: str) -> None:
    """Whoever comes first starts it; what one saves the other reads."""

    async def story() -> None:
        async with client(empty_home, era) as one, client(empty_home, era) as other:
            saying = {"content": "茶", "source": "auto_detect", "key": "tea"}
            assert not (await one.call_tool("save", saying)).is_error
            assert (await other.call_tool("get", {"key": "tea"})).structured_content["content"] == "茶"
            assert serving(empty_home) is not None

    async def at_once() -> None:
        async def ask() -> None:
            async with client(empty_home, era) as agent:
                assert not (await agent.call_tool("whoami", {})).is_error

        await asyncio.gather(*(ask() for _ in range(4)))

    asyncio.run(at_once())
    asyncio.run(story())


def test_without_a_daemon_the_client_is_told_the_way_out(empty_home: Path, era: str) -> None:
    """Where the pump may not start one: an error of the protocol, not a dead server."""

    async def story() -> None:
        began = time.monotonic()
        with pytest.raises(BaseExceptionGroup) as failed:
            async with client(empty_home, era, "--no-start"):
                pass
        assert "Start it by typing: memtrigd" in _told(failed.value)
        assert time.monotonic() - began < 25

    asyncio.run(story())


async def _answered(agent: Client) -> object:
    """Ask until the answer is none of the pump's own: it says itself that one may ask again."""
    for _ in range(5):
        try:
            return await agent.call_tool("whoami", {})
        except MCPError as error:
            assert error.error.data == {"retryable": True}
    raise AssertionError("the daemon did not come back")


def _told(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return " ".join(map(_told, error.exceptions))
    return str(error)
