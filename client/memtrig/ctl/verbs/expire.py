"""``memtrigctl expire``: take out of service what has run out, or end one memory now."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, LONG, Argument, DaemonVerb, Option
from memtrig.ctl.records import beginning, counted, touched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def document(expired: dict[str, Any]) -> dict[str, Any]:
    """Name also what there was none of."""
    return {"remind": [], "more": 0, "dry_run": False, **expired}


def show(expired: dict[str, Any], screen: Screen) -> list[str]:
    """Say what ended, and what soon will."""
    count, named = expired["count"], expired["memories"]
    would = "would end" if expired.get("dry_run") else "ended"
    lines = [f"{counted(count)} {would}.", "", *touched(named, screen)] if count else ["Nothing has run out."]
    if count > len(named):
        lines.append(f"and {count - len(named):,} more")
    soon = [(m["key"], m["level"], screen.when(m["expires_at"]), beginning(m)) for m in expired.get("remind", ())]
    if soon:
        lines += ["", "Soon to end:", *screen.table(("KEY", "LEVEL", "ENDS", "MEMORY"), soon)]
    more = expired.get("more")
    return [*lines, *([f"and {more:,} more"] if more else [])]


VERB = DaemonVerb(
    "expire",
    "take out of service what has run out, or one memory now",
    "memtrigctl expire --dry-run",
    door=DATA,
    patience=LONG,
    arguments=(Argument("key", "KEY", "the key of one memory to end now; none: all that has run out", required=False),),
    options=(
        Option("id", "--id", "ID", "its id, instead of a key"),
        Option("dry_run", "--dry-run", help="only show what would end"),
    ),
    at_most=("key", "id"),
    document=document,
    show=show,
)
