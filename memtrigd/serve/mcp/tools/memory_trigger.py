"""memory-trigger's tools, part one: write, search, forget, deny. Its names, its replies.

An entity and a kind are facets here, no slot: what is written about cats does not replace what was said of coffee.
``refs_dir`` and ``mode`` are taken and ignored: no model names a path on this machine, and there is one store. An empty
string is what that system's clients send for nothing.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from memtrig import wire
from msgspec import Meta

from memtrigd.domain.errors import Refusal
from memtrigd.serve.lines import escaped
from memtrigd.serve.mcp import texts
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Arguments, Shown, Tool, as_json, fitting, length
from memtrigd.serve.mcp.tools.core import Kind, Source, page_of, place

RefsDir = Annotated[str | None, Meta(description="Ignored: the daemon knows where its memories are.")]
Mode = Annotated[str | None, Meta(description="Ignored: there is one store.")]
IDS: Final = 17
"""Characters of one of our ids: m and 16 of base 32."""
HITS: Final = 20
"""Hits of a search at the most."""


def refused(tool: str, refusal: Refusal) -> str:
    """A refusal as that system told of errors: JSON, with what to do."""
    told = " ".join(filter(None, (f"{refusal.code}: {refusal.message}", refusal.hint)))
    return escaped(msgspec.json.encode({"ok": False, "error": told}).decode())


class Write(Arguments, frozen=True):
    """What memory_write takes."""

    entity: Annotated[str, Meta(description="Whom or what it is about.", min_length=1)]
    kind: Annotated[Kind, Meta(description="What the memory is about.")]
    value: Annotated[str, Meta(description="What to remember.", min_length=1)]
    source: Annotated[Source, Meta(description="user_explicit only if the user said it.")] = "auto_detect"
    confidence: Annotated[float | None, Meta(description="0 to 1; an inference below 0.8 waits for a yes.")] = None
    core: Annotated[bool | None, Meta(description="It never fades.")] = None
    emotion_tags: Annotated[str | None, Meta(description="Feelings, with commas between them.")] = None
    sentiment: Annotated[str | None, Meta(description="positive, negative or neutral.")] = None
    reason: Annotated[str | None, Meta(description="Why it matters.")] = None
    context: Annotated[str | None, Meta(description="The mood or occasion.")] = None
    expires_at: Annotated[str | None, Meta(description="When it stops being true: ISO 8601 or a date.")] = None
    quote: Annotated[str | None, Meta(description="The user's own words, verbatim.")] = None
    mode: Mode = None
    refs_dir: RefsDir = None


async def write(desk: Desk, given: Write) -> Shown:
    """Keep a memory of an entity and kind."""
    request = wire.Save(
        content=given.value,
        entity=given.entity,
        kind=given.kind,
        source=given.source,
        confidence=given.confidence,
        core=given.core,
        emotion_tags=words(given.emotion_tags),
        sentiment=given.sentiment or None,
        context=given.context or None,
        expires_at=given.expires_at or None,
        quote=given.quote or None,
        reason=given.reason or None,
    )
    saved = await desk.ask(request, wire.Saved)
    waits = saved.status == "pending"
    memory = None if waits else (await desk.ask(wire.Get(key=saved.key), wire.Got)).memory
    return as_json(
        {
            "status": "committed",
            "memory_id": saved.id,
            "entity": given.entity,
            "kind": given.kind,
            "sentiment": given.sentiment or None,
            "source": given.source,
            "status_field": saved.status,
            "core": memory.core if memory is not None else False,
            "importance": memory.importance if memory is not None else 1.0,
            "context": given.context or None,
            "expires_at": memory.expires_at if memory is not None else given.expires_at or None,
            "mode": "local",
            "targets": ["memtrigd"],
            "outcome": saved.outcome,
            "similar": [{"id": each.id, "value": each.content[: texts.LINE]} for each in saved.similar],
        }
    )


class Search(Arguments, frozen=True):
    """What memory_search takes."""

    query: Annotated[str, Meta(description="Words or an entity.")]
    cursor: Annotated[str | None, Meta(description="Where to go on, as next_cursor told.")] = None
    refs_dir: RefsDir = None


async def search(desk: Desk, given: Search) -> Shown:
    """Find memories by words or an entity, as it always did; the user's word comes before the agent's own."""
    before = place(given.cursor)
    asked = wire.Search(query=given.query, max_results=HITS, full=True, lexical=True)
    found = await page_of(desk, asked, before) if given.query.strip() else []
    ordered = sorted(found, key=lambda memory: memory.authority != "file")  # stable: within each by rank
    stated = {memory.entity for memory in ordered if memory.authority == "file"}
    rows = [_hit(memory, given.query, stated) for memory in ordered]
    fitted = fitting(rows)
    told = {"query": given.query, "results_count": len(rows), "results": rows[:fitted]}
    rest = {"more": len(rows) - fitted, "next_cursor": str(before + fitted)}
    return as_json(told if fitted == len(rows) else {**told, **rest})


class Forget(Arguments, frozen=True):
    """What memory_forget takes."""

    entity_or_id: Annotated[str, Meta(description="The entity to forget, or the id of one memory.", min_length=1)]
    reason: Annotated[str | None, Meta(description="Why.")] = None
    kind: Annotated[Kind | Literal[""] | None, Meta(description="Of an entity: only this kind.")] = None
    quote: Annotated[str | None, Meta(description="The user's own words, verbatim.")] = None
    refs_dir: RefsDir = None


async def forget(desk: Desk, given: Forget) -> Shown:
    """Forget an entity or a memory, and do not learn it again. No file with a prompt is written."""
    named = is_id(given.entity_or_id)
    request = wire.Forget(
        id=given.entity_or_id if named else None,
        entity=None if named else given.entity_or_id,
        kind=given.kind or None,
        reason=given.reason or None,
        quote=given.quote or None,
    )
    try:
        entity = await _entity_of(desk, given.entity_or_id) if named else given.entity_or_id
        done = await desk.ask(request, wire.Forgotten)
    except Refusal as refusal:
        if refusal.code != "not_found":
            raise
        return as_json({"status": "nothing_to_forget", "entity_or_id": given.entity_or_id})
    told = {
        "status": "forgotten" if done.count or done.elsewhere else "nothing_to_forget",
        "entity_or_id": given.entity_or_id,
        "count": done.count,
        "entities": [entity] if done.count else [],
        "forgotten_ids": [each.id for each in done.memories[:HITS]],
    }
    return as_json({**told, "do_not_mention": True})  # the wish is kept, whatever there was


class Deny(Arguments, frozen=True):
    """What memory_deny takes."""

    entity_or_id: Annotated[str, Meta(description="The entity or the id of what is wrong.", min_length=1)]
    reason: Annotated[str | None, Meta(description="Why.")] = None
    quote: Annotated[str | None, Meta(description="The user's own words, verbatim.")] = None
    refs_dir: RefsDir = None


async def deny(desk: Desk, given: Deny) -> Shown:
    """Demote what the user calls wrong: one memory by its id, or all that is served of an entity."""
    ids = [given.entity_or_id] if is_id(given.entity_or_id) else await _of_entity(desk, given.entity_or_id)
    items: list[dict[str, Any]] = []
    for memory_id in ids:
        request = wire.Deny(id=memory_id, reason=given.reason or None, quote=given.quote or None)
        settled = await desk.ask(request, wire.Settled)
        memory = await _by_id(desk, memory_id)
        items.append(
            {
                "id": settled.id,
                "entity": memory.entity if memory is not None else None,
                "deny_count": settled.deny_count,
                "importance": memory.importance if memory is not None else None,
                "status": settled.status,
            }
        )
    if not items:
        return as_json({"status": "nothing_to_deny", "entity_or_id": given.entity_or_id})
    return as_json({"status": "denied", "count": len(items), "items": items[: fitting(items)]})


def words(told: str | None) -> list[str]:
    """Split words at commas, ASCII, Chinese or Arabic."""
    flat = (told or "").replace("\uff0c", ",").replace("\u3001", ",").replace("\u060c", ",")
    return [word.strip() for word in flat.split(",") if word.strip()]


def is_id(told: str) -> bool:
    """Tell whether a word has the form of one of our ids, which no entity has by chance."""
    return len(told) == IDS and told[0] == "m" and all(c in "abcdefghijklmnopqrstuvwxyz234567" for c in told[1:])


async def _of_entity(desk: Desk, entity: str) -> list[str]:
    """The ids of what a forget of the entity would reach: what it tells on trial."""
    try:
        trial = await desk.ask(wire.Forget(entity=entity, dry_run=True), wire.Forgotten)
    except Refusal as refusal:
        if refusal.code != "not_found":
            raise
        return []
    return [each.id for each in trial.memories if each.status == "active"]


async def _by_id(desk: Desk, memory_id: str) -> wire.Record | None:
    told = await desk.ask(wire.Why(id=memory_id), wire.Told)
    return next((memory for memory in told.memories if memory.id == memory_id), None)


async def _entity_of(desk: Desk, memory_id: str) -> str | None:
    memory = await _by_id(desk, memory_id)
    return memory.entity if memory is not None else None


def _hit(memory: wire.Record, query: str, stated: set[str | None]) -> dict[str, Any]:
    """A hit by that system's names. Of a long value the beginning: ``memory://key/…`` is the whole."""
    value = texts.part(memory.content, budget=texts.BUDGET // 8)
    row = {
        "id": memory.id,
        "key": memory.key,
        "entity": memory.entity,
        "kind": memory.kind,
        "value": value,
        "value_bytes": length(memory) if value != memory.content or memory.content_bytes else None,
        "sentiment": memory.sentiment,
        "source": memory.source,
        "confidence": memory.confidence,
        "status": memory.status,
        "importance": memory.importance,
        "core": memory.core,
        "emotion_tags": memory.emotion_tags,
        "reason": memory.reason,
        "context": memory.context,
        "created": memory.created,
        "updated": memory.updated,
        "last_recalled": memory.last_recalled,
        "expires_at": memory.expires_at,
        "_authority": memory.authority,
        "_supplement": memory.authority == "self" and memory.entity in stated,
        "_match_source": "entity_index" if memory.entity == query.strip() else "keyword",
        "_importance": memory.effective_importance,
        "_core": memory.core,
    }
    return {name: value for name, value in row.items() if value is not None}


TOOLS: Final = (
    Tool(
        name="memory_write",
        title="Write a memory",
        description="Write one memory of an entity. Call it as soon as the user says something that will matter. "
        "Not for small talk, and never a guess as user_explicit.",
        arguments=Write,
        run=write,
        repeats=False,
        refused=refused,
    ),
    Tool(
        name="memory_search",
        title="Search memories",
        description="Search memories by words or an entity, before you ask the user again; their own word comes first.",
        arguments=Search,
        run=search,
        reads=True,
        refused=refused,
    ),
    Tool(
        name="memory_forget",
        title="Forget",
        description="The user asks not to be reminded: forget an entity or one memory, and don't mention it again. "
        "Only at their wish; what is merely wrong is for memory_deny.",
        arguments=Forget,
        run=forget,
        destroys=True,
        refused=refused,
    ),
    Tool(
        name="memory_deny",
        title="Deny a memory",
        description="The user says that a memory is wrong. If they say what is right, write that too.",
        arguments=Deny,
        run=deny,
        destroys=True,
        repeats=False,
        refused=refused,
    ),
)
