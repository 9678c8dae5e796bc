"""memory-trigger's tools, part one: write, search, forget, deny, recall, and the figures. Its names, its replies.

An entity and a kind are facets here, no slot: what is written about cats does not replace what was said of coffee.
``refs_dir`` is taken and ignored: no model names a path on this machine.
"""

from typing import Annotated, Any, Final

from memtrig import wire
from msgspec import Meta

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Arguments, Shown, Tool, as_json
from memtrigd.serve.mcp.tools.core import Kind, Source

RefsDir = Annotated[str | None, Meta(description="Ignored: the daemon knows where its memories are.")]
IDS: Final = 17
"""Characters of one of our ids: m and 16 of base 32."""


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
    reason: Annotated[str | None, Meta(description="Why it matters; kept as its context.")] = None
    context: Annotated[str | None, Meta(description="The mood or occasion.")] = None
    expires_at: Annotated[str | None, Meta(description="When it stops being true: ISO 8601 or a date.")] = None
    quote: Annotated[str | None, Meta(description="The user's own words, verbatim.")] = None
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
        sentiment=given.sentiment,
        context=given.context or given.reason,
        expires_at=given.expires_at,
        quote=given.quote,
    )
    saved = await desk.ask(request, wire.Saved)
    waits = saved.status == "pending"
    memory = None if waits else (await desk.ask(wire.Get(key=saved.key), wire.Got)).memory
    return as_json(
        {
            "status": "committed",
            "memory_id": saved.id,
            "status_field": saved.status,
            "outcome": saved.outcome,
            "entity": given.entity,
            "kind": given.kind,
            "core": memory.core if memory is not None else False,
            "importance": memory.importance if memory is not None else 1.0,
            "similar": [{"id": each.id, "value": each.content} for each in saved.similar],
        }
    )


class Search(Arguments, frozen=True):
    """What memory_search takes."""

    query: Annotated[str, Meta(description="Words or an entity.")]
    refs_dir: RefsDir = None


async def search(desk: Desk, given: Search) -> Shown:
    """Find memories; the user's word comes before the agent's own."""
    found = (await desk.ask(wire.Search(query=given.query, max_results=20), wire.Found)).results if given.query else []
    ordered = sorted(found, key=lambda memory: memory.authority != "file")  # stable: within each by rank
    return as_json({"query": given.query, "results_count": len(ordered), "results": [_hit(each) for each in ordered]})


class Forget(Arguments, frozen=True):
    """What memory_forget takes."""

    entity_or_id: Annotated[str, Meta(description="The entity to forget, or the id of one memory.", min_length=1)]
    reason: Annotated[str | None, Meta(description="Why.")] = None
    kind: Annotated[Kind | None, Meta(description="Of an entity: only this kind.")] = None
    quote: Annotated[str | None, Meta(description="The user's own words, verbatim.")] = None
    refs_dir: RefsDir = None


