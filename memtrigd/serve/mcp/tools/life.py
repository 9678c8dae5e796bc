"""The tools of our own: to forget, deny and confirm, what comes to mind, what waits, what was promised."""

from typing import Annotated, Any, Final, Literal

import msgspec
from memtrig import wire
from msgspec import Meta

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import texts
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import RECORDS, Arguments, Shown, Tool, fitting, listed, record_schema
from memtrigd.serve.mcp.tools.core import Kind, place

MOST: Final = 500
"""Items of a review or promises, over all their pages."""
_NONE: Final = {"items": "Nothing waits.", "promises": "No promise is open."}
_QUOTE = "The user's own words, verbatim."


class Forget(Arguments, frozen=True):
    """What forget takes."""

    key: Annotated[str | None, Meta(description="The key of the one memory to forget.")] = None
    id: Annotated[str | None, Meta(description="Or its id.")] = None
    entity: Annotated[str | None, Meta(description="Or all about an entity.")] = None
    tag: Annotated[str | None, Meta(description="Or all with a tag.")] = None
    kind: Annotated[Kind | None, Meta(description="Of an entity or tag: only this kind.")] = None
    reason: Annotated[str | None, Meta(description="Why, for the owner's record.")] = None
    quote: Annotated[str | None, Meta(description=_QUOTE)] = None
    dry_run: Annotated[bool, Meta(description="Only say what would be forgotten.")] = False
    confirm: Annotated[int | None, Meta(description="Over 20: the count that you were told, once they agree.")] = None


async def forget(desk: Desk, given: Forget) -> Shown:
    """Forget, and keep the wish."""
    asked = wire.Forget(**{name: getattr(given, name) for name in Forget.__struct_fields__})
    done = await desk.ask(asked, wire.Forgotten)
    verb = "Would forget" if done.dry_run else "Forgot"
    data = msgspec.to_builtins(done)
    fitted = fitting(data["memories"])
    keys = [texts.named(each.key) for each in done.memories[:fitted]]
    more = len(done.memories) - fitted
    named = ", ".join([*keys, *([f"{more} more"] if more else [])])
    lines = [f"{verb} {done.count}: {named or 'nothing at this level'}."]
    if done.elsewhere:
        lines.append(f"Copies at {', '.join(done.elsewhere)} are hidden from here; the owner decides about them.")
    if not done.dry_run:
        lines.append("Do not bring it up again.")
    return Shown(" ".join(lines), {**data, "memories": data["memories"][:fitted], "more": more})


class Deny(Arguments, frozen=True):
    """What deny takes."""

    key: Annotated[str | None, Meta(description="The key of the memory that is wrong.")] = None
    id: Annotated[str | None, Meta(description="Or its id.")] = None
    reason: Annotated[str | None, Meta(description="What the user says is right instead, or why.")] = None
    quote: Annotated[str | None, Meta(description=_QUOTE)] = None


async def deny(desk: Desk, given: Deny) -> Shown:
    """Say that a memory is wrong."""
    asked = wire.Deny(key=given.key, id=given.id, reason=given.reason, quote=given.quote)
    settled = await desk.ask(asked, wire.Settled)
    gone = settled.status == "disputed"
    text = "no longer served until the user decides" if gone else "it counts a tenth now; denied again it is not served"
    return Shown(f"Denied {texts.named(settled.key)}: {text}.", msgspec.to_builtins(settled))


class Confirm(Arguments, frozen=True):
    """What confirm takes."""

    id: Annotated[str, Meta(description="The id of what waits, as review or save named it.")]
    quote: Annotated[
        str | None,
        Meta(description="The words by which the user said yes, verbatim. Leave it out if the host can ask them."),
    ] = None


async def confirm(desk: Desk, given: Confirm) -> Shown:
    """Relay the user's yes."""
    settled = await desk.ask(wire.Confirm(id=given.id, quote=given.quote), wire.Settled)
    return Shown(f"Confirmed {texts.named(settled.key)}: it is {settled.status}.", msgspec.to_builtins(settled))


