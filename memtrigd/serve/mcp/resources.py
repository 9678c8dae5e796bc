"""Resources: memories as hosts attach them. What a URI holds is what the session sees at that moment."""

from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import quote, unquote

from memtrig import wire
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.serve.lines import visible
from memtrigd.serve.mcp import bus, texts
from memtrigd.serve.mcp.desk import Desk

SCHEME: Final = "memory://"
TEMPLATE: Final = "memory://{key}"
LISTED: Final = 200
"""Memories that are looked through for those that are core."""
RECENT: Final = 50
PAGE: Final = 100
"""Memories on a page of the list."""
MOST: Final = 500
"""Memories in the whole list: hosts read all of it at once. Each memory is behind the template."""


class Entry(Struct, frozen=True, kw_only=True):
    """A resource as hosts list it."""

    uri: str
    name: str
    title: str
    description: str


class Resource(Entry, frozen=True, kw_only=True):
    """A resource with a name of its own."""

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


async def guidance(desk: Desk) -> str:
    """The owner's words about the use of the memory, and what to know of it now."""
    return (await desk.ask(wire.GuidanceGet(), wire.Guidance)).text


async def listing(desk: Desk, cursor: str | None) -> tuple[list[Entry], str | None]:
    """One page of the list and where it goes on: the named ones, then the latest memories. Raises ``bad_cursor``."""
    listed: list[Entry] = [] if cursor is not None else list(RESOURCES)
    shown, place = _place(cursor)
    page = await desk.ask(wire.List(limit=min(PAGE, MOST - shown), cursor=place), wire.Listed)
    for memory in page.memories:
        said = f"{memory.kind}, {memory.updated[:10]}"
        listed.append(
            Entry(uri=uri_of(memory.key), name=visible(memory.key), title=texts.named(memory.key), description=said)
        )
    shown += len(page.memories)
    return listed, f"{shown}:{page.next_cursor}" if page.next_cursor is not None and shown < MOST else None


def _place(cursor: str | None) -> tuple[int, str | None]:
    """How many memories came before a page, and the daemon's own cursor."""
    if cursor is None:
        return 0, None
    number, _, place = cursor.partition(":")
    if not (number.isascii() and number.isdigit() and len(number) < 5 and 0 < int(number) < MOST and place):
        raise Refusal("bad_cursor", "The cursor is not from this list.", "Start again without a cursor.")
    return int(number), place


async def read(desk: Desk, uri: str) -> str:
    """The text behind a URI. Raises Refusal ``not_found``."""
    known = _NAMED.get(uri)
    if known is not None:
        return await known.read(desk)
    return visible((await desk.ask(wire.Get(key=key_of(uri)), wire.Got)).memory.content)


def key_of(uri: str) -> str:
    """The key of a memory by its URI, or the name of what is no memory. Raises Refusal ``not_found``."""
    before, _, rest = uri.partition(SCHEME)
    try:
        key = unquote(rest, errors="strict")
    except UnicodeDecodeError:
        key = ""
    if before or not key:
        raise Refusal("not_found", "There is no such resource.", "resources/list names them.")
    return key


def uri_of(key: str) -> str:
    """The URI of a memory by its key, in any script; one that is named as a resource of ours is spelt otherwise."""
    spelt = quote(key, safe="")
    return SCHEME + (f"%{ord(key[0]):02X}{spelt[1:]}" if SCHEME + spelt in _NAMED else spelt)


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
    Resource(
        uri=bus.GUIDANCE,
        name="guidance",
        title="Guidance",
        description="How to use this memory, what waits, what not to mention, what is promised.",
        read=guidance,
    ),
)
_NAMED: Final = {each.uri: each for each in RESOURCES}
