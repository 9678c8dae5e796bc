"""``memtrigctl restore``: put a backup in the place of what there is, or one memory of it."""

from __future__ import annotations

from memtrig.ctl.catalogue import level
from memtrig.ctl.grammar import CONTROL, LONG, Argument, DaemonVerb, Option
from memtrig.ctl.render import one_line
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

LACKING: dict[str, Any] = {
    "levels": [],
    "before": {},
    "after": {},
    "safety": None,
    "memory": None,
    "restarting": False,
    "started": None,
    "dry_run": False,
}
"""What the frame leaves out."""


def document(told: dict[str, Any]) -> dict[str, Any]:
    """Name also what there is none of."""
    return {**LACKING, **told, "backup": {"failed": [], **told["backup"]}}


def show(told: dict[str, Any], screen: Screen) -> list[str]:
    """Say what is back, or would be, and how to go back on it."""
    name, dry = screen.bold(one_line(told["backup"]["name"])), told.get("dry_run")
    memory = told.get("memory")
    if memory:
        verb = "would be put back" if dry else "is back"
        what = f"{one_line(memory['key'])} at {one_line(memory['level'])}"
        return [f"{what} {verb} as backup {name} has it: {one_line(memory['status'])}."]
    before, after = told.get("before", {}), told.get("after", {})
    rows = [(each, f"{before[each]:,}" if each in before else "?", f"{after[each]:,}") for each in told["levels"]]
    table = screen.table(("LEVEL", "MEMORIES NOW", "IN THE BACKUP"), rows)
    if dry:
        return [f"Backup {name} is sound. It would take the place of:", *table]
    safety = told.get("safety")
    return [
        f"Backup {name} takes the place of:",
        *table,
        "The daemon is starting anew with it; `memtrigctl status` answers when it is there.",
        *([f"Back again: `memtrigctl restore {one_line(safety)}`."] if safety else []),
    ]


VERB = DaemonVerb(
    "restore",
    "put a backup, the newest unsaid, in the place of what there is; one is made before",
    "memtrigctl restore 2026-11-30T102622Z --level internal --dry-run",
    door=CONTROL,
    patience=LONG,
    arguments=(Argument("name", "NAME", "its name; `memtrigctl backup list` shows it", required=False),),
    options=(
        Option("level", "--level", "LEVEL", "only this level", read=level, values=LEVELS),
        Option("memory", "--memory", "ID", "only this memory, as a change of yours"),
        Option("dry_run", "--dry-run", help="verify it and say what would change"),
    ),
    document=document,
    show=show,
)
