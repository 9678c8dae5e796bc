"""``memtrigctl promise``: what was promised to the user, and until when."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Family, Option, integer, number
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

HEADER = ("ID", "LEVEL", "DUE", "STATUS", "PROMISE")
LACKING = {"deadline": None, "done_at": None, "entity": None, "agent": None, "session": None}
"""What the frame leaves out of a promise that has none."""


def document(promised: dict[str, Any]) -> dict[str, Any]:
    """Take the promise itself."""
    return {**LACKING, **promised["promise"]}


def documents(promises: dict[str, Any]) -> dict[str, Any]:
    """Name also what a promise or the list has none of."""
    listed = [{**LACKING, **promise} for promise in promises["promises"]]
    return {"promises": listed, "more": promises.get("more", 0), "unfulfilled": promises.get("unfulfilled", 0)}


def show(promised: dict[str, Any], screen: Screen) -> list[str]:
    """Say what became of a promise."""
    promise = promised["promise"]
    name = f"{screen.bold(one_line(promise['id']))} at {one_line(promise['level'])}"
    if promise["status"] == "done":
        return [f"Kept: promise {name} is done."]
    if promise["status"] == "due":
        return [f"Promise {name} is due already: {screen.when(promise['deadline'])}."]
    until = f" until {screen.when(promise['deadline'])}" if promise.get("deadline") else ""
    return [f"Promise {name} is open{until}."]


def show_all(promises: dict[str, Any], screen: Screen) -> list[str]:
    """Show promises in a table, and how many are late."""
    rows = [
        (p["id"], p["level"], screen.when(p["deadline"]) if p.get("deadline") else "-", p["status"], _text(p))
        for p in promises["promises"]
    ]
    late, more = promises.get("unfulfilled", 0), promises.get("more", 0)
    return [
        *(screen.table(HEADER, rows) if rows else ["No promise is open."]),
        *([f"Not shown: {more:,} more."] if more else []),
        *(["", f"{late:,} {'is' if late == 1 else 'are'} open past the deadline."] if late else []),
    ]


def show_due(promises: dict[str, Any], screen: Screen) -> list[str]:
    """Show what is due, or say that nothing is."""
    return show_all(promises, screen) if promises["promises"] else ["Nothing is due."]


def _text(promise: dict[str, Any]) -> str:
    return f"{promise['text']} ({promise['entity']})" if promise.get("entity") else str(promise["text"])


ADD = DaemonVerb(
    "promise add",
    "keep what was promised, and until when",
    'memtrigctl promise add "Send Asha the photos" --by 2026-12-24 --about Asha',
    door=DATA,
    request="promise.add",
    arguments=(Argument("text", "TEXT", "what was promised"),),
    options=(
        Option("deadline", "--by", "WHEN", "until when: 2026-12-24 or 2026-12-24T18:00+05:30"),
        Option("entity", "--about", "ENTITY", "whom or what it is about"),
    ),
    document=document,
    show=show,
)
DONE = DaemonVerb(
    "promise done",
    "say that a promise was kept",
    "memtrigctl promise done p4zq7k2wd5x3abcde",
    door=DATA,
    request="promise.done",
    arguments=(Argument("id", "ID", "its id; `memtrigctl promise list` shows it"),),
    options=(Option("undone", "--undo", help="open it again"),),
    document=document,
    show=show,
)
LIST = DaemonVerb(
    "promise list",
    "list the open promises, the next due first",
    "memtrigctl promise list --all",
    door=DATA,
    request="promise.list",
    options=(
        Option("all", "--all", help="those that were kept too"),
        Option("limit", "-n", "N", "how many at most; 100 unsaid", read=integer),
    ),
    document=documents,
    show=show_all,
)
CHECK = DaemonVerb(
    "promise check",
    "list what is due, or soon will be",
    "memtrigctl promise check --within 24",
    door=DATA,
    request="promise.check",
    options=(Option("within_hours", "--within", "HOURS", "also what is due within so many hours", read=number),),
    document=documents,
    show=show_due,
)
VERB = Family("promise", "keep and check what was promised: add, done, list, check", ADD, DONE, LIST, CHECK)
