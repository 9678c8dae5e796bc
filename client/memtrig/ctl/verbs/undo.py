"""``memtrigctl undo``: take back the last change of a memory, or all that a session did."""

from __future__ import annotations

from memtrig.ctl.grammar import LONG, OWNER, Argument, DaemonVerb, Option
from memtrig.ctl.records import counted, touched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def document(undone: dict[str, Any]) -> dict[str, Any]:
    """Name also what there was none of."""
    return {"kept": [], "dry_run": False, "entries": 0, "more": 0, "more_kept": 0, **undone}


def show(undone: dict[str, Any], screen: Screen) -> list[str]:
    """Say what is as before, and what is not because it was changed since."""
    what, entries = counted(len(undone["memories"]) + undone.get("more", 0)), undone.get("entries", 0)
    if entries:
        what += f" and {entries:,} {'promise or note' if entries == 1 else 'promises and notes'}"
    lines = [f"This would put {what} back." if undone.get("dry_run") else f"Put {what} back as before."]
    if undone["memories"]:
        lines += ["", *touched(undone["memories"], screen)]
    if undone.get("kept"):
        lines += ["", "Changed by somebody else since, and therefore left alone:", *touched(undone["kept"], screen)]
    rest = undone.get("more", 0) + undone.get("more_kept", 0)
    if rest:
        lines += ["", f"Not shown, for want of room: {rest:,} more."]
    return lines


VERB = DaemonVerb(
    "undo",
    "take back a memory's last change, or all that a session did",
    "memtrigctl undo --session s4zq7k2wd5x3abcde --dry-run",
    door=OWNER,
    patience=LONG,
    arguments=(Argument("id", "ID", "the memory whose last change is taken back; `why KEY` names it", required=False),),
    options=(
        Option("session", "--session", "S", "instead of a memory, the session; `memtrigctl why KEY` names it"),
        Option("dry_run", "--dry-run", help="only show what would be taken back"),
    ),
    one_of=("id", "session"),
    document=document,
    show=show,
)
