"""``memtrigctl review``: what waits for an answer; on a terminal one by one, a key each."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, DaemonVerb, Option, integer
from memtrig.ctl.records import beginning
from memtrig.ctl.render import clip, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen

MOST = 500
"""Items in one answer at most."""
INDENT = 13
"""Columns of the reason why an item waits; the longest is newer_lower."""


def document(reviewed: dict[str, Any]) -> dict[str, Any]:
    """Name also what an item or the list has none of."""
    items = [{**item, "against": item.get("against"), "note": item.get("note")} for item in reviewed["items"]]
    return {"items": items, "more": reviewed.get("more", 0)}


def show(reviewed: dict[str, Any], screen: Screen) -> list[str]:
    """List what waits, each with its id."""
    if not reviewed["items"]:
        return ["Nothing waits for you."]
    lines = [line for item in reviewed["items"] for line in _lines(item, screen)]
    lines += ["", "`memtrigctl confirm ID` says yes, `memtrigctl reject ID` says no."]
    return [*lines, *_more(len(reviewed["items"]), reviewed.get("more", 0))]


def converse(reviewed: dict[str, Any], screen: Screen, door: Door) -> None:
    """Ask about one item after the other."""
    from memtrig.ctl import answers

    answers.converse(reviewed, screen, door)


def _more(shown: int, more: int) -> list[str]:
    """Say what to do about the rest: where a longer list brings nothing more, an answer does."""
    if not more:
        return []
    longer = f", or say the same with -n {min(shown + more, MOST)}" if shown < MOST else ""
    return [f"{more:,} more wait: answer these first{longer}."]


def _lines(item: dict[str, Any], screen: Screen) -> list[str]:
    memory, against = item["memory"], item.get("against")
    place = f"{one_line(item['about']).ljust(INDENT)}{one_line(memory['id'])}  {one_line(memory['level'])}  "
    said = [beginning(memory), *([f"but: {beginning(against)}"] if against else []), item.get("note") or ""]
    key, *texts = [one_line(text) for text in (memory["key"], *said) if text]
    if screen.columns is not None:
        key = clip(key, max(8, screen.columns - len(place)))
        texts = [clip(text, screen.columns - INDENT) for text in texts]
    return [place + screen.bold(key), *(" " * INDENT + text for text in texts)]


VERB = DaemonVerb(
    "review",
    "list what waits for an answer; on a terminal, answer it",
    "memtrigctl review",
    door=DATA,
    options=(Option("limit", "-n", "N", f"how many at most; 50 unsaid, {MOST} the most", read=integer),),
    document=document,
    show=show,
    converse=converse,
)
