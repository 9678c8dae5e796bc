"""The core tools through the official client."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import jsonschema
import pytest
from mcp import Client

from tests.serve.mcp.conftest import Agent

CORE = {
    "save", "get", "search", "list", "forget", "deny", "confirm", "recall", "review", "promise", "stats", "whoami",
}  # fmt: skip


async def call(client: Client, tool: str, **given: Any) -> Any:
    """Call a tool that is to succeed; returns its structured content, which fits what the tool promised."""
    listed = {each.name: each for each in (await client.list_tools()).tools}
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer.content[0].text
    jsonschema.validate(answer.structured_content, listed[tool].output_schema)
    return answer.structured_content


async def refused(client: Client, tool: str, **given: Any) -> str:
    """Call a tool that is to be refused; returns what a model reads."""
    answer = await client.call_tool(tool, given)
    assert answer.is_error
    return answer.content[0].text


def test_the_core_set_is_twelve_described_tools_without_a_level(agent: Agent) -> None:
    """Each argument has a description, nothing else is taken, and none is a level."""

    async def story() -> None:
        async with agent() as client:
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools} == CORE
            for tool in tools:
                schema = tool.input_schema
                assert schema["additionalProperties"] is False and "level" not in schema["properties"]
                assert all(field.get("description") for field in schema["properties"].values())
                assert tool.description and tool.annotations and tool.annotations.open_world_hint is False

    asyncio.run(story())


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I take my tea without sugar.", "how does she take her tea"),
        ("मला बिनसाखरेचा चहा आवडतो.", "चहा"),
        ("我喝茶不加糖。", "喝茶"),
    ],
)
def test_what_is_saved_is_got_found_and_listed(agent: Agent, said: str, asked: str) -> None:
    """In English, Marathi and Chinese."""

    async def story() -> None:
        async with agent() as client:
            key, tag = f"tea-{uuid4().hex}", uuid4().hex
            saved = await call(
                client, "save", content=said, source="user_explicit", quote=said, key=key, tags=[tag], kind="preference"
            )
            assert saved["outcome"] == "new" and saved["status"] == "active"
            assert (await call(client, "get", key=key))["content"] == said
            assert key in [each["key"] for each in (await call(client, "list", tag=tag))["memories"]]
            found = await call(client, "search", query=f"{asked} {tag}", max_results=50)
            assert key in [each["key"] for each in found["memories"]]

    asyncio.run(story())


def test_what_was_said_when_can_be_asked_for(agent: Agent) -> None:
    """BR-079: a bound has its offset, or is refused: a model's day is nobody's calendar."""

    async def story() -> None:
        async with agent() as client:
            key = uuid4().hex
            await call(client, "save", content=f"Sails with {key}.", key=key, source="auto_detect", tags=[key])
            for tool, given in (("list", {"tag": key}), ("search", {"query": key})):
                now = await call(client, tool, **given, since="2026-01-01T00:00+09:00", until="2999-01-01T00:00Z")
                assert now["memories"][0]["key"] == key  # parts of it may stand in other tests' keys
                assert (await call(client, tool, **given, until="2026-01-01T00:00+09:00"))["memories"] == []
                assert "zone" in await refused(client, tool, **given, since="2026-01-01")

    asyncio.run(story())


def test_a_search_can_be_narrowed_down_and_kept_short(agent: Agent) -> None:
    """By kind, tags, entity and source; within a budget whole lines, and the rest is at its cursor."""

    async def story() -> None:
        async with agent() as client:
            word = uuid4().hex
            for n, kind in enumerate(("event", "habit", "habit")):
                fields = {"kind": kind, "tags": [word, f"{n}"], "entity": f"{kind} {word}"}
                await call(
                    client,
                    "save",
                    content=f"{word} {n} " + "of it " * 40,
                    key=f"{word}-{n}",
                    source="auto_detect",
                    **fields,
                )

            async def found(**asked: Any) -> list[str]:
                hits = (await call(client, "search", query=word, **{"tags": [word], **asked}))["memories"]
                assert all("words" in hit["why"] for hit in hits)
                return sorted(hit["key"][-1] for hit in hits)

            assert await found() == ["0", "1", "2"]
            assert await found(kind="habit") == await found(entity=f"HABIT {word}") == ["1", "2"]
            assert await found(tags=[word, "0"]) == ["0"] and await found(source="user_explicit") == []
            keys: list[str] = []
            cursor: dict[str, str] = {}
            for _ in range(3):
                page = await call(client, "search", query=word, tags=[word], max_tokens=250, **cursor)
                keys += [hit["key"] for hit in page["memories"]]
                assert len(page["memories"]) == 1
                cursor = {"cursor": page["cursor"]} if "cursor" in page else {}
            assert len(set(keys)) == 3 and not cursor
            assert "max_tokens" in await refused(client, "search", query=word, max_tokens=0)

    asyncio.run(story())


def test_a_guess_waits_and_the_users_word_stands(agent: Agent) -> None:
    """A guess is pending, in no list, confirmed by the user's words; a contradiction does not replace what was said."""

    async def story() -> None:
        async with agent() as client:
            key, rival = f"jazz-{uuid4().hex}", f"tea-{uuid4().hex}"
            guess = await call(client, "save", content="Likes jazz, perhaps.", source="self_inferred", key=key)
            assert guess["status"] == "pending"
            assert "not_found" in await refused(client, "get", key=key)
            assert guess["id"] in [each["memory"]["id"] for each in (await call(client, "review", limit=500))["items"]]
            yes = await call(client, "confirm", id=guess["id"], quote="yes, I do")
            assert yes["status"] == "active"
            await call(client, "save", content="Tea.", source="user_explicit", quote="Tea.", key=rival)
            against = await call(client, "save", content="Coffee.", source="auto_detect", key=rival)
            assert against["outcome"] == "contested" and (await call(client, "get", key=rival))["content"] == "Tea."

    asyncio.run(story())


