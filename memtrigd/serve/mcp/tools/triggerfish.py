"""The five tools of Triggerfish's memory, for agents that were written for them: its names, its replies.

What differs is what was wrong there: nothing is cut silently, a key that was deleted keeps its history, and errors say
what to do. The reply's text is that system's JSON.
"""

from typing import Annotated, Any, Final

from memtrig import wire
from msgspec import Meta

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Arguments, Shown, Tool, as_json

PAGE: Final = 500
"""Memories asked for at once while the list is read."""


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


async def get(desk: Desk, given: Get) -> Shown:
    """Give the copy of a key that the session sees."""
    try:
        memory = (await desk.ask(wire.Get(key=given.key), wire.Got)).memory
    except Refusal as refusal:
        if refusal.code != "not_found":
            raise
        return as_json({"found": False, "key": given.key})
    return as_json({"found": True, **_told(memory), "updated_at": memory.updated})


class Search(Arguments, frozen=True):
    """What memory_search takes."""

    query: Annotated[str, Meta(description="Words to look for.", min_length=1)]
    max_results: Annotated[int, Meta(description="How many at most.")] = 10


async def search(desk: Desk, given: Search) -> Shown:
    """Find memories by words."""
    found = await desk.ask(wire.Search(query=given.query, max_results=given.max_results), wire.Found)
    return as_json({"results": [_told(memory) for memory in found.results], "query": given.query})


class List(Arguments, frozen=True):
    """What memory_list takes."""

    tag: Annotated[str | None, Meta(description="Only memories with this tag.")] = None
    cursor: Annotated[str | None, Meta(description="Where to go on, as next_cursor told.")] = None


async def listing(desk: Desk, given: List) -> Shown:
    """List memories, the newest first; what is over a page follows at its cursor."""
    page = await desk.ask(wire.List(tag=given.tag, limit=PAGE, cursor=given.cursor), wire.Listed)
    if not page.memories:
        return Shown("No memories found.")
    told: dict[str, Any] = {"memories": [{**_told(each), "updated_at": each.updated} for each in page.memories]}
    if page.next_cursor is not None:
        told["next_cursor"] = page.next_cursor
    return as_json(told)


class Delete(Arguments, frozen=True):
    """What memory_delete takes."""

    key: Annotated[str, Meta(description="The exact key.", min_length=1)]


async def delete(desk: Desk, given: Delete) -> Shown:
    """Retire the copy of a key at exactly the session's level."""
    deleted = await desk.ask(wire.Delete(key=given.key), wire.Deleted)
    return as_json({"deleted": True, "key": deleted.key})


def _told(memory: wire.Record) -> dict[str, Any]:
    return {
        "key": memory.key,
        "content": memory.content,
        "classification": memory.level,
        "tags": list(memory.tags),
    }


TOOLS: Final = (
    Tool(
        name="memory_save",
        title="Save a memory",
        description="Save a memory under a key. The classification is the session's.",
        arguments=Save,
        run=save,
    ),
    Tool(
        name="memory_get",
        title="Get a memory",
        description="Get a memory by its key.",
        arguments=Get,
        run=get,
        reads=True,
    ),
    Tool(
        name="memory_search",
        title="Search memories",
        description="Search memories by words.",
        arguments=Search,
        run=search,
        reads=True,
    ),
    Tool(
        name="memory_list",
        title="List memories",
        description="List memories, all or those with a tag.",
        arguments=List,
        run=listing,
        reads=True,
    ),
    Tool(
        name="memory_delete",
        title="Delete a memory",
        description="Delete the memory of a key at the session's own level. It is kept for the audit.",
        arguments=Delete,
        run=delete,
        destroys=True,
    ),
)
