"""Every tool of every set, called as a model calls it, through the official client, the pump and the daemon."""

import asyncio
from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

import jsonschema
import pytest
from mcp import Client

from tests.mcp.conftest import Agent

SAYINGS: Final = {
    "English": ("She takes her tea without sugar.", "tea", "Asha"),
    "Chinese": ("她喝茶不加糖。", "喝茶", "阿莎"),
    "Marathi": ("तिला बिनसाखरेचा चहा आवडतो.", "चहा", "आशा"),
}
"""What is said, a word of it, and whom it is about."""

Told = dict[str, Any]
Step = tuple[str, Callable[[Told], dict[str, Any]]]


def core(said: str, word: str, entity: str) -> list[Step]:
    """A life of a memory by our own tools; ``told`` is the data that each tool answered last."""
    key, tag, gone = f"{word}-{uuid4().hex}", uuid4().hex, f"{entity} {uuid4()}"
    return [
        ("whoami", lambda told: {}),
        (
            "save",
            lambda told: {
                "content": said,
                "source": "user_explicit",
                "quote": said,
                "key": key,
                "entity": entity,
                "tags": [tag],
            },
        ),
        ("get", lambda told: {"key": key}),
        ("search", lambda told: {"query": word, "max_results": "5"}),
        ("list", lambda told: {"tag": tag}),
        ("deny", lambda told: {"key": key, "quote": word}),
        ("save", lambda told: {"content": gone, "source": "auto_detect", "key": gone}),
        ("forget", lambda told: {"key": gone}),
        ("save", lambda told: {"content": f"{said} {tag}", "source": "self_inferred", "key": f"guess-{tag}"}),
        ("review", lambda told: {}),
        ("confirm", lambda told: {"id": told["save"]["id"], "quote": said}),
        ("recall", lambda told: {}),
        ("promise", lambda told: {"action": "add", "text": said, "deadline": "2031-01-01", "entity": entity}),
        ("promise", lambda told: {"action": "done", "id": told["promise"]["promises"][0]["id"]}),
        ("promise", lambda told: {"action": "list"}),
        ("promise", lambda told: {"action": "check", "within_hours": 24}),
        ("stats", lambda told: {}),
    ]


def triggerfish(said: str, word: str, entity: str) -> list[Step]:
    """The same by the first system's five."""
    key = f"{entity}-{uuid4().hex}"
    return [
        ("memory_save", lambda told: {"key": key, "content": said, "tags": ["preference"]}),
        ("memory_get", lambda told: {"key": key}),
        ("memory_search", lambda told: {"query": word}),
        ("memory_list", lambda told: {"tag": "preference"}),
        ("memory_delete", lambda told: {"key": key}),
    ]


def memory_trigger(said: str, word: str, entity: str) -> list[Step]:
    """The same by the second system's, with the arguments that it knows and we ignore."""
    about, gone = f"{entity} {uuid4().hex}", f"{entity} {uuid4().hex}"
    return [
        ("memory_init", lambda told: {"mode": "local", "refs_dir": "/nowhere"}),
        (
            "memory_write",
            lambda told: {
                "entity": about,
                "kind": "preference",
                "value": said,
                "source": "user_explicit",
                "emotion_tags": "warm, 温暖",
            },
        ),
        ("memory_search", lambda told: {"query": word}),
        ("memory_deny", lambda told: {"entity_or_id": about}),
        ("memory_write", lambda told: {"entity": gone, "kind": "habit", "value": gone}),
        ("memory_forget", lambda told: {"entity_or_id": gone, "reason": "asked"}),
        ("memory_recall", lambda told: {"limit": 2}),
        ("memory_stats", lambda told: {}),
        ("memory_decay", lambda told: {}),
        ("memory_vacuum", lambda told: {}),
        ("memory_backup", lambda told: {}),
        ("memory_recover", lambda told: {}),
        ("memory_wellness", lambda told: {"mood": word, "sleep_hours": "7.5"}),
        ("memory_expire_check", lambda told: {}),
        ("memory_selfcheck", lambda told: {}),
        ("memory_promise", lambda told: {"text": said, "deadline": "2031-01-01"}),
        ("memory_promise_done", lambda told: {"promise_id": told["memory_promise"]["promise"]["id"]}),
        ("memory_promise_list", lambda told: {"status": "all"}),
        ("memory_promise_check", lambda told: {}),
        ("memory_promise_watch_status", lambda told: {}),
    ]


STORIES: Final = {
    "core": (core,),
    "triggerfish": (triggerfish,),
    "memory-trigger": (memory_trigger,),
    "all": (core, triggerfish, memory_trigger),
}


@pytest.mark.parametrize("language", SAYINGS)
@pytest.mark.parametrize("tools", STORIES)
def test_every_tool_of_a_set_is_listed_and_answers(agent: Agent, tools: str, language: str) -> None:
    """Each succeeds, in either era; its data is what its schema promises; the story leaves no tool out."""

    async def story() -> None:
        async with agent(tools) as client:
            listed = {each.name: each for each in (await client.list_tools()).tools}
            told: Told = {}
            for tell in STORIES[tools]:
                for name, arguments in tell(*SAYINGS[language]):
                    told[name] = await _called(client, listed[name], arguments(told))
            assert set(told) == set(listed)

    asyncio.run(story())


@pytest.mark.parametrize("language", SAYINGS)
def test_what_is_saved_comes_back_as_it_was_said(agent: Agent, language: str) -> None:
    """By key and by a word of it, character for character."""

    async def story() -> None:
        said, word, _ = SAYINGS[language]
        async with agent() as client:
            listed = {each.name: each for each in (await client.list_tools()).tools}
            key = f"{word}/{uuid4().hex}"
            await _called(client, listed["save"], {"content": said, "source": "auto_detect", "key": key})
            assert (await _called(client, listed["get"], {"key": key}))["content"] == said
            found = await _called(client, listed["search"], {"query": word, "max_results": 100})
            assert key in [each["key"] for each in found["memories"]]

    asyncio.run(story())


async def _called(client: Client, tool: Any, arguments: dict[str, Any]) -> Any:
    """Call a tool that is to succeed; returns its data."""
    answer = await client.call_tool(tool.name, arguments)
    assert not answer.is_error, f"{tool.name}: {answer.content[0].text}"
    assert answer.content[0].text
    if tool.output_schema is not None:
        jsonschema.validate(answer.structured_content, tool.output_schema)
    return answer.structured_content
