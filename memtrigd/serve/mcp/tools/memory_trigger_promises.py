"""memory-trigger's tools, part four: promises. Its names, its replies."""

from typing import Annotated, Any, Final, Literal

from memtrig import wire
from msgspec import Meta

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import texts
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Arguments, Shown, Tool, as_json, fitting
from memtrigd.serve.mcp.tools import ages
from memtrigd.serve.mcp.tools.memory_trigger import RefsDir, refused
from memtrigd.serve.mcp.tools.memory_trigger_mind import Nothing

MOST: Final = 500
"""Promises asked for at the most."""
DONE: Final = 20
"""Promises that were kept, in a list of all."""


class Promise(Arguments, frozen=True):
    """What memory_promise takes."""

    text: Annotated[str, Meta(description="What was promised.", min_length=1)]
    deadline: Annotated[str | None, Meta(description="Until when: ISO 8601 or a date.")] = None
    refs_dir: RefsDir = None


async def promise(desk: Desk, given: Promise) -> Shown:
    """Keep a promise."""
    asked = wire.PromiseAdd(text=given.text, deadline=given.deadline or None)
    kept = (await desk.ask(asked, wire.Promised)).promise
    return as_json({"status": "promised", "promise": _whole(kept)})


class Done(Arguments, frozen=True):
    """What memory_promise_done takes."""

    promise_id: Annotated[str, Meta(description="The id of the promise.", min_length=1)]
    refs_dir: RefsDir = None


async def done(desk: Desk, given: Done) -> Shown:
    """A promise was kept."""
    try:
        kept = (await desk.ask(wire.PromiseDone(id=given.promise_id), wire.Promised)).promise
    except Refusal as refusal:
        if refusal.code != "not_found":
            raise
        return as_json({"status": "nothing_to_done", "promise_id": given.promise_id})
    return as_json({"status": "promise_done", "promise": _whole(kept)})


class Listed(Arguments, frozen=True):
    """What memory_promise_list takes."""

    status: Annotated[Literal["open", "done", "all"], Meta(description="Which promises.")] = "all"
    refs_dir: RefsDir = None


async def listing(desk: Desk, given: Listed) -> Shown:
    """List promises: the open ones first, of those that were kept the last."""
    told = await desk.ask(wire.PromiseList(all=given.status != "open", limit=MOST), wire.Promises)
    now = await ages.now(desk)
    kept = sorted((each for each in told.promises if each.status == "done"), key=lambda each: each.done_at or "")
    left = [_row(each, now) for each in told.promises if each.status != "done" and given.status != "done"]
    ended = [_row(each, now) for each in kept[-DONE:]]
    fitted, room = fitting(left, texts.BUDGET // 4 * 3), fitting(ended, texts.BUDGET // 4)
    more = len(left) - fitted + len(kept) - room + told.more
    return as_json(
        {
            "status": "promises",
            "open_count": len(left),
            "done_count": len(kept),
            "open": left[:fitted],
            "done": ended[len(ended) - room :],
            **({"more": more} if more else {}),
        }
    )


async def check(desk: Desk, given: Nothing) -> Shown:
    """List what is open: what is overdue first."""
    told = await desk.ask(wire.PromiseList(limit=MOST), wire.Promises)
    now = await ages.now(desk)
    rows = [
        {
            **_row(each, now),
            "days_overdue": round(max(0.0, ages.days(each.deadline, now)), 1) if each.deadline else 0,
            "age_days": round(max(0.0, ages.days(each.created, now)), 1),
        }
        for each in sorted(told.promises, key=lambda each: not _overdue(each, now))
    ]
    for row in rows:
        del row["completed_at"]
    fitted = fitting(rows)
    more = len(rows) - fitted + told.more
    return as_json(
        {
            "status": "promise_check",
            "unfulfilled_count": len(rows) + told.more,
            "unfulfilled": rows[:fitted],
            **({"more": more} if more else {}),
        }
    )


async def watch_status(desk: Desk, given: Nothing) -> Shown:
    """The daemon looks by itself; nothing leaves the machine."""
    return as_json({"running": True, "watcher": "memtrigd"})


def _whole(kept: wire.Promise) -> dict[str, Any]:
    return {
        "id": kept.id,
        "text": kept.text,
        "deadline": kept.deadline,
        "created_at": kept.created,
        "status": "done" if kept.status == "done" else "open",
        "completed_at": kept.done_at,
    }


def _row(kept: wire.Promise, now: str) -> dict[str, Any]:
    row = {**_whole(kept), "text": texts.part(kept.text, budget=texts.LINE)}
    del row["status"]
    return row if kept.status == "done" else {**row, "overdue": _overdue(kept, now)}


def _overdue(kept: wire.Promise, now: str) -> bool:
    return kept.deadline is not None and ages.days(kept.deadline, now) > 0


TOOLS: Final = (
    Tool(
        name="memory_promise",
        title="Promise",
        description="Keep a promise and its deadline. Call it as soon as you promise the user something.",
        arguments=Promise,
        run=promise,
        repeats=False,
        refused=refused,
    ),
    Tool(
        name="memory_promise_done",
        title="Promise kept",
        description="Mark a promise as kept, once you have kept it.",
        arguments=Done,
        run=done,
        refused=refused,
    ),
    Tool(
        name="memory_promise_list",
        title="Promises",
        description="List promises, open and kept.",
        arguments=Listed,
        run=listing,
        reads=True,
        refused=refused,
    ),
    Tool(
        name="memory_promise_check",
        title="Promises due",
        description="List the promises that are not kept, overdue first. Call it when a conversation begins.",
        arguments=Nothing,
        run=check,
        reads=True,
        refused=refused,
    ),
    Tool(
        name="memory_promise_watch_status",
        title="Watch",
        description="Whether deadlines are watched.",
        arguments=Nothing,
        run=watch_status,
        reads=True,
        refused=refused,
    ),
)