def test_what_is_forgotten_is_not_learnt_again_from_a_guess(agent: Agent) -> None:
    """The refusal says so, and names nothing of it."""

    async def story() -> None:
        async with agent() as client:
            key = f"illness-{uuid4().hex}"
            await call(client, "save", content=f"Was ill {key}.", source="auto_detect", key=key)
            assert (await call(client, "forget", key=key, dry_run="true"))["count"] == 1
            assert (await call(client, "forget", key=key))["count"] == 1
            told = await refused(client, "save", content="Was ill again.", source="auto_detect", key=key)
            assert told.startswith("forgotten:") and key not in told

    asyncio.run(story())


def test_arguments_of_the_wrong_type_are_taken_where_their_meaning_is_plain(agent: Agent) -> None:
    """A number, a boolean or a list in a string is what it says; what is left is refused with the right form."""

    async def story() -> None:
        async with agent() as client:
            key = f"plain-{uuid4().hex}"
            await call(
                client,
                "save",
                content="x",
                source="auto_detect",
                key=key,
                tags='["a", "b"]',
                confidence="0.9",
                core="true",
            )
            memory = await call(client, "get", key=key)
            assert (memory["tags"], memory["confidence"], memory["core"]) == (["a", "b"], 0.9, True)
            for wrong in ({"confidence": "very"}, {"tags": "a, b"}, {"level": "PUBLIC"}, {"source": "me"}):
                given = {"content": "x", "source": "auto_detect", **wrong}
                told = await refused(client, "save", **given)
                assert told.startswith("bad_request: save:") and 'The right form: {"content": string' in told
                assert "very" not in told

    asyncio.run(story())


def test_a_long_content_comes_in_parts_and_nothing_is_cut_silently(agent: Agent) -> None:
    """Each part says how much more there is and where it goes on; together they are the whole."""

    async def story() -> None:
        async with agent() as client:
            key, whole = f"long-{uuid4().hex}", "नदी " * 30_000
            await call(client, "save", content=whole, source="file_import", key=key)
            parts, offset = [], 0
            while True:
                part = await call(client, "get", key=key, offset=offset)
                parts.append(part["content"])
                offset += len(part["content"])
                if not part["more"]:
                    break
            assert (len(parts) > 1 and "".join(parts) == whole.strip()) or "".join(parts) == whole

    asyncio.run(story())


def test_a_list_goes_on_at_its_cursor(agent: Agent) -> None:
    """A page within the budget names its cursor, and the pages together have each memory once."""

    async def story() -> None:
        async with agent() as client:
            tag = uuid4().hex
            for number in range(12):
                await call(
                    client, "save", content="很長的句子" * 300, source="auto_detect", key=f"{tag}-{number}", tags=[tag]
                )
            seen: list[str] = []
            cursor: str | None = None
            while True:
                page = await call(client, "list", tag=tag, limit=5, **({"cursor": cursor} if cursor else {}))
                seen += [each["key"] for each in page["memories"]]
                cursor = page.get("cursor")
                if cursor is None:
                    break
            assert sorted(seen) == sorted(f"{tag}-{number}" for number in range(12))

    asyncio.run(story())


def test_a_promise_is_kept_track_of(agent: Agent) -> None:
    """Added with a deadline, due once it has passed, done when it was kept."""

    async def story() -> None:
        async with agent() as client:
            text = f"आईला फोन करणे {uuid4().hex}"
            added = (await call(client, "promise", action="add", text=text, deadline="2020-01-01"))["promises"][0]
            due = await call(client, "promise", action="check")
            assert added["id"] in [each["id"] for each in due["promises"]] and due["unfulfilled"] >= 1
            await call(client, "promise", action="done", id=added["id"])
            left = await call(client, "promise", action="list")
            assert added["id"] not in [each["id"] for each in left["promises"]]

    asyncio.run(story())


def test_a_low_agent_sees_nothing_of_a_high_one(agent: Agent) -> None:
    """Neither by key nor in a search, and whoami says at which level it is."""

    async def story() -> None:
        word = uuid4().hex
        async with agent(level="confidential") as high, agent(level="public") as low:
            await call(high, "save", content=f"secret {word}", source="user_explicit", quote="secret", key=word)
            assert (await call(high, "get", key=word))["level"] == "CONFIDENTIAL"
            assert "not_found" in await refused(low, "get", key=word)
            assert (await call(low, "search", query=word))["memories"] == []
            assert (await call(low, "whoami"))["reads"] == ["PUBLIC"]

    asyncio.run(story())


def test_the_other_tools_answer(agent: Agent) -> None:
    """Figures, ideas and denials are what the daemon says, as text and as data."""

    async def story() -> None:
        async with agent() as client:
            key = f"wrong-{uuid4().hex}"
            await call(client, "save", content=f"Wrong {key}", source="auto_detect", key=key)
            assert (await call(client, "deny", key=key))["deny_count"] == 1
            assert (await call(client, "deny", key=key))["status"] == "disputed"
            assert (await call(client, "stats"))["levels"][0]["level"] == "INTERNAL"
            assert isinstance((await call(client, "recall", limit=1))["ideas"], list)
            assert json.dumps(await call(client, "whoami"))

    asyncio.run(story())
