"""``memtrigctl list``: all memories in pages, the newest first."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, DaemonVerb, Option, integer
from memtrig.ctl.records import rows
from memtrig.ctl.render import one_line
from memtrig.ctl.spans import SINCE, UNTIL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def document(listed: dict[str, Any]) -> dict[str, Any]:
    """Name the cursor also on the last page, where it is null."""
    return {"memories": listed["memories"], "next_cursor": listed.get("next_cursor")}


def show(listed: dict[str, Any], screen: Screen) -> list[str]:
    """Show a page, and how to get the next one."""
    lines = rows(listed["memories"], screen) if listed["memories"] else ["No memories here."]
    cursor = listed.get("next_cursor")
    return [*lines, "", f"There is more: say the same with --cursor {one_line(cursor)}"] if cursor else lines


VERB = DaemonVerb(
    "list",
    "list memories, the newest first",
    "memtrigctl list --tag food --limit 20",
    door=DATA,
    options=(
        Option("tag", "--tag", "T", "only those with this tag"),
        SINCE,
        UNTIL,
        Option("limit", "--limit", "N", "how many on a page; 50 unsaid", read=integer),
        Option("cursor", "--cursor", "C", "where the page before ended; with the same options"),
    ),
    document=document,
    show=show,
)
