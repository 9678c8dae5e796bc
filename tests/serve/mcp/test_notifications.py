"""What lines are told unasked: of acts in their sight, soon, not too often, and of nothing above."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from mcp import Client
from mcp.client.subscriptions import PromptsListChanged, ResourcesListChanged, ResourceUpdated
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.serve.mcp.bus import LISTENERS, PAUSE, WATCHED, Buses, News
from tests.conftest import Daemon
from tests.serve.lives import Owner
from tests.serve.mcp.conftest import Agent
from tests.serve.mcp.raw import wired

pytestmark = pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
RECENT = "memory://recent"
SOON = 10.0
"""Seconds for what is to come."""
QUIET = 5 * PAUSE
"""Seconds for what is not to come."""


class Told:
    """The notifications that a client got, by their methods and URIs."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self.streams = False

    async def __call__(self, message: Any) -> None:
        """Keep one of the older era."""
        method = getattr(message, "method", None)
        if method is not None and not self.streams:  # the client tells of what comes in a stream here, too
            params = getattr(message, "params", None)
            self.all.append(f"{method.removeprefix('notifications/')} {getattr(params, 'uri', '')}".strip())

    def keep(self, event: Any) -> None:
        """Keep one of the newer era."""
        names = {ResourcesListChanged: "resources/list_changed", PromptsListChanged: "prompts/list_changed"}
        self.all.append(f"resources/updated {event.uri}" if isinstance(event, ResourceUpdated) else names[type(event)])

    async def of(self, *wanted: str) -> None:
        """Wait until each of some has come."""
        async with asyncio.timeout(SOON):
            while not set(wanted) <= set(self.all):
                await asyncio.sleep(0.01)


@asynccontextmanager
async def listening(agent: Agent, level: str = "internal") -> AsyncIterator[tuple[Client, Told]]:
    """A client that watches a resource and both lists, in its own era's way."""
    told = Told()
    async with agent(level=level, message_handler=told) as client:
        if client.protocol_version < "2026":
            await client.subscribe_resource(RECENT)
            yield client, told
            return
        told.streams = True
        wanted = {"resources_list_changed": True, "prompts_list_changed": True, "resource_subscriptions": [RECENT]}
        async with client.listen(**wanted) as events:

            async def keep() -> None:
                async for event in events:
                    told.keep(event)

            task = asyncio.create_task(keep())
            yield client, told
            task.cancel()


async def save(client: Client, **given: object) -> None:
    """Save something that is to succeed."""
    answer = await client.call_tool("save", {"content": f"says {uuid4()}", "source": "user_explicit", **given})
    assert not answer.is_error, answer.content[0].text


def run(story: Callable[[], Awaitable[None]]) -> None:
    """Play a story to its end."""
    asyncio.run(asyncio.wait_for(story(), 60))


def test_what_another_agent_writes_is_told_of(agent: Agent) -> None:
    """At the same level and below it: the watched resource, and the list of resources."""

    async def story() -> None:
        async with listening(agent) as (_, told), agent() as beside, agent(level="public") as below:
            for writer in (beside, below):
                told.all.clear()
                await save(writer)
                await told.of(f"resources/updated {RECENT}", "resources/list_changed")

    run(story)


def test_nothing_is_told_of_what_is_done_above(agent: Agent, owner: Owner) -> None:
    """Neither of an agent's nor of the owner's acts there; what is done below is told of to those above."""

    async def story() -> None:
        async with listening(agent, "confidential") as (above, heard), listening(agent, "public") as (_, told):
            await save(above)
            await heard.of(f"resources/updated {RECENT}")
            await asyncio.to_thread(said_by, owner, "restricted")
            await asyncio.to_thread(said_by, owner, "internal")
            await asyncio.sleep(QUIET)
            assert told.all == []
            heard.all.clear()
            await asyncio.to_thread(said_by, owner, "public")
            for ears in (heard, told):
                await ears.of(f"resources/updated {RECENT}", "resources/list_changed")

    run(story)


def said_by(owner: Owner, level: str) -> None:
    """Let the owner save something at a level."""
    owner.does(wire.Save(content=f"says {uuid4()}"), wire.Saved, level)


def test_changed_guidance_is_told_of(agent: Agent, shared_daemon: Daemon) -> None:
    """Prompts are other ones then; so is the resource, for who watches it."""

    async def story() -> None:
        async with listening(agent, "public") as (client, told):
            word = uuid4().hex
            (shared_daemon.home / "config" / "SPINE.md").write_text(f"# Remembering\n\nSay {word}.\n")
            await told.of("prompts/list_changed")
            assert word in (await client.read_resource("memory://guidance")).contents[0].text
            assert "resources/list_changed" not in told.all

    run(story)


def test_many_writes_are_few_notifications(agent: Agent) -> None:
    """One at most in each pause, and the last write is told of in any case."""

    async def story() -> None:
        async with listening(agent) as (_, told), agent() as other:
            began = time.monotonic()
            for _ in range(40):
                await save(other)
            await asyncio.sleep(QUIET)
            count = told.all.count("resources/list_changed")
            assert 2 <= count <= (time.monotonic() - began) / PAUSE + 1

    run(story)


