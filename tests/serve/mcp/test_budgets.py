"""What a model reads stays within its budget, whatever is remembered; what is left is said, and can be had."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client

from memtrigd.serve.mcp import texts
from tests.serve.mcp.conftest import Agent

pytestmark = pytest.mark.slow

SLACK = 200
"""Tokens for the frame around what is counted."""


async def answer(client: Client, tool: str, **given: Any) -> tuple[str, dict[str, Any]]:
    """Call a tool that is to succeed; returns its text, which is within the budget, as is its data, and its data."""
    told = await client.call_tool(tool, given)
    text = told.content[0].text
    assert not told.is_error, text
    assert texts.tokens(text) <= texts.BUDGET + SLACK
    data = json.dumps(told.structured_content, ensure_ascii=False, separators=(",", ":"))
    assert texts.tokens(data) <= texts.BUDGET + SLACK
    return text, told.structured_content


async def fill(client: Client, tag: str, count: int, content: str) -> list[str]:
    """Save some memories with a tag; returns their keys."""
    keys = [f"{tag}-{number}" for number in range(count)]
    for key in keys:
        given = {"content": f"{tag} {content} {key}", "source": "file_import", "key": key, "tags": [tag]}
        assert not (await client.call_tool("save", {**given, "entity": tag})).is_error
    return keys


@pytest.mark.parametrize("content", ["word " * 4000, "一條很長的नदी" * 1500])
def test_ten_hits_of_twenty_kilobytes_come_as_beginnings_with_a_way_to_the_whole(agent: Agent, content: str) -> None:
    """In every set: none is cut silently, and the whole is there to be got in parts (BR-037)."""

    async def story() -> None:
        async with agent("all") as client:
            tag = uuid4().hex
            keys = await fill(client, tag, 10, content)
            text, data = await answer(client, "search", query=tag)
            assert sorted(each["key"] for each in data["memories"]) == sorted(keys) and data["more"] == 0
            assert all(each["content_bytes"] > 15_000 for each in data["memories"])
            assert text.count("bytes: get it") == 10
            for tool, many in (("memory_search", "results"), ("memory_list", "memories")):
                found: list[str] = []
                cursor: dict[str, str] = {}
                while True:
                    asked = {"query": tag} if tool == "memory_search" else {"tag": tag}
                    _, data = await answer(client, tool, **asked, **cursor)
                    assert all(each["content_bytes"] > 15_000 for each in data[many])
                    found += [each["key"] for each in data[many]]
                    if "next_cursor" not in data:
                        break
                    cursor = {"cursor": data["next_cursor"]}
                assert len(set(found)) == len(found) and set(keys) <= set(found), tool
            for tool in ("get", "memory_get"):
                whole, offset = "", 0
                while True:
                    _, part = await answer(client, tool, key=keys[0], offset=offset)
                    whole += part["content"]
                    offset = len(whole)
                    if not part.get("more"):
                        break
                assert whole == f"{tag} {content} {keys[0]}"

    asyncio.run(story())


def test_a_search_goes_on_at_its_cursor(agent: Agent) -> None:
    """Its pages together have each hit once, though one has no room for all."""

    async def story() -> None:
        async with agent() as client:
            tag = uuid4().hex
            keys = await fill(client, tag, 40, "很長的句子" * 90)
            found: list[str] = []
            cursor: dict[str, str] = {}
            while True:
                text, data = await answer(client, "search", query=tag, max_results=40, **cursor)
                found += [each["key"] for each in data["memories"]]
                if "cursor" not in data:
                    break
                assert f"{data['more']} more." in text and f"cursor {data['cursor']}" in text
                cursor = {"cursor": data["cursor"]}
            assert len(set(found)) == len(found) and set(keys) <= set(found) and cursor
            wrong = await client.call_tool("search", {"query": tag, "cursor": "elsewhere"})
            assert wrong.is_error and "bad_value" in wrong.content[0].text

    asyncio.run(story())


def test_what_the_protocol_reserves_in_a_call_is_passed_over(agent: Agent) -> None:
    """Keys of other revisions and keys that nobody knows, in ``_meta`` (BR-032)."""

    async def story() -> None:
        async with agent() as client:
            meta: Any = {
                "progressToken": 7,
                "io.modelcontextprotocol/clientInfo2": {},
                "com.example/unknown": [1, None],
            }
            told = await client.call_tool("whoami", {}, meta=meta)
            assert not told.is_error and told.structured_content["level"] == "INTERNAL"

    asyncio.run(story())


@given(text=st.text(), offset=st.integers(0, 50), budget=st.integers(1, 30))
def test_parts_are_whole_and_within_their_budget(text: str, offset: int, budget: int) -> None:
    """Each is what stands there, at least a character, and as long as it may be."""
    part = texts.part(text, offset, budget)
    assert text[offset:].startswith(part) and (part or offset >= len(text))
    assert texts.tokens(part) <= budget or len(part) == 1
    end = offset + len(part)
    assert end >= len(text) or texts.tokens(text[offset : end + 1]) > budget or len(part) == 4 * budget


@given(lines=st.lists(st.text(), min_size=1), budget=st.integers(1, 200))
def test_lines_are_left_out_whole(lines: list[str], budget: int) -> None:
    """The first ones stay as they are, and at least one does."""
    kept = texts.within(lines, budget)
    assert kept == lines[: len(kept)] and kept
    assert len(kept) == 1 or sum(texts.tokens(line) + 1 for line in kept) <= budget