async def forget(desk: Desk, given: Forget) -> Shown:
    """Forget an entity or a memory, and do not learn it again."""
    named = is_id(given.entity_or_id)
    request = wire.Forget(
        id=given.entity_or_id if named else None,
        entity=None if named else given.entity_or_id,
        kind=given.kind,
        reason=given.reason,
        quote=given.quote,
    )
    try:
        done = await desk.ask(request, wire.Forgotten)
    except Refusal as refusal:
        if refusal.code != "not_found":
            raise
        return as_json({"status": "nothing_to_forget", "entity_or_id": given.entity_or_id})
    told = {
        "status": "forgotten" if done.count or done.elsewhere else "nothing_to_forget",
        "entity_or_id": given.entity_or_id,
        "forgotten_count": done.count,
        "forgotten_ids": [each.id for each in done.memories],
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
    settled = []
    for memory_id in ids:
        request = wire.Deny(id=memory_id, reason=given.reason, quote=given.quote)
        settled.append(await desk.ask(request, wire.Settled))
    if not settled:
        return as_json({"status": "nothing_to_deny", "entity_or_id": given.entity_or_id})
    denied = [{"id": each.id, "deny_count": each.deny_count, "status": each.status} for each in settled]
    return as_json({"status": "denied", "entity_or_id": given.entity_or_id, "denied": denied})


class Recall(Arguments, frozen=True):
    """What memory_recall takes."""

    limit: Annotated[int, Meta(description="How many, 1 to 10.")] = 3
    recent_hours: Annotated[int | None, Meta(description="Ignored: what was recalled within 24 h rests.")] = None
    refs_dir: RefsDir = None


async def recall(desk: Desk, given: Recall) -> Shown:
    """What is worth bringing up."""
    ideas = (await desk.ask(wire.Recall(limit=given.limit), wire.Recalled)).ideas
    recalled = [
        {**_row(idea.memory), "_channel": idea.channel, "_reason": idea.reason, "_score": idea.score} for idea in ideas
    ]
    return as_json({"recalled_count": len(recalled), "recalled": recalled})


class Nothing(Arguments, frozen=True):
    """No arguments but the one that is ignored."""

    refs_dir: RefsDir = None


async def stats(desk: Desk, given: Nothing) -> Shown:
    """The figures, by that system's names; of other agents' proposals nothing is told."""
    told = await desk.ask(wire.Stats(), wire.Statistics)
    waiting = await desk.ask(wire.Review(limit=1), wire.Reviewed)
    page = await desk.ask(wire.List(limit=1), wire.Listed)
    active = sum(level.statuses.get("active", 0) for level in told.levels)
    means = [(level.mean_importance, sum(level.kinds.values()) - level.core) for level in told.levels]
    fading = sum(count for mean, count in means if mean is not None)
    weight = sum(mean * count for mean, count in means if mean is not None)
    kinds: dict[str, int] = {}
    for level in told.levels:
        for kind, count in level.kinds.items():
            kinds[kind] = kinds.get(kind, 0) + count
    return as_json(
        {
            "total_memories": active,
            "active": active,
            "pending_memories": len(waiting.items) + waiting.more,
            "entity_kinds": kinds,
            "core_memories": sum(level.core for level in told.levels),
            "avg_importance_noncore": round(weight / fading, 4) if fading else 0.0,
            "weakest_active": [_row(memory) for memory in told.weakest],
            "most_stale_active": [_row(memory) for memory in told.stalest],
            "newest_memory": page.memories[0].created if page.memories else None,
        }
    )


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


def _hit(memory: wire.Record) -> dict[str, Any]:
    return {
        **_row(memory),
        "_authority": memory.authority,
        "_supplement": memory.authority == "self",
        "_match_source": "search",
        "_importance": memory.effective_importance,
        "_core": memory.core,
    }


def _row(memory: wire.Record) -> dict[str, Any]:
    row = {
        "id": memory.id,
        "entity": memory.entity,
        "kind": memory.kind,
        "value": memory.content,
        "source": memory.source,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "core": memory.core,
        "status": memory.status,
        "emotion_tags": list(memory.emotion_tags),
        "sentiment": memory.sentiment,
        "context": memory.context,
        "created": memory.created,
        "updated": memory.updated,
        "last_recalled": memory.last_recalled,
        "expires_at": memory.expires_at,
    }
    return {name: value for name, value in row.items() if value is not None}


TOOLS: Final = (
    Tool(
        name="memory_write",
        title="Write a memory",
        description="Write one memory of an entity. Call it as soon as the user says something that will matter.",
        arguments=Write,
        run=write,
    ),
    Tool(
        name="memory_search",
        title="Search memories",
        description="Search memories by words or an entity; the user's own word comes first.",
        arguments=Search,
        run=search,
        reads=True,
    ),
    Tool(
        name="memory_forget",
        title="Forget",
        description="The user asks not to be reminded: forget an entity or one memory, and don't mention it again.",
        arguments=Forget,
        run=forget,
        destroys=True,
    ),
    Tool(
        name="memory_deny",
        title="Deny a memory",
        description="The user says that a memory is wrong.",
        arguments=Deny,
        run=deny,
        destroys=True,
        repeats=False,
    ),
    Tool(
        name="memory_recall",
        title="What comes to mind",
        description="What is worth bringing up now, and why.",
        arguments=Recall,
        run=recall,
        reads=True,
    ),
    Tool(
        name="memory_stats",
        title="Figures",
        description="How many memories there are, and what fades.",
        arguments=Nothing,
        run=stats,
        reads=True,
    ),
)
