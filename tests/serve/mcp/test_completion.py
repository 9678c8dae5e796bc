"""Completion offers names of what the session is served, and of nothing else."""

import asyncio
from uuid import uuid4

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from tests.serve.mcp.conftest import Agent

KEY = ResourceTemplateReference(type="ref/resource", uri="memory://{key}")
RECALL = PromptReference(type="ref/prompt", name="recall")


async def save(client: Client, **given: object) -> None:
    """Save something that is to succeed."""
    answer = await client.call_tool("save", {"content": f"says {uuid4()}", "source": "user_explicit", **given})
    assert not answer.is_error, answer.content[0].text


async def offered(client: Client, ref: PromptReference | ResourceTemplateReference, name: str, typed: str) -> list[str]:
    """What is offered for what was typed."""
    return (await client.complete(ref, {"name": name, "value": typed})).completion.values


def test_keys_tags_and_entities_are_completed_in_any_script(agent: Agent) -> None:
    """By their beginning, in either case, each once."""

    async def story() -> None:
        async with agent() as client:
            word = uuid4().hex
            for key in (f"चहा{word}/1", f"चहा{word}/2", f"茶{word}"):
                await save(client, key=key, tags=[f"पेय{word}"], entity=f"Asha{word}")
            assert set(await offered(client, KEY, "key", f"चहा{word}")) == {f"चहा{word}/1", f"चहा{word}/2"}
            assert await offered(client, KEY, "key", f"茶{word}") == [f"茶{word}"]
            assert await offered(client, RECALL, "tag", f"पेय{word}") == [f"पेय{word}"]
            assert await offered(client, RECALL, "entity", f"asha{word}") == [f"Asha{word}"]

    asyncio.run(story())


def test_more_than_a_hundred_are_told_of_as_more(agent: Agent) -> None:
    """The protocol allows a hundred in one answer; the latest are among them."""

    async def story() -> None:
        async with agent(level="confidential") as client:
            word = uuid4().hex
            for number in range(101):
                await save(client, key=f"{word}{number}")
            answer = (await client.complete(KEY, {"name": "key", "value": word})).completion
            assert len(answer.values) == 100 and answer.has_more and answer.values[0] == f"{word}100"

    asyncio.run(story())


def test_what_lies_above_waits_or_was_forgotten_is_not_offered(agent: Agent) -> None:
    """Neither its key nor its tag nor its entity."""

    async def story() -> None:
        word = uuid4().hex
        async with agent(level="restricted") as high, agent() as other, agent() as low:
            await save(high, key=f"{word}-above", tags=[f"{word}-above"], entity=f"{word}-above")
            await save(other, key=f"{word}-waits", tags=[f"{word}-waits"], source="self_inferred")
            for key in (f"{word}-gone", f"{word}-stays"):
                await save(low, key=key, tags=[key], entity=key)
            await low.call_tool("forget", {"key": f"{word}-gone"})
            for ref, name in ((KEY, "key"), (RECALL, "tag"), (RECALL, "entity")):
                assert await offered(low, ref, name, word) == [f"{word}-stays"]
                assert set(await offered(high, ref, name, word)) == {f"{word}-stays", f"{word}-above"}

    asyncio.run(story())


def test_what_can_not_be_completed_is_refused(agent: Agent) -> None:
    """Another template, another variable, another prompt."""

    async def story() -> None:
        async with agent() as client:
            for ref, name in (
                (ResourceTemplateReference(type="ref/resource", uri="memory://{other}"), "key"),
                (KEY, "level"),
                (RECALL, "level"),
                (PromptReference(type="ref/prompt", name="none"), "tag"),
            ):
                with pytest.raises(MCPError) as refused:
                    await offered(client, ref, name, "a")
                assert refused.value.error.code == -32602 and refused.value.error.data["code"] == "bad_request"

    asyncio.run(story())
