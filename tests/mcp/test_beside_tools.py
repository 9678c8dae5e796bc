"""Resources, prompts, completion, news and questions to the user, through the pump, in either era."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import pytest
from mcp import Client
from mcp.client.subscriptions import ResourceUpdated
from mcp_types import ElicitResult, ResourceTemplateReference

from tests.conftest import Daemon
from tests.mcp.conftest import Agent, client

pytestmark = pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
RECENT: Final = "memory://recent"
SAYINGS: Final = ("She takes her tea without sugar.", "她喝茶不加糖。", "तिला बिनसाखरेचा चहा आवडतो.")


async def saved(agent: Client, said: str, key: str) -> None:
    """Save something."""
    answer = await agent.call_tool("save", {"content": said, "source": "auto_detect", "key": key})
    assert not answer.is_error, answer.content[0].text


@pytest.mark.parametrize("said", SAYINGS)
def test_resources_and_completion(agent: Agent, said: str) -> None:
    """Each listed resource can be read; a memory by its key, in any script and with a slash; its key is completed."""

    async def story() -> None:
        async with agent() as connected:
            key = f"{said[:4].strip()}/{uuid4().hex}"
            await saved(connected, said, key)
            for each in (await connected.list_resources()).resources:
                assert (await connected.read_resource(str(each.uri))).contents[0].text is not None
            template = (await connected.list_resource_templates()).resource_templates[0].uri_template
            read = await connected.read_resource(template.replace("{key}", quote(key, safe="")))
            assert read.contents[0].text == said
            reference = ResourceTemplateReference(uri=template)
            told = await connected.complete(reference, {"name": "key", "value": key[:12]})
            assert key in told.completion.values

    asyncio.run(story())


def test_every_prompt_is_made(agent: Agent) -> None:
    """Of the state of the session: a core memory is in the guidance."""

    async def story() -> None:
        async with agent() as connected:
            name = f"आशा {uuid4().hex}"
            said = {"content": f"Her sister is {name}.", "source": "user_explicit", "kind": "relationship"}
            assert not (await connected.call_tool("save", said)).is_error
            prompts = (await connected.list_prompts()).prompts
            assert {each.name for each in prompts} == {"remember_guidance", "review_memories", "recall"}
            for each in prompts:
                text = (await connected.get_prompt(each.name)).messages[0].content.text
                assert text and (each.name != "remember_guidance" or name in text)

    asyncio.run(story())


@asynccontextmanager
async def heard(connected: Client, news: list[str]) -> AsyncIterator[None]:
    """Keep what a newer client hears of RECENT; an older one subscribes and hears by its handler."""
    if connected.protocol_version < "2026":
        await connected.subscribe_resource(RECENT)
        yield
        return
    async with connected.listen(resource_subscriptions=[RECENT]) as events:

        async def keep() -> None:
            async for event in events:
                if isinstance(event, ResourceUpdated):
                    news.append(str(event.uri))

        task = asyncio.create_task(keep())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])


def test_news_come_and_come_again_after_a_restart(daemon: Daemon, era: str) -> None:
    """The older client has subscribed once, and goes on hearing; the newer one listens anew."""

    async def story() -> None:
        news: list[str] = []

        async def handler(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/resources/updated":
                news.append(str(message.params.uri))

        old = era == "legacy"
        more = {"message_handler": handler} if old else {}
        async with (
            client(daemon.home, era, "--no-start", **more) as hears,
            client(daemon.home, era, "--no-start") as says,
        ):
            async with heard(hears, news):
                await saved(says, "茶", "one")
                await _until(news)
                daemon.kill()
                await asyncio.to_thread(daemon.start)
                await says.call_tool("whoami", {})
                await hears.call_tool("whoami", {})
                news.clear()
                if old:
                    await saved(says, "चहा", "two")
                    await _until(news)
            if not old:
                async with heard(hears, news):
                    await saved(says, "चहा", "two")
                    await _until(news)

    asyncio.run(story())


def test_the_user_is_asked_about_what_waits(agent: Agent) -> None:
    """Through the pump and back, in the middle of a call; their yes is carried out."""
    asked: list[str] = []

    async def answer(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"keep": True})

    async def story() -> None:
        async with agent(elicitation_callback=answer) as connected:
            key = uuid4().hex
            guess = await connected.call_tool(
                "save", {"content": f"爵士樂 {key}", "source": "self_inferred", "key": key}
            )
            memory = guess.structured_content["id"]
            done = await connected.call_tool("confirm", {"id": memory, "quote": "yes"})
            assert not done.is_error, done.content[0].text
            assert not (await connected.call_tool("get", {"key": key})).is_error
            assert len(asked) == 1 and "爵士樂" in asked[0]

    asyncio.run(story())


async def _until(news: list[str]) -> None:
    async with asyncio.timeout(20):
        while RECENT not in news:
            await asyncio.sleep(0.02)
