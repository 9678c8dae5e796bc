"""``memtrigctl watch``: folders as a source, whose files the user keeps by hand."""

from __future__ import annotations

import os

from memtrig.ctl.catalogue import level
from memtrig.ctl.failure import PARTIAL
from memtrig.ctl.grammar import CONTROL, LONG, Argument, DaemonVerb, Family, Option, integer
from memtrig.ctl.render import one_line
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

HEADER = ("FOLDER", "LEVEL", "BY", "FILES", "LINES", "SINCE")
WRITERS = ("me", "agent")


def folder(text: str) -> str:
    """Read the path of a folder: absolute, for the daemon works elsewhere."""
    if not text or "\0" in text:
        raise ValueError("that is no path")
    return os.path.abspath(text)  # noqa: PTH100


def who(text: str) -> str:
    """Read who writes in a folder."""
    if text not in WRITERS:
        raise ValueError(f"{text[:40]!r} is neither me nor agent")
    return text


def document(reply: dict[str, Any]) -> dict[str, Any]:
    """Always say what is held, refused and wrong."""
    unsaid = {"files": 0, "lines": 0, "held": 0, "refused": {}, "troubles": [], "more": 0}
    return {"folders": [unsaid | each for each in reply["folders"]]}


def show(reply: dict[str, Any], screen: Screen) -> list[str]:
    """Show the folders in a table, and below it what is wrong."""
    rows = [
        (
            one_line(each["path"]),
            each["level"] + ("" if each["space"] == "default" else f" ({each['space']})"),
            each["by"],
            f"{each.get('files', 0):,}",
            f"{each.get('lines', 0):,}",
            screen.when(each["since"]),
        )
        for each in reply["folders"]
    ]
    if not rows:
        return ["No folder is watched.", "`memtrigctl watch add DIR` begins."]
    wrong = [line for each in reply["folders"] for line in troubles(each)]
    return [*screen.table(HEADER, rows), *([""] if wrong else []), *wrong]


def show_added(reply: dict[str, Any], screen: Screen) -> list[str]:
    """Say what was found, what it counts as, and what is wrong."""
    each = reply["folders"][0]
    path, at = screen.bold(one_line(each["path"])), one_line(each["level"])
    head = f"Watching {path} at {at}: {_lines(each)} in {_counted(each.get('files', 0), 'file')}."
    if each["by"] == "me":
        counts = "They outrank what agents infer or notice, and never what you say yourself."
    else:
        counts = "They are guesses, and wait for your yes: `memtrigctl review`."
    way = "" if each["by"] == "me" else "Where nobody but you can write: `watch remove` it, then `watch add --by me`."
    return [*filter(None, (head, counts, way)), *troubles(each)]


def show_removed(reply: dict[str, Any], screen: Screen) -> list[str]:
    """Say what stays, and how it goes."""
    each = reply["folders"][0]
    undo = f"`memtrigctl undo --session {one_line(each['id'])} --level {one_line(each['level'].lower())}`"
    return [f"{screen.bold(one_line(each['path']))} is watched no more; its memories stay.", f"{undo} takes them back."]


def show_confirmed(reply: dict[str, Any], screen: Screen) -> list[str]:
    """Say how the folder is now."""
    each = reply["folders"][0]
    return [f"{screen.bold(one_line(each['path']))} has {_lines(each)} now.", *troubles(each)]


def troubles(each: dict[str, Any]) -> list[str]:
    """What is wrong with a folder, a line each."""
    path, held, more = one_line(each["path"]), each.get("held", 0), each.get("more", 0)
    lines = [f"{path}: {one_line(text)}" for text in each.get("troubles", [])]
    if more:
        lines.append(f"{path}: {more:,} more")
    if each.get("refused"):
        codes = ", ".join(f"{one_line(code)} {count:,}" for code, count in each["refused"].items())
        lines.append(f"{path}: lines that are no memory: {codes}")
    if held:
        lines.append(f"{path}: {held:,} memories would close; `memtrigctl watch confirm {path} {held}` lets them.")
    return lines


def _lines(each: dict[str, Any]) -> str:
    return _counted(each.get("lines", 0), "line")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def code(reply: dict[str, Any]) -> int:
    """Tell by the exit code that not all was taken."""
    return PARTIAL if any(troubles(each) for each in reply["folders"]) else 0


DIRECTORY = Argument("path", "DIR", "the folder", read=folder)
NAMED = Argument("folder", "DIR", "the folder; `memtrigctl watch list` shows it", read=folder)
ADD = DaemonVerb(
    "watch add",
    "import what a folder's Markdown and JSON say, and follow them",
    "memtrigctl watch add ~/notes --by me",
    door=CONTROL,
    request="watch.add",
    patience=LONG,
    arguments=(DIRECTORY,),
    options=(
        Option(
            "by", "--by", "WHO", "me: only you write there; agent: others may, so it waits", read=who, values=WRITERS
        ),
        Option("level", "--level", "LEVEL", "where it goes; internal unsaid", read=level, values=LEVELS),
        Option("space", "--space", "S", "the space that it goes to; default unsaid"),
    ),
    document=document,
    show=show_added,
    code=code,
)
LIST = DaemonVerb(
    "watch list",
    "list the folders that are watched, and what is wrong with them",
    "memtrigctl watch list",
    door=CONTROL,
    request="watch.list",
    document=document,
    show=show,
)
REMOVE = DaemonVerb(
    "watch remove",
    "watch a folder no more; its memories stay",
    "memtrigctl watch remove ~/notes",
    door=CONTROL,
    request="watch.remove",
    arguments=(NAMED,),
    document=document,
    show=show_removed,
)
CONFIRM = DaemonVerb(
    "watch confirm",
    "let memories close whose lines went, being so many",
    "memtrigctl watch confirm ~/notes 40",
    door=CONTROL,
    request="watch.confirm",
    patience=LONG,
    arguments=(NAMED, Argument("count", "COUNT", "how many", read=integer)),
    document=document,
    show=show_confirmed,
)
VERB = Family("watch", "folders as a source: add, list, remove, confirm", ADD, LIST, REMOVE, CONFIRM, usual=LIST)
