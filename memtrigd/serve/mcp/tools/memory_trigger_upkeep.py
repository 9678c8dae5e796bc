"""memory-trigger's tools, part two: the upkeep, well-being and promises. Its names, its replies."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, Literal

import msgspec
from memtrig import wire
from msgspec import Meta

from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Arguments, Shown, Tool, as_json
from memtrigd.serve.mcp.tools.memory_trigger import Nothing, RefsDir


async def decay(desk: Desk, given: Nothing) -> Shown:
    """Write down what has faded: as often as one likes, the curve stays the same."""
    dreamt = await desk.ask(wire.Decay(), wire.Dreamt)
    return as_json(
        {"status": "ok", "decayed": dreamt.materialised, "expired": dreamt.expired, "stopped": dreamt.stopped}
    )


async def vacuum(desk: Desk, given: Nothing) -> Shown:
    """Archive what was superseded long ago."""
    done = await desk.ask(wire.Vacuum(), wire.Vacuumed)
    return as_json({"status": "ok", "archived": done.archived})


async def backup(desk: Desk, given: Nothing) -> Shown:
    """An agent can't make the daemon copy files; each write is on the disk before it is answered."""
    told = "Every write is on disk before it is answered. Copies of the store are the owner's to make."
    return as_json({"status": "not_available", "message": told})


async def recover(desk: Desk, given: Nothing) -> Shown:
    """Tell what an interruption left. Nothing is replayed over newer statements."""
    told = await desk.ask(wire.Recover(), wire.Recovered)
    return as_json({"status": "ok", "recovered": 0, "left": [msgspec.to_builtins(each) for each in told.left]})


async def selfcheck(desk: Desk, given: Nothing) -> Shown:
    """Look for what is not as it should be."""
    told = await desk.ask(wire.Selfcheck(), wire.Checked)
    problems = [msgspec.to_builtins(each) for each in told.problems]
    return as_json({"status": "ok" if not problems else "problems", "checked": told.memories, "problems": problems})


async def expire_check(desk: Desk, given: Nothing) -> Shown:
    """Sweep what has run out, and name what soon will."""
    told = await desk.ask(wire.Expire(), wire.Expired)
    remind = [{"id": each.id, "value": each.content, "expires_at": each.expires_at} for each in told.remind]
    return as_json({"expired_count": told.count, "expired": [each.id for each in told.memories], "remind": remind})


class Init(Arguments, frozen=True):
    """What memory_init takes."""

    mode: Annotated[Literal["local", "graph"], Meta(description="Taken and ignored: there is one store.")] = "local"
    refs_dir: RefsDir = None


async def init(desk: Desk, given: Init) -> Shown:
    """Nothing needs it: a daemon that answers is ready."""
    told = await desk.ask(wire.Init(), wire.Initialised)
    return as_json({"status": "ok" if told.ready else "not_ready", "mode": given.mode, **told.facts})


class Wellness(Arguments, frozen=True):
    """What memory_wellness takes."""

    mood: Annotated[str, Meta(description="How the user is, in their words.", min_length=1)]
    sleep_hours: Annotated[float | None, Meta(description="Hours of sleep, 0 to 24.")] = None
    sleep_quality: Annotated[str | None, Meta(description="How the sleep was.")] = None
    note: Annotated[str | None, Meta(description="Anything else.")] = None
    refs_dir: RefsDir = None


async def wellness(desk: Desk, given: Wellness) -> Shown:
    """Note how the user is."""
    request = wire.WellnessAdd(
        mood=given.mood, sleep_hours=given.sleep_hours, sleep_quality=given.sleep_quality, note=given.note
    )
    noted = (await desk.ask(request, wire.WellnessNoted)).noted
    record: dict[str, Any] = {"date": noted.date, "mood": noted.mood, "recorded_at": noted.recorded}
    for name in ("sleep_hours", "sleep_quality", "note"):
        if (value := getattr(noted, name)) is not None:
            record[name] = value
    return as_json({"status": "recorded", "record": record})