def test_what_is_not_watched_any_more_is_not_told_of(shared_daemon: Daemon) -> None:
    """In the older era, and no list changes for a client that has not said that it is ready."""
    with wired(shared_daemon, old=True) as line, wired(shared_daemon) as other:
        line.ask("resources/subscribe", uri=RECENT)
        line.ask("resources/unsubscribe", uri=RECENT)
        other.call("save", {"content": f"says {uuid4()}", "source": "user_explicit"})
        assert line.line() == {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
        line.begin("ping")
        assert "result" in line.line()


def test_streams_and_watched_resources_have_a_bound(shared_daemon: Daemon) -> None:
    """Too many of either are refused, and one that was ended makes room."""
    with wired(shared_daemon) as line:
        wanted = {"resourcesListChanged": True}
        streams = []
        for _ in range(LISTENERS):
            streams.append(line.begin("subscriptions/listen", notifications=wanted))
            assert line.line()["method"] == "notifications/subscriptions/acknowledged"
        assert line.ask("subscriptions/listen", notifications=wanted)["error"]["data"]["code"] == "too_large"
        many = {"resourceSubscriptions": [f"memory://{number}" for number in range(WATCHED + 1)]}
        line.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": streams[0]}})
        assert line.ask("subscriptions/listen", notifications=many)["error"]["data"]["code"] == "too_large"
        line.begin("subscriptions/listen", notifications=wanted)
        assert line.line()["method"] == "notifications/subscriptions/acknowledged"
    with wired(shared_daemon, old=True) as line:
        for number in range(WATCHED):
            assert "result" in line.ask("resources/subscribe", uri=f"memory://{number}")
        assert line.ask("resources/subscribe", uri="memory://more")["error"]["data"]["code"] == "too_large"
        assert line.ask("resources/subscribe", uri="file:///etc")["error"]["data"]["code"] == "not_found"


def test_streams_that_were_cancelled_leave_nothing_behind(shared_daemon: Daemon) -> None:
    """However many a client opens and takes back, its line goes on."""
    with wired(shared_daemon) as line:
        for _ in range(100):
            number = line.begin("subscriptions/listen", notifications={"resourcesListChanged": True})
            assert line.line()["method"] == "notifications/subscriptions/acknowledged"
            line.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        assert "result" in line.ask("tools/list")


def test_a_stream_is_ended_when_the_client_has_said_all(shared_daemon: Daemon) -> None:
    """It is answered, and nobody waits for it."""
    with wired(shared_daemon) as line:
        number = line.begin("subscriptions/listen", notifications={"resourcesListChanged": True})
        line.line()
        began = time.monotonic()
        line.done()
        assert line.line()["id"] == number and line.ended()
        assert time.monotonic() - began < 0.9


def test_guidance_is_told_of_to_those_whom_it_is_for() -> None:
    """To all, or to one agent; to a line of that name at whatever level, for the owner's words have none."""

    async def story() -> None:
        buses = Buses(lambda session, level: False)
        told: dict[str, list[News]] = {"gardener": [], "coder": []}
        for agent, heard in told.items():
            buses.open(agent, agent).attach(lambda news, heard=heard: heard.append(news) or True)
        buses.guidance_changed("coder")
        assert told == {"gardener": [], "coder": [News.GUIDANCE]}
        buses.guidance_changed(None)
        await asyncio.sleep(2 * PAUSE)
        assert told == {"gardener": [News.GUIDANCE], "coder": [News.GUIDANCE] * 2}
        buses.committed(Level.PUBLIC)
        await asyncio.sleep(2 * PAUSE)
        assert News.MEMORIES not in told["gardener"]

    run(story)


def test_what_a_line_did_not_take_is_told_later() -> None:
    """Once, and with all that came meanwhile."""

    async def story() -> None:
        bus = Buses(lambda session, level: True).open("s", None)
        heard: list[News] = []
        reads = False

        def tell(news: News) -> bool:
            if reads:
                heard.append(news)
            return reads

        bus.attach(tell)
        bus.note(News.MEMORIES)
        bus.note(News.GUIDANCE)
        await asyncio.sleep(2 * PAUSE)
        reads = True
        await asyncio.sleep(2 * PAUSE)
        assert heard == [News.MEMORIES | News.GUIDANCE]

    run(story)


@pytest.mark.parametrize("old", [True, False], ids=["older", "newer"])
def test_what_is_announced_is_served(shared_daemon: Daemon, *, old: bool) -> None:
    """Both eras say that lists change and resources can be watched."""
    with wired(shared_daemon, old=old) as line:
        can = (line.hello if old else line.ask("server/discover")["result"])["capabilities"]
        assert can["resources"] == {"subscribe": True, "listChanged": True} and can["prompts"] == {"listChanged": True}
        assert "completions" in can
