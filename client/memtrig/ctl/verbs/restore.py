"""``memtrigctl restore``: put a backup in the place of what there is, or one memory of it."""

from __future__ import annotations

from memtrig.ctl.alone import do_alone
from memtrig.ctl.catalogue import level
from memtrig.ctl.failure import usage
from memtrig.ctl.grammar import CONTROL, LONG, Argument, DaemonVerb, Option
from memtrig.ctl.render import one_line
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen
    from memtrig.homes import Home

LACKING: dict[str, Any] = {
    "levels": [],
    "before": {},
    "after": {},
    "safety": None,
    "memory": None,
    "restarting": False,
    "started": None,
    "dry_run": False,
    "control": False,
    "aside": None,
}
"""What the frame leaves out."""


def document(told: dict[str, Any]) -> dict[str, Any]:
    """Name also what there is none of."""
    return {**LACKING, **told, "backup": {"failed": [], **told["backup"]}}


def show(told: dict[str, Any], screen: Screen) -> list[str]:
    """Say what is back, or would be, and how to go back on it."""
    name, dry = screen.bold(one_line(told["backup"]["name"])), told.get("dry_run")
    if told.get("control"):
        return [
            f"control.db is that of backup {name}; what was there is kept in {one_line(told['aside'])}.",
            "Every session ended. Start `memtrigd`.",
        ]
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


def _alone(home: Home, given: dict[str, Any], down: bool) -> dict[str, Any] | None:
    """Put control.db back: the daemon does not start without it, and must not run meanwhile."""
    if not given.get("control"):
        return None
    if given.keys() - {"control", "name"}:
        raise usage("--control goes with no other option.", "For example: memtrigctl restore --control")
    return do_alone(home, "control", *([given["name"]] if "name" in given else []))


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
        Option("control", "--control", help="only control.db, while the daemon is stopped; every session ends"),
    ),
    alone=_alone,
    document=document,
    show=show,
)
