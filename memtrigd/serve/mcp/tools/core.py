"""The tools of our own: to keep, to find, to list. Each is told to a model in words that make it use it well."""

from typing import Annotated, Any, Final, Literal

from memtrig import wire
from msgspec import Meta
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.serve.lines import visible
from memtrigd.serve.mcp import texts
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Arguments, Shown, Tool, fitting, listed, record_schema

Kind = Literal[
    "preference", "event", "habit", "rule", "scene", "relationship", "emotion", "identity", "milestone", "general"
]
Source = Literal["user_explicit", "file_import", "auto_detect", "self_inferred"]
MOST: Final = 100
"""Hits of a search, over all its pages."""


class Save(Arguments, frozen=True):
    """What save takes."""

    content: Annotated[str, Meta(description="One fact in a sentence of its own, in the user's language.")]
    source: Annotated[
        Source,
        Meta(
            description="user_explicit: the user said it (add quote). auto_detect: you saw it in their work. "
            "self_inferred: you conclude it. file_import: a file says it. Never call a guess user_explicit."
        ),
    ]
    quote: Annotated[str | None, Meta(description="The user's own words, verbatim; asked for with user_explicit.")] = (
        None
    )
    key: Annotated[
        str | None,
        Meta(description="The name of this one fact, such as user-name or pref-tea: the same key updates it."),
    ] = None
    kind: Annotated[Kind | None, Meta(description="What the fact is about.")] = None
    entity: Annotated[str | None, Meta(description="Whom or what it is about: user, Asha, project-acme.")] = None
    tags: Annotated[list[str], Meta(description="Words to find it by, such as persona, preference, rule.")] = []  # noqa: RUF012
    emotion_tags: Annotated[list[str], Meta(description="Feelings that go with it.")] = []  # noqa: RUF012
    sentiment: Annotated[str | None, Meta(description="positive, negative or neutral.")] = None
    context: Annotated[str | None, Meta(description="The mood or occasion in which it was said.")] = None
    confidence: Annotated[
        float | None, Meta(description="How sure you are of an inference, 0 to 1; below 0.8 it waits for a yes.")
    ] = None
    core: Annotated[bool | None, Meta(description="It never fades: who they are, whom they love.")] = None
    expires_at: Annotated[str | None, Meta(description="When it stops being true: ISO 8601.")] = None
    valid_from: Annotated[str | None, Meta(description="Since when it is true: ISO 8601.")] = None
    valid_to: Annotated[str | None, Meta(description="Until when it was true: ISO 8601.")] = None
    replaces: Annotated[str | None, Meta(description="The id of the memory that this one corrects.")] = None
    lang: Annotated[str | None, Meta(description="The language of content: en, mr, zh.")] = None
    redact: Annotated[bool, Meta(description="Take a password or key out and keep the rest.")] = False


_OUTCOMES: Final = {
    "new": "Saved",
    "updated": "Saved in place of what was known",
    "known": "Known already",
    "confirmed": "Confirmed",
    "pending": "Kept as a guess that waits for the user's yes; ask them before you rely on it",
    "contested": "The user's word says otherwise and stays; this waits beside it. Ask the user which is right",
    "echo": "Nothing changed: this was said before and waits, was refused, or was just told to you",
}


async def save(desk: Desk, given: Save) -> Shown:
    """Keep one fact, and say what became of it."""
    fields = {name: getattr(given, name) for name in Save.__struct_fields__}
    saved = await desk.ask(wire.Save(**fields), wire.Saved)
    lines = [f"{_OUTCOMES.get(saved.outcome, saved.outcome)}: {texts.named(saved.key)}."]
    if saved.unheard:
        lines.append("The user was not heard to say the quote, so it counts as yours: quote them word by word.")
    if saved.similar:
        lines.append("Similar, say replaces=ID if you mean to correct one:")
        lines += [f"- {each.id} {texts.named(each.key)}: {texts.one_line(each.content, 120)}" for each in saved.similar]
    data: dict[str, Any] = {
        "id": saved.id,
        "key": saved.key,
        "level": saved.level,
        "status": saved.status,
        "outcome": saved.outcome,
        "seen_count": saved.seen_count,
        "unheard": saved.unheard,
        "similar": [{"id": each.id, "key": each.key, "content": each.content[: texts.LINE]} for each in saved.similar],
    }
    return Shown("\n".join(lines), data)


class Get(Arguments, frozen=True):
    """What get takes."""

    key: Annotated[str, Meta(description="The key, as save, search or list named it.")]
    offset: Annotated[int, Meta(description="Where to go on in a long content: the offset that you were told.")] = 0


async def get(desk: Desk, given: Get) -> Shown:
    """Give one memory by its key, a long one in parts."""
    memory = (await desk.ask(wire.Get(key=given.key), wire.Got)).memory
    if not 0 <= given.offset <= len(memory.content):
        raise Refusal("bad_value", f"The content ends at {len(memory.content)}.", "Begin with offset 0.")
    part = texts.part(memory.content, given.offset)
    end = given.offset + len(part)
    more = len(memory.content) - end
    lines = [visible(part), *([f"… {more:,} characters more: offset {end}"] if more else [])]
    if memory.supplement is not None:
        lines.append(f"Beside it, not the user's word: {texts.one_line(memory.supplement.content)}")
    if memory.newer_lower is not None:
        lines.append(f"A lower level says something newer: {texts.one_line(memory.newer_lower.content)}")
    if memory.contested:
        lines.append("It is contested: ask the user whether it still holds.")
    data = {**listed(memory), "content": part, "offset": given.offset, "more": more}
    return Shown("\n".join(lines), data)


