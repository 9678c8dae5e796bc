"""Resources: memories as hosts attach them. What a URI holds is what the session sees at that moment."""

from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import quote, unquote

from memtrig import wire
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import texts
from memtrigd.serve.mcp.desk import Desk

SCHEME: Final = "memory://"
TEMPLATE: Final = "memory://key/{key}"
LISTED: Final = 200
"""Memories that are looked through for those that are core."""
RECENT: Final = 50


class Resource(Struct, frozen=True, kw_only=True):
    """A resource as hosts list it."""

    uri: str
    name: str
    title: str
    description: str
    read: Callable[[Desk], Awaitable[str]]


async def core(desk: Desk) -> str:
    """What never fades: who the user is, whom they love."""
    found: list[wire.Record] = []
    cursor: str | None = None
    while len(found) < LISTED:
        page = await desk.ask(wire.List(limit=LISTED, cursor=cursor), wire.Listed)
        found += [memory for memory in page.memories if memory.core]
        cursor = page.next_cursor
        if cursor is None:
            break
    return _lines(found)


async def recent(desk: Desk) -> str:
    """What was saved last."""
    return _lines((await desk.ask(wire.List(limit=RECENT), wire.Listed)).memories)


async def read(desk: Desk, uri: str) -> str:
    """The text behind a URI. Raises Refusal ``not_found``."""
    known = next((each for each in RESOURCES if each.uri == uri), None)
    if known is not None:
        return await known.read(desk)
    before, _, key = uri.partition("memory://key/")
    if before or not key:
        raise Refusal("not_found", "There is no such resource.", "resources/list names them.")
    return (await desk.ask(wire.Get(key=unquote(key)), wire.Got)).memory.content


def uri_of(key: str) -> str:
    """The URI of a memory by its key, in any script."""
    return f"memory://key/{quote(key, safe='')}"


def _lines(memories: list[wire.Record]) -> str:
    lines = texts.within(f"- {texts.line(memory)}" for memory in memories)
    left = len(memories) - len(lines)
    return "\n".join([*(lines or ["Nothing yet."]), *([f"{left} more: search for them."] if left else [])])


RESOURCES: Final = (
    Resource(
        uri="memory://core",
        name="core",
        title="Core memories",
        description="Who the user is and whom they love: what never fades.",
        read=core,
    ),
    Resource(
        uri="memory://recent",
        name="recent",
        title="Recent memories",
        description="What was remembered last.",
        read=recent,
    ),
)
