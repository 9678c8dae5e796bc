"""``memtrigctl wellness``: how the user is, day by day."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Family, Option, integer, number
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

LACKING = {"sleep_hours": None, "sleep_quality": None, "note": None, "agent": None}
"""What the frame leaves out of a note that has none."""


def document(kept: dict[str, Any]) -> dict[str, Any]:
    """Take the note itself."""
    return {**LACKING, **kept["noted"]}


def documents(told: dict[str, Any]) -> dict[str, Any]:
    """Name also what a note or the list has none of."""
    notes = [{**LACKING, **note} for note in told["notes"]]
    return {"notes": notes, "more": told.get("more", 0), "mean_sleep": told.get("mean_sleep")}


def show(kept: dict[str, Any], screen: Screen) -> list[str]:
    """Say what was noted, and for which day."""
    note = kept["noted"]
    slept = f", {_hours(note['sleep_hours'])} of sleep" if note.get("sleep_hours") is not None else ""
    return [f"Noted for {one_line(note['date'])} at {one_line(note['level'])}: {one_line(note['mood'])}{slept}."]


def show_all(told: dict[str, Any], screen: Screen) -> list[str]:
    """Show the notes in a table, and the mean of the sleep."""
    rows = [(n["date"], n["level"], _sleep(n), n["mood"], n.get("note") or "") for n in told["notes"]]
    mean, more = told.get("mean_sleep"), told.get("more", 0)
    return [
        *(screen.table(("DAY", "LEVEL", "SLEEP", "MOOD", "NOTE"), rows) if rows else ["Nothing is noted."]),
        *([f"Not shown: {more:,} older ones."] if more else []),
        *(["", f"{_hours(mean)} of sleep on average."] if mean is not None else []),
    ]


def _sleep(note: dict[str, Any]) -> str:
    hours = _hours(note["sleep_hours"]) if note.get("sleep_hours") is not None else ""
    return " ".join(filter(None, [hours, note.get("sleep_quality")])) or "-"


def _hours(hours: float) -> str:
    return f"{round(hours, 1):g} h"


ADD = DaemonVerb(
    "wellness add",
    "note how the user is today",
    'memtrigctl wellness "calm, a little tired" --sleep 6.5',
    door=DATA,
    request="wellness.add",
    arguments=(Argument("mood", "MOOD", "the mood, in the user's words"),),
    options=(
        Option("sleep_hours", "--sleep", "HOURS", "how long the night's sleep was, from 0 to 24", read=number),
        Option("sleep_quality", "--quality", "Q", "how it was"),
        Option("note", "--note", "N", "what else belongs to the day"),
    ),
    document=document,
    show=show,
)
LIST = DaemonVerb(
    "wellness list",
    "list how the user was, the newest first",
    "memtrigctl wellness list --days 14",
    door=DATA,
    request="wellness.list",
    options=(Option("days", "--days", "N", "how many days back; 30 unsaid", read=integer),),
    document=documents,
    show=show_all,
)
VERB = Family("wellness", "note how the user is, or list it: MOOD, list", ADD, LIST, usual=ADD)