class Recall(Arguments, frozen=True):
    """What recall takes."""

    limit: Annotated[int, Meta(description="How many ideas, 1 to 10.")] = 3


async def recall(desk: Desk, given: Recall) -> Shown:
    """What is worth bringing up."""
    ideas = (await desk.ask(wire.Recall(limit=given.limit), wire.Recalled)).ideas
    lines = texts.within(f"- {texts.line(idea.memory)} [{idea.channel}: {idea.reason}]" for idea in ideas)
    data = {
        "ideas": [
            {"memory": listed(idea.memory), "channel": idea.channel, "reason": idea.reason}
            for idea in ideas[: len(lines)]
        ]
    }
    return Shown("\n".join(lines) or "Nothing comes to mind now.", data)


class Review(Arguments, frozen=True):
    """What review takes."""

    limit: Annotated[int, Meta(description="How many at most, 1 to 500.")] = 20
    cursor: Annotated[str | None, Meta(description="Where to go on: the cursor that you were told.")] = None


async def review(desk: Desk, given: Review) -> Shown:
    """What of this session waits for the user's answer. Its cursor is the number of items before."""
    before = place(given.cursor)
    asked = min(before + given.limit, MOST) if before else given.limit
    told = await desk.ask(wire.Review(limit=asked), wire.Reviewed)
    rows = [
        {
            "about": item.about,
            "memory": listed(item.memory),
            **({"against": listed(item.against)} if item.against is not None else {}),
        }
        for item in told.items[before:]
    ]
    lines = [f"- {item.about} {item.memory.id} {texts.line(item.memory)}" for item in told.items[before:]]
    return _page("items", rows, lines, before, told.more)


class Promise(Arguments, frozen=True):
    """What promise takes."""

    action: Annotated[Literal["add", "done", "list", "check"], Meta(description="What to do; check: what is due.")]
    text: Annotated[str | None, Meta(description="add: what was promised.")] = None
    deadline: Annotated[str | None, Meta(description="add: until when, ISO 8601 or a date.")] = None
    entity: Annotated[str | None, Meta(description="add: whom it concerns.")] = None
    id: Annotated[str | None, Meta(description="done: the id of the promise.")] = None
    within_hours: Annotated[float, Meta(description="check: what falls due in so many hours, too.")] = 0.0
    cursor: Annotated[str | None, Meta(description="list, check: the cursor that you were told.")] = None


async def promise(desk: Desk, given: Promise) -> Shown:
    """Keep track of what was promised to the user."""
    match given.action:
        case "add":
            if given.text is None:
                raise Refusal("bad_request", "add needs text: what was promised.", "")
            asked = wire.PromiseAdd(text=given.text, deadline=given.deadline, entity=given.entity)
            return _promised("Noted", (await desk.ask(asked, wire.Promised)).promise)
        case "done":
            if given.id is None:
                raise Refusal("bad_request", "done needs id: which promise.", "list shows them.")
            return _promised("Kept", (await desk.ask(wire.PromiseDone(id=given.id), wire.Promised)).promise)
        case "check":
            told = await desk.ask(wire.PromiseCheck(within_hours=given.within_hours), wire.Promises)
        case _:
            told = await desk.ask(wire.PromiseList(limit=MOST), wire.Promises)
    before = place(given.cursor)
    rows = [msgspec.to_builtins(each) for each in told.promises[before:]]
    lines = [f"- {_said(each)}" for each in told.promises[before:]]
    shown = _page("promises", rows, lines, before, told.more)
    assert shown.data is not None
    return Shown(shown.text, {**shown.data, "unfulfilled": told.unfulfilled})


