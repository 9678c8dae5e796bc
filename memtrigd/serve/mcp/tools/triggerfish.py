"""The five tools of Triggerfish's memory, for agents that were written for them: its names, its replies.

What differs is what was wrong there: nothing is cut silently, a key that was deleted keeps its history, and errors say
what to do. The reply's text is that system's JSON.
"""

import re
from typing import Annotated, Any, Final

from memtrig import wire
from msgspec import Meta

from memtrigd.domain.errors import Refusal
from memtrigd.serve.lines import visible
from memtrigd.serve.mcp import texts
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Arguments, Shown, Tool, as_json, fitting, length
from memtrigd.serve.mcp.tools.core import page_of, place

PAGE: Final = 500
"""Memories of a page of the list."""
REQUIRED: Final = frozenset(("key", "content", "query"))
_NAMED: Final = re.compile(r"[`.](\w+)`")


def refused(tool: str, refusal: Refusal) -> str:
    """A refusal as that system told of errors: a sentence, with what to do."""
    named = _NAMED.findall(refusal.message) if refusal.code == "bad_request" else []
    wanted = next((name for name in reversed(named) if name in REQUIRED), None)
    if wanted is not None:
        return f"Error: {tool} requires a '{wanted}' argument (non-empty string). {refusal.hint}"
    return visible(" ".join(filter(None, (f"Error: {refusal.message}", refusal.hint))))


class Save(Arguments, frozen=True):
    """What memory_save takes."""

    key: Annotated[str, Meta(description="A descriptive name, such as user-name or pref-code-style.", min_length=1)]
    content: Annotated[str, Meta(description="What to remember.", min_length=1)]
    tags: Annotated[list[str] | None, Meta(description="persona, preference, rule, project …")] = None


async def save(desk: Desk, given: Save) -> Shown:
    """Keep a text under a key; the level is the session's."""
    request = wire.Save(key=given.key, content=given.content, tags=given.tags or [])
    saved = await desk.ask(request, wire.Saved)
    told: dict[str, Any] = {"saved": True, "key": saved.key, "classification": saved.level}
    if saved.outcome in ("pending", "contested", "echo"):
        told["status"] = saved.outcome  # it is not what is served: an agent that relies on it must know
    return as_json(told)


class Get(Arguments, frozen=True):
    """What memory_get takes."""

    key: Annotated[str, Meta(description="The exact key.", min_length=1)]
    offset: Annotated[int, Meta(description="Where to go on in a long content: the offset that you were told.")] = 0


async def get(desk: Desk, given: Get) -> Shown:
    """Give the copy of a key that the session sees."""
    try:
        memory = (await desk.ask(wire.Get(key=given.key), wire.Got)).memory
    except Refusal as refusal:
        if refusal.code != "not_found":
            raise
        return as_json({"found": False, "key": given.key})
    if not 0 <= given.offset <= len(memory.content):
        raise Refusal("bad_value", f"The content ends at {len(memory.content)}.", "Begin with offset 0.")
    part = texts.part(memory.content, given.offset)
    end = given.offset + len(part)
    told = {"found": True, **_told(memory), "content": part, "updated_at": memory.updated}
    told.pop("content_bytes", None)
    return as_json(told if end == len(memory.content) else {**told, "more": len(memory.content) - end, "offset": end})


class Search(Arguments, frozen=True):
    """What memory_search takes."""

    query: Annotated[str, Meta(description="Words to look for.", min_length=1)]
    max_results: Annotated[int, Meta(description="How many at most.")] = 10
    cursor: Annotated[str | None, Meta(description="Where to go on, as next_cursor told.")] = None


async def search(desk: Desk, given: Search) -> Shown:
    """Find memories by words."""
    before = place(given.cursor)
    asked = wire.Search(query=given.query, max_results=given.max_results, full=True)
    rows = [_told(memory) for memory in await page_of(desk, asked, before)]
    fitted = fitting(rows)
    told: dict[str, Any] = {"results": rows[:fitted], "query": given.query}
    rest = {"more": len(rows) - fitted, "next_cursor": str(before + fitted)}
    return as_json(told if fitted == len(rows) else {**told, **rest})


class List(Arguments, frozen=True):
    """What memory_list takes."""

    tag: Annotated[str | None, Meta(description="Only memories with this tag.")] = None
    cursor: Annotated[str | None, Meta(description="Where to go on, as next_cursor told.")] = None


async def listing(desk: Desk, given: List) -> Shown:
    """List memories, the newest first; what is over a page follows at its cursor."""
    page = await desk.ask(wire.List(tag=given.tag, limit=PAGE, cursor=given.cursor), wire.Listed)
    if not page.memories:
        return Shown("No memories found.")
    rows = [{**_told(each), "updated_at": each.updated} for each in page.memories]
    fitted, cursor = fitting(rows), page.next_cursor
    if fitted < len(rows):  # the page is asked for again, as short as it has to be
        short = wire.List(tag=given.tag, limit=fitted, cursor=given.cursor)
        cursor = (await desk.ask(short, wire.Listed)).next_cursor
    told: dict[str, Any] = {"memories": rows[:fitted]}
    return as_json(told if cursor is None else {**told, "next_cursor": cursor})


class Delete(Arguments, frozen=True):
    """What memory_delete takes."""

    key: Annotated[str, Meta(description="The exact key.", min_length=1)]


async def delete(desk: Desk, given: Delete) -> Shown:
    """Retire the copy of a key at exactly the session's level."""
    try:
        deleted = await desk.ask(wire.Delete(key=given.key), wire.Deleted)
    except Refusal as refusal:
        if refusal.code != "not_found":
            raise
        level = (await desk.ask(wire.Whoami(), wire.Me)).level
        said = f"Memory record {given.key!r} not found at {level} level"
        raise Refusal("not_found", f"{said}.", refusal.hint) from None
    return as_json({"deleted": True, "key": deleted.key})


def _told(memory: wire.Record) -> dict[str, Any]:
    """A memory by that system's names. Of a long content the beginning, with its ``content_bytes``: get has parts."""
    content = texts.part(memory.content, budget=texts.BUDGET // 8)
    told = {"key": memory.key, "content": content, "classification": memory.level, "tags": list(memory.tags)}
    cut = content != memory.content or memory.content_bytes is not None
    return {**told, "content_bytes": length(memory)} if cut else told


TOOLS: Final = (
    Tool(
        name="memory_save",
        title="Save a memory",
        description="Save a memory under a key: as soon as the user shares a fact, preference, rule or correction. The "
        "same key updates it. The classification is the session's.",
        arguments=Save,
        run=save,
        refused=refused,
    ),
    Tool(
        name="memory_get",
        title="Get a memory",
        description="Get a memory by its exact key. If you don't know the key, search.",
        arguments=Get,
        run=get,
        refused=refused,
        reads=True,
    ),
    Tool(
        name="memory_search",
        title="Search memories",
        description="Search memories by words, before you ask the user to say something again.",
        arguments=Search,
        run=search,
        refused=refused,
        reads=True,
    ),
    Tool(
        name="memory_list",
        title="List memories",
        description="List memories, all or those with a tag.",
        arguments=List,
        run=listing,
        refused=refused,
        reads=True,
    ),
    Tool(
        name="memory_delete",
        title="Delete a memory",
        description="Delete the memory of a key at the session's own level. It is kept for the audit.",
        arguments=Delete,
        run=delete,
        refused=refused,
        destroys=True,
    ),
)
