"""memory-trigger's tools, part three: the upkeep and well-being. Its names, its replies."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, Literal

import msgspec
from memtrig import wire
from msgspec import Meta

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import texts
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Arguments, Shown, Tool, as_json, fitting
from memtrigd.serve.mcp.tools import ages
from memtrigd.serve.mcp.tools.memory_trigger import RefsDir, refused
from memtrigd.serve.mcp.tools.memory_trigger_mind import Nothing

UNSAID: Final = (None, "", "-")
"""What that system's clients send for nothing."""


async def decay(desk: Desk, given: Nothing) -> Shown:
    """Write down what has faded: as often as one likes, the curve stays the same."""
    dreamt = await desk.ask(wire.Decay(), wire.Dreamt)
    levels = (await desk.ask(wire.Stats(), wire.Statistics)).levels
    noncore = sum(level.statuses.get("active", 0) - level.core for level in levels)
    told = {"status": "decayed", "decayed_count": dreamt.materialised, "active_noncore": noncore}
    return as_json({**told, "expired": dreamt.expired, "stopped": dreamt.stopped})


async def vacuum(desk: Desk, given: Nothing) -> Shown:
    """Archive what was superseded long ago."""
    done = await desk.ask(wire.Vacuum(), wire.Vacuumed)
    levels = (await desk.ask(wire.Stats(), wire.Statistics)).levels
    remaining = sum(level.statuses.get("active", 0) for level in levels)
    return as_json({"status": "done", "archived": done.archived, "remaining": remaining})


async def backup(desk: Desk, given: Nothing) -> Shown:
    """Queue a backup of the session's own level: where it lies is the owner's business."""
    told = await desk.ask(wire.Backup(), wire.BackupQueued)
    return as_json({"status": told.outcome, "last_backup": told.last})


async def recover(desk: Desk, given: Nothing) -> Shown:
    """Tell what an interruption left. Nothing is replayed over newer statements."""
    left = [msgspec.to_builtins(each) for each in (await desk.ask(wire.Recover(), wire.Recovered)).left]
    told = {"status": "ok", "recovered": 0, "reason": "interrupted" if left else "all_committed"}
    return as_json({**told, "left": left[: fitting(left)]} if left else told)


async def selfcheck(desk: Desk, given: Nothing) -> Shown:
    """Look for what is not as it should be. Nothing is mended behind anybody's back."""
    told = await desk.ask(wire.Selfcheck(), wire.Checked)
    problems = [msgspec.to_builtins(each) for each in told.problems]
    fitted = fitting(problems)
    more = len(problems) - fitted + told.more
    rest = {"more": more} if more else {}
    return as_json({"checked": told.memories, "fixed": 0, "fixed_ids": [], "problems": problems[:fitted], **rest})


async def expire_check(desk: Desk, given: Nothing) -> Shown:
    """Sweep what has run out, and name what soon will."""
    told = await desk.ask(wire.Expire(), wire.Expired)
    now = await ages.now(desk)
    expired = [{"id": each.id, "key": each.key} for each in told.memories]
    remind = [
        {
            "id": each.id,
            "entity": each.entity,
            "kind": each.kind,
            "value": texts.part(each.content, budget=texts.LINE),
            "expires_at": each.expires_at,
            "days_left": round(ages.days(now, each.expires_at), 1) if each.expires_at else None,
        }
        for each in told.remind
    ]
    ended, soon = fitting(expired, texts.BUDGET // 2), fitting(remind, texts.BUDGET // 2)
    more = len(expired) - ended + len(remind) - soon + told.more
    return as_json(
        {
            "status": "expire_checked",
            "now": now,
            "expired_count": told.count,
            "expired": expired[:ended],
            "remind": remind[:soon],
            **({"more": more} if more else {}),
        }
    )


class Init(Arguments, frozen=True):
    """What memory_init takes."""

    mode: Annotated[Literal["local", "graph"], Meta(description="Taken and ignored: there is one store.")] = "local"
    refs_dir: RefsDir = None


async def init(desk: Desk, given: Init) -> Shown:
    """Nothing needs it: a daemon that answers is ready."""
    told = await desk.ask(wire.Init(), wire.Initialised)
    return as_json({**told.facts, "status": "initialized" if told.ready else "not_ready", "mode": given.mode})


class Wellness(Arguments, frozen=True):
    """What memory_wellness takes."""

    mood: Annotated[str, Meta(description="How the user is, in their words.", min_length=1)]
    sleep_hours: Annotated[float | str | None, Meta(description="Hours of sleep, 0 to 24.")] = None
    sleep_quality: Annotated[str | None, Meta(description="How the sleep was.")] = None
    note: Annotated[str | None, Meta(description="Anything else.")] = None
    refs_dir: RefsDir = None


async def wellness(desk: Desk, given: Wellness) -> Shown:
    """Note how the user is."""
    request = wire.WellnessAdd(
        mood=given.mood,
        sleep_hours=_hours(given.sleep_hours),
        sleep_quality=None if given.sleep_quality in UNSAID else given.sleep_quality,
        note=None if given.note in UNSAID else given.note,
    )
    noted = (await desk.ask(request, wire.WellnessNoted)).noted
    record: dict[str, Any] = {"date": noted.date, "mood": noted.mood, "recorded_at": noted.recorded}
    for name in ("sleep_hours", "sleep_quality", "note"):
        if (value := getattr(noted, name)) is not None:
            record[name] = value
    return as_json({"status": "ok", "date": noted.date, "mood": noted.mood, "record": record})


def _hours(told: float | str | None) -> float | None:
    """Hours of sleep that may have been sent as text. Raises Refusal ``bad_value``."""
    if told in UNSAID:
        return None
    try:
        return float(told or 0)
    except ValueError:
        raise Refusal("bad_value", "sleep_hours is no number.", "Say hours such as 7.5, or leave it out.") from None


def _tool(
    name: str,
    title: str,
    description: str,
    run: Callable[[Desk, Any], Awaitable[Shown]],
    arguments: type[Arguments] = Nothing,
    *,
    reads: bool = False,
    repeats: bool = True,
) -> Tool:
    return Tool(
        name=name,
        title=title,
        description=description,
        arguments=arguments,
        run=run,
        reads=reads,
        repeats=repeats,
        refused=refused,
    )


TOOLS: Final = (
    _tool("memory_decay", "Fade", "Write down how far memories have faded; the daemon does it nightly.", decay),
    _tool("memory_vacuum", "Archive", "Archive what was superseded more than 90 days ago.", vacuum),
    _tool("memory_backup", "Back up", "Have this level backed up, at most once an hour.", backup),
    _tool("memory_recover", "Recover", "Tell what an interruption left.", recover, reads=True),
    _tool(
        "memory_wellness",
        "Well-being",
        "Note the user's mood and sleep, when they speak of it.",
        wellness,
        Wellness,
        repeats=False,
    ),
    _tool("memory_init", "Initialise", "Tell what is set up; nothing needs it.", init, Init, reads=True),
    _tool("memory_expire_check", "Expire", "Take out of service what has run out; tell what soon will.", expire_check),
    _tool("memory_selfcheck", "Check", "Look for what is not as it should be.", selfcheck, reads=True),
)
