"""The tool sets of the two systems that users come from: their names, their replies."""

import asyncio
import json
from typing import Any
from uuid import uuid4

from mcp import Client

from tests.serve.mcp.conftest import Agent

TRIGGERFISH = {f"memory_{verb}" for verb in ("save", "get", "search", "list", "delete")}
MEMORY_TRIGGER = {
    f"memory_{verb}"
    for verb in (
        *("write", "search", "forget", "stats", "decay", "vacuum", "backup", "recover", "wellness", "init"),
        *("deny", "recall", "expire_check", "selfcheck"),
        *("promise", "promise_done", "promise_list", "promise_check", "promise_watch_status"),
    )
}


async def told(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    """Call a tool; its text is the original's JSON, and its structured content the same."""
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer.content[0].text
    whole: dict[str, Any] = json.loads(answer.content[0].text)
    assert answer.structured_content == whole
    return whole


def test_triggerfishs_tools_answer_as_they_did(agent: Agent) -> None:
    """Saved, found, searched, listed and deleted, in that system's words."""

    async def story() -> None:
        async with agent("triggerfish") as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == TRIGGERFISH
            key, tag = f"bakery-{uuid4().hex}", uuid4().hex
            saved = await told(client, "memory_save", key=key, content=f"Works at the bakery {tag}", tags=[tag])
            assert saved == {"saved": True, "key": key, "classification": "INTERNAL"}
            got = await told(client, "memory_get", key=key)
            assert got.pop("updated_at") and got == {
                "found": True,
                "key": key,
                "content": f"Works at the bakery {tag}",
                "classification": "INTERNAL",
                "tags": [tag],
            }
            assert await told(client, "memory_get", key="none") == {"found": False, "key": "none"}
            found = await told(client, "memory_search", query=tag)
            assert found["query"] == tag and [each["key"] for each in found["results"]] == [key]
            assert [each["key"] for each in (await told(client, "memory_list", tag=tag))["memories"]] == [key]
            assert await told(client, "memory_delete", key=key) == {"deleted": True, "key": key}
            empty = await client.call_tool("memory_list", {"tag": tag})
            assert empty.content[0].text == "No memories found."
            again = await client.call_tool("memory_delete", {"key": key})
            assert again.is_error and "INTERNAL" in again.content[0].text

    asyncio.run(story())


def test_memory_triggers_tools_answer_as_they_did(agent: Agent) -> None:
    """Written, searched, denied and forgotten, in that system's words, and in Chinese."""

    async def story() -> None:
        async with agent("memory-trigger") as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == MEMORY_TRIGGER
            entity = f"小明{uuid4().hex}"
            coffee = await told(
                client,
                "memory_write",
                entity=entity,
                kind="preference",
                value=f"{entity}喜欢手冲咖啡",
                source="user_explicit",
                emotion_tags="开心，平静",
                refs_dir="/etc",
            )
            assert (coffee["status"], coffee["status_field"], coffee["importance"]) == ("committed", "active", 1.0)
            await told(
                client,
                "memory_write",
                entity=entity,
                kind="preference",
                value=f"{entity}喜欢猫",
                source="user_explicit",
            )
            found = await told(client, "memory_search", query=entity)
            assert found["results_count"] == len(found["results"]) == 2, "cats do not replace coffee"
            assert found["results"][0]["_authority"] == "file"
            guess = await told(
                client,
                "memory_write",
                entity=entity,
                kind="emotion",
                value=f"{entity}有点累",
                source="self_inferred",
                confidence=0.3,
            )
            assert guess["status_field"] == "pending"
            denied = await told(client, "memory_deny", entity_or_id=coffee["memory_id"])
            assert denied["denied"][0]["deny_count"] == 1
            gone = await told(client, "memory_forget", entity_or_id=entity, reason="别提了")
            assert gone["status"] == "forgotten" and gone["forgotten_count"] >= 2
            nothing = await told(client, "memory_forget", entity_or_id=uuid4().hex)
            assert nothing["status"] == "nothing_to_forget"

    asyncio.run(story())


def test_memory_triggers_upkeep_answers(agent: Agent) -> None:
    """Each of the rest is answered by its names; a wrong enumeration is refused with the right form."""

    async def story() -> None:
        async with agent("memory-trigger") as client:
            assert (await told(client, "memory_stats"))["active"] >= 0
            assert (await told(client, "memory_decay"))["status"] == "ok"
            assert "archived" in await told(client, "memory_vacuum")
            assert (await told(client, "memory_backup"))["status"] == "not_available"
            assert (await told(client, "memory_recover"))["recovered"] == 0
            assert (await told(client, "memory_wellness", mood="平静", sleep_hours="7.5"))["record"][
                "sleep_hours"
            ] == 7.5
            assert (await told(client, "memory_init", mode="graph"))["mode"] == "graph"
            assert "expired_count" in await told(client, "memory_expire_check")
            assert "problems" in await told(client, "memory_selfcheck")
            assert (await told(client, "memory_recall", limit=2))["recalled_count"] >= 0
            promise = await told(client, "memory_promise", text="陪你去医院", deadline="2020-01-01")
            check = await told(client, "memory_promise_check")
            assert check["unfulfilled_count"] >= 1
            promise_id = promise["promise"]["id"]
            assert (await told(client, "memory_promise_done", promise_id=promise_id))["status"] == "done"
            done = await told(client, "memory_promise_list", status="done")
            assert promise_id in [each["id"] for each in done["promises"]]
            assert (await told(client, "memory_promise_watch_status"))["running"] is True
            wrong = await client.call_tool("memory_init", {"mode": "cloud"})
            assert wrong.is_error and '"local"' in wrong.content[0].text

    asyncio.run(story())


def test_all_is_every_tool_once(agent: Agent) -> None:
    """A name that two sets have is the first's."""

    async def story() -> None:
        async with agent("all") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert {*TRIGGERFISH, *MEMORY_TRIGGER, "save"} <= set(tools)
            assert "max_results" in tools["memory_search"].input_schema["properties"]

    asyncio.run(story())
