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


def word() -> str:
    """A word that nothing else has, nor any part of it: of digits and letters mixed each run would be a word."""
    return uuid4().hex.translate(str.maketrans("0123456789", "ghijklmnop"))


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
            denied = await told(client, "memory_deny", entity_or_id=coffee["memory_id"], reason="")
            assert denied["count"] == 1
            assert {key: denied["items"][0][key] for key in ("entity", "deny_count", "importance")} == {
                "entity": entity,
                "deny_count": 1,
                "importance": 0.1,
            }
            gone = await told(client, "memory_forget", entity_or_id=entity, reason="别提了", kind="")
            assert gone["status"] == "forgotten" and gone["count"] >= 2 and gone["entities"] == [entity]
            nothing = await told(client, "memory_forget", entity_or_id=uuid4().hex)
            assert nothing["status"] == "nothing_to_forget"
            assert (await told(client, "memory_search", query=entity))["results_count"] == 0

    asyncio.run(story())


def test_memory_triggers_replies_have_its_fields(agent: Agent) -> None:
    """Each field that its clients read is there, with a value of its kind; importances have four decimals."""

    async def story() -> None:
        async with agent("memory-trigger") as client:
            entity = word()
            wrote = await told(
                client,
                "memory_write",
                entity=entity,
                kind="preference",
                value=f"{entity} drinks tea",
                mode="local",
                sentiment="",
                confidence="1.0",
                emotion_tags="",
                reason="she asked for it",
                core=None,
                context="at breakfast",
                expires_at="2099-01-01",
                refs_dir="",
            )
            assert (
                wrote.items()
                >= {
                    "status": "committed",
                    "entity": entity,
                    "kind": "preference",
                    "sentiment": None,
                    "source": "auto_detect",
                    "status_field": "active",
                    "core": False,
                    "importance": 1.0,
                    "context": "at breakfast",
                    "mode": "local",
                }.items()
            )
            assert wrote["memory_id"] and wrote["expires_at"].startswith("2099-01-01") and wrote["targets"]
            hit = (await told(client, "memory_search", query=entity))["results"][0]
            assert set(hit) >= {"id", "entity", "kind", "value", "source", "status", "importance", "core", "created"}
            assert hit["reason"] == "she asked for it" and hit["context"] == "at breakfast"
            marks = {key: hit[key] for key in ("_supplement", "_match_source", "_core")}
            assert marks == {"_supplement": False, "_match_source": "entity_index", "_core": False}
            assert hit["_importance"] == round(hit["_importance"], 4) == 1.0
            figures = await told(client, "memory_stats")
            assert set(figures) == {
                *("total_entities", "pending", "confirmed", "total_memories", "active", "pending_memories"),
                *("superseded", "entity_kinds", "core_memories", "avg_importance_noncore", "weakest_active"),
                *("oldest_memory", "newest_memory", "most_stale_active"),
            }
            assert figures["total_entities"] >= 1 and figures["entity_kinds"]["preference"] >= 1
            assert all(len(row) == 3 for row in figures["weakest_active"])
            assert all(len(row) == 4 for row in figures["most_stale_active"])
            fresh = {"entity": "阳台", "kind": "habit", "value": f"在阳台上种薄荷 {entity}", "source": "user_explicit"}
            await told(client, "memory_write", **fresh)  # what was found before may count as recalled by now
            recalled = await told(client, "memory_recall", limit=99)
            assert recalled["status"] == "recalled" and recalled["count"] == len(recalled["results"]) > 0
            assert set(recalled["channel"]) == {"warm", "old_treasure"}
            assert set(recalled["results"][0]) == {
                *("id", "entity", "kind", "value", "context", "emotion_tags", "never_recalled", "expires_at"),
                *("last_recalled", "importance", "cold_days", "score", "recall_reason"),
            }
            wrong = await client.call_tool("memory_write", {"entity": entity, "kind": "colour", "value": "x"})
            refusal = json.loads(wrong.content[0].text)
            assert wrong.is_error and refusal["ok"] is False and "preference" in refusal["error"]

    asyncio.run(story())


