"""What an owner may decide, as a list: each item with its id, a few lines each."""

from __future__ import annotations

from memtrig.ctl.records import beginning
from memtrig.ctl.render import clip, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

INDENT = 13
"""Columns of the reason why an item is here; the longest is newer_lower."""


def document(item: dict[str, Any]) -> dict[str, Any]:
    """Name also what an item has none of."""
    return {**item, "against": item.get("against"), "note": item.get("note")}


def note(item: dict[str, Any], screen: Screen) -> str:
    """Give the note of an item; a moment at its end is told as people do."""
    words, space, last = (item.get("note") or "").rpartition(" ")
    try:
        return words + space + screen.when(last)
    except (TypeError, ValueError):  # a moment without a zone, or none
        return words + space + last


def lines(item: dict[str, Any], screen: Screen) -> list[str]:
    """Show an item: why it is here, its address, and below it what it says, what says otherwise, and a note."""
    memory, against = item["memory"], item.get("against")
    place = f"{one_line(item['about']).ljust(INDENT)}{one_line(memory['id'])}  {one_line(memory['level'])}  "
    said = [beginning(memory), *([f"but: {beginning(against)}"] if against else []), note(item, screen)]
    key, *texts = [one_line(text) for text in (memory["key"], *said) if text]
    if screen.columns is not None:
        key = clip(key, max(8, screen.columns - len(place)))
        texts = [clip(text, screen.columns - INDENT) for text in texts]
    return [place + screen.bold(key), *(" " * INDENT + text for text in texts)]