def _page(name: str, rows: list[dict[str, Any]], lines: list[str], before: int, beyond: int) -> Shown:
    """As many rows and their lines as there is room for; ``beyond`` are those that the daemon did not tell."""
    fitted = min(fitting(rows), len(texts.within(lines)))
    more = len(rows) - fitted + beyond
    text = "\n".join([*(lines[:fitted] or [_NONE[name]]), *([f"{more} more."] if more else [])])
    data = {name: rows[:fitted], "more": more}
    if more and fitted and before + fitted < MOST:
        return Shown(f"{text}\nMore: cursor {before + fitted}", {**data, "cursor": str(before + fitted)})
    return Shown(text, data)


def _promised(verb: str, promise: wire.Promise) -> Shown:
    return Shown(f"{verb}: {_said(promise)}", {"promises": [msgspec.to_builtins(promise)], "more": 0})


def _said(promise: wire.Promise) -> str:
    until = f", by {promise.deadline[:16]}" if promise.deadline else ""
    return f"{promise.id} {texts.one_line(promise.text)} ({promise.status}{until})"


class Nothing(Arguments, frozen=True):
    """No arguments."""


async def stats(desk: Desk, given: Nothing) -> Shown:
    """Figures of what this session sees."""
    told = await desk.ask(wire.Stats(), wire.Statistics)
    lines = [
        f"{level.level}: {level.statuses.get('active', 0)} memories, {level.core} core, "
        f"mean importance of the rest {level.mean_importance}"
        for level in told.levels
    ]
    data = {
        "levels": [msgspec.to_builtins(level) for level in told.levels],
        "weakest": [listed(memory) for memory in told.weakest],
        "stalest": [listed(memory) for memory in told.stalest],
    }
    return Shown("\n".join(lines), data)


async def whoami(desk: Desk, given: Nothing) -> Shown:
    """Who the daemon takes this session for."""
    me = await desk.ask(wire.Whoami(), wire.Me)
    name = texts.named(me.agent) if me.agent else "an unnamed agent"
    text = f"Session {me.session} of {name} at {me.level}; reads {', '.join(me.reads)}."
    return Shown(text, msgspec.to_builtins(me))


TOOLS: Final = (
    Tool(
        name="forget",
        title="Forget",
        description="The user asks not to be reminded: forget by exactly one of key, id, entity or tag. It is not "
        "learnt again unless the user says it. Only at the user's wish.",
        arguments=Forget,
        run=forget,
        output=record_schema("count", "memories", "levels"),
        destroys=True,
    ),
    Tool(
        name="deny",
        title="Say that a memory is wrong",
        description="The user says that a memory is wrong. If they say what is right, save that under the same key "
        "instead.",
        arguments=Deny,
        run=deny,
        output=record_schema("id", "key", "level", "status"),
        destroys=True,
        repeats=False,
    ),
    Tool(
        name="confirm",
        title="Relay the user's yes",
        description="The user said yes to a guess that waits: pass it on with their words.",
        arguments=Confirm,
        run=confirm,
        output=record_schema("id", "key", "level", "status"),
    ),
    Tool(
        name="recall",
        title="What is worth bringing up",
        description="What to bring up unasked, and why: at the start of a conversation or in a lull. Once is enough.",
        arguments=Recall,
        run=recall,
        output=record_schema("ideas"),
        reads=True,
    ),
    Tool(
        name="review",
        title="What waits for an answer",
        description="Your guesses that wait for the user, what they disputed, what runs out soon.",
        arguments=Review,
        run=review,
        output=record_schema("items", "more"),
        reads=True,
    ),
    Tool(
        name="promise",
        title="Promises",
        description="Keep what you or the user promised, with its deadline: add, done, list, check what is due.",
        arguments=Promise,
        run=promise,
        output=record_schema("promises", "more"),
        repeats=False,
    ),
    Tool(
        name="stats",
        title="Figures",
        description="How much is remembered, and what fades.",
        arguments=Nothing,
        run=stats,
        output=record_schema("weakest", "stalest", levels=RECORDS),
        reads=True,
    ),
    Tool(
        name="whoami",
        title="Who am I",
        description="This session's level and what it may read. The level can't be chosen.",
        arguments=Nothing,
        run=whoami,
        output=record_schema("kind", "level", "reads"),
        reads=True,
    ),
)