def test_memory_triggers_upkeep_answers(agent: Agent) -> None:
    """Each of the rest is answered by its names; a wrong enumeration is refused with the right form."""

    async def story() -> None:
        async with agent("memory-trigger") as client:
            decayed = await told(client, "memory_decay")
            assert decayed["status"] == "decayed" and {"decayed_count", "active_noncore"} <= set(decayed)
            assert set(await told(client, "memory_vacuum")) == {"status", "archived", "remaining"}
            backup = await told(client, "memory_backup")
            assert backup["status"] in ("queued", "recent") and set(backup) == {"status", "last_backup"}
            assert await told(client, "memory_recover") == {"status": "ok", "recovered": 0, "reason": "all_committed"}
            well = await told(client, "memory_wellness", mood="平静", sleep_hours="7.5", sleep_quality="-", note="-")
            assert (well["status"], well["mood"], well["record"]["sleep_hours"]) == ("ok", "平静", 7.5)
            assert "sleep_quality" not in well["record"]
            assert (await told(client, "memory_wellness", mood="累", sleep_hours="-"))["status"] == "ok"
            begun = await told(client, "memory_init", mode="graph", refs_dir="/etc")
            assert (begun["status"], begun["mode"]) == ("initialized", "graph")
            swept = await told(client, "memory_expire_check")
            assert swept["status"] == "expire_checked" and {"now", "expired", "remind"} <= set(swept)
            assert {"checked", "fixed", "fixed_ids", "problems"} <= set(await told(client, "memory_selfcheck"))
            assert (await told(client, "memory_promise_watch_status"))["running"] is True
            wrong = await client.call_tool("memory_init", {"mode": "cloud"})
            assert wrong.is_error and '"local"' in json.loads(wrong.content[0].text)["error"]
            hours = await client.call_tool("memory_wellness", {"mood": "累", "sleep_hours": "eight"})
            assert hours.is_error and "7.5" in json.loads(hours.content[0].text)["error"]

    asyncio.run(story())


def test_memory_triggers_promises_answer_as_they_did(agent: Agent) -> None:
    """A promise is open, overdue once its deadline has passed, done when it was kept; all open ones are checked."""

    async def story() -> None:
        async with agent("memory-trigger") as client:
            late = (await told(client, "memory_promise", text="陪你去医院", deadline="2020-01-01"))["promise"]
            assert set(late) == {"id", "text", "deadline", "created_at", "status", "completed_at"}
            someday = await told(client, "memory_promise", text="写一首歌", deadline="")
            assert someday["status"] == "promised" and someday["promise"]["deadline"] is None
            check = await told(client, "memory_promise_check")
            first = check["unfulfilled"][0]
            assert check["unfulfilled_count"] >= 2 and first["overdue"] is True and first["days_overdue"] > 2000
            assert {"id", "text", "deadline", "created_at", "age_days"} <= set(first)
            assert someday["promise"]["id"] in [each["id"] for each in check["unfulfilled"]]
            done = await told(client, "memory_promise_done", promise_id=late["id"])
            assert done["status"] == "promise_done" and done["promise"]["completed_at"]
            whole = await told(client, "memory_promise_list")
            assert whole["open_count"] == len(whole["open"]) >= 1 and whole["done_count"] >= 1
            assert late["id"] in [each["id"] for each in whole["done"]]
            none = await told(client, "memory_promise_done", promise_id="none")
            assert none == {"status": "nothing_to_done", "promise_id": "none"}

    asyncio.run(story())


def test_triggerfishs_errors_are_its_sentences(agent: Agent) -> None:
    """They begin with Error:, and say which argument is missing, or at which level the key is not."""

    async def story() -> None:
        async with agent("triggerfish") as client:
            for tool, given, wanted in (
                ("memory_save", {"content": "x"}, "Error: memory_save requires a 'key' argument (non-empty string)."),
                ("memory_save", {"key": "k", "content": ""}, "Error: memory_save requires a 'content' argument"),
                ("memory_get", {"key": ""}, "Error: memory_get requires a 'key' argument (non-empty string)."),
                ("memory_search", {}, "Error: memory_search requires a 'query' argument (non-empty string)."),
                ("memory_delete", {"key": "none"}, "Error: Memory record 'none' not found at INTERNAL level"),
                ("memory_save", {"key": "k", "content": "x", "level": "PUBLIC"}, "Error: memory_save: "),
            ):
                answer = await client.call_tool(tool, given)
                assert answer.is_error and answer.content[0].text.startswith(wanted), answer.content[0].text

    asyncio.run(story())


def test_all_is_every_tool_once(agent: Agent) -> None:
    """A name that two sets have is the first's."""

    async def story() -> None:
        async with agent("all") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert {*TRIGGERFISH, *MEMORY_TRIGGER, "save"} <= set(tools)
            assert "max_results" in tools["memory_search"].input_schema["properties"]

    asyncio.run(story())


def test_memory_triggers_search_finds_by_words_and_entities_alone(agent: Agent) -> None:
    """Not by a date that the query says, by which our own finds; that system has no such search."""

    async def story() -> None:
        key = f"flood-{uuid4().hex}"
        asked = {"query": "what was on 7 July 1987?"}
        async with agent() as client:
            fields = {"source": "file_import", "valid_from": "1987-07-07T12:00:00+00:00"}
            await told_by_core(client, "save", content=f"The cellar was flooded {key}", key=key, **fields)
            assert key in [hit["key"] for hit in (await told_by_core(client, "search", **asked))["memories"]]
        async with agent("memory-trigger") as client:
            assert key not in [hit["key"] for hit in (await told(client, "memory_search", **asked))["results"]]
            assert key in [
                hit["key"] for hit in (await told(client, "memory_search", query=f"cellar {key}"))["results"]
            ]

    asyncio.run(story())


async def told_by_core(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    """Call a tool of our own; its structured content."""
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer.content[0].text
    whole: dict[str, Any] = answer.structured_content
    return whole
