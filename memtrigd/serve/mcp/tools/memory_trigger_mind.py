"""memory-trigger's tools, part two: what comes to mind, and the figures. Its names, its replies."""

from collections import Counter
from typing import Annotated, Any, Final

from memtrig import wire
from msgspec import Meta

from memtrigd.serve.mcp import texts
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Arguments, Shown, Tool, as_json, fitting
from memtrigd.serve.mcp.tools import ages
from memtrigd.serve.mcp.tools.memory_trigger import RefsDir, refused

PAGE: Final = 500
"""Memories asked for at once where all are counted."""
IDEAS: Final = 10
NEVER: Final = "(从未召回)"
"""What that system writes in the place of a moment for what was never recalled."""


class Recall(Arguments, frozen=True):
    """What memory_recall takes."""

    limit: Annotated[int, Meta(description="How many, 1 to 10.")] = 3
    recent_hours: Annotated[int | None, Meta(description="Ignored: what was recalled within 24 h rests.")] = None
    refs_dir: RefsDir = None


async def recall(desk: Desk, given: Recall) -> Shown:
    """What is worth bringing up. ``channel`` counts what of each kind is told."""
    asked = wire.Recall(limit=max(1, min(IDEAS, given.limit)))
    ideas = (await desk.ask(asked, wire.Recalled)).ideas
    now = await ages.now(desk)
    rows = [_idea(idea, now) for idea in ideas]
    rows = rows[: fitting(rows)]
    warm = sum(idea.channel == "warm" for idea in ideas)
    channels = {"warm": warm, "old_treasure": len(ideas) - warm}
    return as_json({"status": "recalled", "count": len(rows), "channel": channels, "results": rows})


class Nothing(Arguments, frozen=True):
    """No arguments but the one that is ignored."""

    refs_dir: RefsDir = None


async def stats(desk: Desk, given: Nothing) -> Shown:
    """The figures, by that system's names; of other agents' proposals and of what was superseded nothing is told."""
    told = await desk.ask(wire.Stats(), wire.Statistics)
    waiting = await desk.ask(wire.Review(limit=1), wire.Reviewed)
    now = await ages.now(desk)
    kinds, oldest, newest = await _entities(desk)
    means = [(level.mean_importance, sum(level.kinds.values()) - level.core) for level in told.levels]
    fading = sum(count for mean, count in means if mean is not None)
    weight = sum(mean * count for mean, count in means if mean is not None)
    active = sum(level.statuses.get("active", 0) for level in told.levels)
    return as_json(
        {
            "total_entities": len(kinds),
            "pending": 0,
            "confirmed": len(kinds),
            "total_memories": active,
            "active": active,
            "pending_memories": len(waiting.items) + waiting.more,
            "superseded": 0,
            "entity_kinds": dict(sorted(Counter(kinds.values()).items())),
            "core_memories": sum(level.core for level in told.levels),
            "avg_importance_noncore": round(weight / fading, 4) if fading else 0,
            "weakest_active": [[memory.entity, memory.kind, memory.effective_importance] for memory in told.weakest],
            "oldest_memory": oldest,
            "newest_memory": newest,
            "most_stale_active": [
                [
                    memory.entity,
                    memory.kind,
                    round(ages.days(memory.last_recalled or memory.created, now), 2),
                    memory.last_recalled or NEVER,
                ]
                for memory in told.stalest
            ],
        }
    )


async def _entities(desk: Desk) -> tuple[dict[str, str], str | None, str | None]:
    """The entities in sight with the kind of their first memory, and when the first and the last memory was made."""
    kinds: dict[str, str] = {}
    made: list[str] = []
    cursor: str | None = None
    while True:
        page = await desk.ask(wire.List(limit=PAGE, cursor=cursor), wire.Listed)
        for memory in page.memories:  # the newest first: what is written last is the first memory's
            made.append(memory.created)
            if memory.entity is not None:
                kinds[memory.entity] = memory.kind
        if page.next_cursor is None:
            return kinds, min(made, default=None), max(made, default=None)
        cursor = page.next_cursor


def _idea(idea: wire.Idea, now: str) -> dict[str, Any]:
    memory = idea.memory
    return {
        "id": memory.id,
        "entity": memory.entity,
        "kind": memory.kind,
        "value": texts.part(memory.content, budget=texts.LINE),
        "context": memory.context,
        "emotion_tags": memory.emotion_tags,
        "never_recalled": memory.last_recalled is None,
        "expires_at": memory.expires_at,
        "last_recalled": memory.last_recalled,
        "importance": memory.effective_importance,
        "cold_days": 0 if memory.core else round(max(0.0, ages.days(memory.last_recalled or memory.created, now)), 1),
        "score": idea.score,
        "recall_reason": idea.reason,
    }


TOOLS: Final = (
    Tool(
        name="memory_recall",
        title="What comes to mind",
        description="What is worth bringing up now, and why. In a lull or on an anniversary; not at each message.",
        arguments=Recall,
        run=recall,
        reads=True,
        refused=refused,
    ),
    Tool(
        name="memory_stats",
        title="Figures",
        description="How many memories there are, and what fades.",
        arguments=Nothing,
        run=stats,
        reads=True,
        refused=refused,
    ),
)