class Promise(Arguments, frozen=True):
    """What memory_promise takes."""

    text: Annotated[str, Meta(description="What was promised.", min_length=1)]
    deadline: Annotated[str | None, Meta(description="Until when: ISO 8601 or a date.")] = None
    refs_dir: RefsDir = None


async def promise(desk: Desk, given: Promise) -> Shown:
    """Keep a promise."""
    kept = (await desk.ask(wire.PromiseAdd(text=given.text, deadline=given.deadline), wire.Promised)).promise
    return as_json({"status": "added", "promise": _told(kept)})


class Done(Arguments, frozen=True):
    """What memory_promise_done takes."""

    promise_id: Annotated[str, Meta(description="The id of the promise.", min_length=1)]
    refs_dir: RefsDir = None


async def done(desk: Desk, given: Done) -> Shown:
    """A promise was kept."""
    kept = (await desk.ask(wire.PromiseDone(id=given.promise_id), wire.Promised)).promise
    return as_json({"status": "done", "promise": _told(kept)})


class Listed(Arguments, frozen=True):
    """What memory_promise_list takes."""

    status: Annotated[Literal["open", "done", "all"], Meta(description="Which promises.")] = "open"
    refs_dir: RefsDir = None


async def listing(desk: Desk, given: Listed) -> Shown:
    """List promises."""
    told = await desk.ask(wire.PromiseList(all=given.status != "open", limit=500), wire.Promises)
    promises = [_told(each) for each in told.promises]
    if given.status == "done":
        promises = [each for each in promises if each["status"] == "done"]
    return as_json({"count": len(promises), "promises": promises, **({"more": told.more} if told.more else {})})


async def check(desk: Desk, given: Nothing) -> Shown:
    """List what is due and was not kept."""
    told = await desk.ask(wire.PromiseCheck(), wire.Promises)
    return as_json({"unfulfilled_count": told.unfulfilled, "unfulfilled": [_told(each) for each in told.promises]})


async def watch_status(desk: Desk, given: Nothing) -> Shown:
    """The daemon looks by itself; nothing leaves the machine."""
    return as_json({"running": True, "watcher": "memtrigd"})


def _told(kept: wire.Promise) -> dict[str, Any]:
    row = {
        "id": kept.id,
        "text": kept.text,
        "deadline": kept.deadline,
        "created_at": kept.created,
        "status": "done" if kept.status == "done" else "open",
        "completed_at": kept.done_at,
    }
    return {name: value for name, value in row.items() if value is not None}


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
    )


TOOLS: Final = (
    _tool("memory_decay", "Fade", "Write down how far memories have faded.", decay),
    _tool("memory_vacuum", "Archive", "Archive what was superseded long ago.", vacuum),
    _tool("memory_backup", "Back up", "Whether a copy of the store can be made from here.", backup, reads=True),
    _tool("memory_recover", "Recover", "Tell what an interruption left.", recover, reads=True),
    _tool("memory_wellness", "Well-being", "Note the user's mood and sleep.", wellness, Wellness, repeats=False),
    _tool("memory_init", "Initialise", "Tell what is set up; nothing needs it.", init, Init, reads=True),
    _tool("memory_expire_check", "Expire", "Take out of service what has run out.", expire_check),
    _tool("memory_selfcheck", "Check", "Look for what is not as it should be.", selfcheck, reads=True),
    _tool("memory_promise", "Promise", "Keep a promise and its deadline.", promise, Promise, repeats=False),
    _tool("memory_promise_done", "Promise kept", "Mark a promise as kept.", done, Done),
    _tool("memory_promise_list", "Promises", "List promises.", listing, Listed, reads=True),
    _tool("memory_promise_check", "Promises due", "List promises that are due and not kept.", check, reads=True),
    _tool("memory_promise_watch_status", "Watch", "Whether deadlines are watched.", watch_status, reads=True),
)