class Search(Arguments, frozen=True):
    """What search takes."""

    query: Annotated[str, Meta(description="What you want to know, in the user's words and language.")]
    max_results: Annotated[int, Meta(description="How many at most, 1 to 100.")] = 10
    kind: Annotated[Kind | None, Meta(description="Only this kind.")] = None
    tags: Annotated[list[str], Meta(description="Only memories with all of these tags.")] = []  # noqa: RUF012
    entity: Annotated[str | None, Meta(description="Only what is about them, by whichever of their names.")] = None
    source: Annotated[Source | None, Meta(description="Only what has this source.")] = None
    max_tokens: Annotated[int | None, Meta(description="How long the answer may be; the rest is at its cursor.")] = None
    since: Annotated[str | None, Meta(description="Only what was said then or later: 2026-11-30T00:00+05:30.")] = None
    until: Annotated[str | None, Meta(description="Only what was said before: a time with its offset, likewise.")] = (
        None
    )
    cursor: Annotated[str | None, Meta(description="Where to go on: the cursor that you were told.")] = None


async def search(desk: Desk, given: Search) -> Shown:
    """Find memories by a question. Its cursor is the number of hits before."""
    if given.max_tokens is not None and given.max_tokens < 1:
        raise Refusal("bad_value", f"max_tokens is {given.max_tokens}.", "A hit takes about 150; 2000 is usual.")
    before = place(given.cursor)
    asked = wire.Search(
        query=given.query,
        max_results=given.max_results,
        kind=given.kind,
        tags=given.tags,
        entity=given.entity,
        source=given.source,
        since=given.since,
        until=given.until,
    )
    hits = await page_of(desk, asked, before)
    budget = min(texts.BUDGET, given.max_tokens or texts.BUDGET)
    shown, fitted = _several(desk, hits, "Nothing is known about this.", before, budget)
    return _going_on(shown, str(before + fitted) if fitted < len(hits) else None)


async def page_of(desk: Desk, asked: wire.Search, before: int) -> list[wire.Record]:
    """The hits of a search after those ``before``, as many as it asks for; MOST over all pages."""
    size = asked.max_results
    request = replace(asked, max_results=min(before + size, MOST) if before and size > 0 else size)
    return (await desk.ask(request, wire.Found)).results[before:]


class List(Arguments, frozen=True):
    """What list takes."""

    tag: Annotated[str | None, Meta(description="Only memories with this tag.")] = None
    since: Annotated[str | None, Meta(description="Only what was said then or later: 2026-11-30T00:00+05:30.")] = None
    until: Annotated[str | None, Meta(description="Only what was said before: a time with its offset, likewise.")] = (
        None
    )
    limit: Annotated[int, Meta(description="How many at most, 1 to 500.")] = 50
    cursor: Annotated[str | None, Meta(description="Where to go on: the cursor that you were told.")] = None


async def listing(desk: Desk, given: List) -> Shown:
    """List memories, the newest first."""
    asked = wire.List(tag=given.tag, limit=given.limit, cursor=given.cursor, since=given.since, until=given.until)
    page = await desk.ask(asked, wire.Listed)
    shown, fitted = _several(desk, page.memories, "Nothing is remembered yet.")
    cursor = page.next_cursor
    if fitted < len(page.memories):  # the page is asked for again, as short as it has to be
        cursor = (await desk.ask(replace(asked, limit=fitted), wire.Listed)).next_cursor
    return _going_on(shown, cursor)


def place(cursor: str | None) -> int:
    """The number of items before a cursor. Raises Refusal ``bad_value``."""
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= len(str(MOST))):
        raise Refusal("bad_value", "This is no cursor that was told here.", "Leave it out to begin again.")
    return int(cursor)


def _several(
    desk: Desk, memories: list[wire.Record], none: str, before: int = 0, budget: int = texts.BUDGET
) -> tuple[Shown, int]:
    """Several memories, a line each, as many as there is room for, and how many these are; what is left is said."""
    numbered = enumerate(memories, before + 1)
    lines = texts.within((f"{number}. {texts.line(memory)}" for number, memory in numbered), budget)
    rows = [listed(memory) for memory in memories[: len(lines)]]
    fitted = fitting(rows, budget)
    left = len(memories) - fitted
    notes = [f"{left} more."] if left else []
    text = "\n".join([*(lines[:fitted] or [none]), *notes, *filter(None, [texts.incomplete(desk.missing)])])
    data = {"memories": rows[:fitted], "more": left}
    return Shown(text, {**data, "incomplete": list(desk.missing)} if desk.missing else data), fitted


def _going_on(shown: Shown, cursor: str | None) -> Shown:
    if cursor is None or shown.data is None:
        return shown
    return Shown(f"{shown.text}\nMore: cursor {cursor}", {**shown.data, "cursor": cursor})


TOOLS: Final = (
    Tool(
        name="save",
        title="Remember",
        description="Remember one fact about the user or their work. Call it as soon as the user says something that "
        "will matter later: facts, preferences, rules, corrections, promises, feelings. Not for what you can look up.",
        arguments=Save,
        run=save,
        output=record_schema("id", "key", "level", "status", "outcome"),
        repeats=False,
    ),
    Tool(
        name="get",
        title="Recall one memory",
        description="Get one memory by its exact key. If you don't know the key, search.",
        arguments=Get,
        run=get,
        output=record_schema("key", "content", "level", "status"),
        reads=True,
    ),
    Tool(
        name="search",
        title="Search memories",
        description="Find what is remembered. Call it before you ask the user something that they may have said "
        "before, and when a task touches their preferences.",
        arguments=Search,
        run=search,
        output=record_schema("memories", "more"),
        reads=True,
    ),
    Tool(
        name="list",
        title="List memories",
        description="List memories, the newest first, all or those with a tag. To find something, search instead.",
        arguments=List,
        run=listing,
        output=record_schema("memories", "more"),
        reads=True,
    ),
)
