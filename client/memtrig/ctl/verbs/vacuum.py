"""``memtrigctl vacuum``: put away what was superseded long ago, at one level."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, LONG, DaemonVerb, Option
from memtrig.ctl.records import counted
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(vacuumed: dict[str, Any], screen: Screen) -> list[str]:
    """Say how many are out of the way, and that none is lost."""
    count, level = vacuumed["archived"], one_line(vacuumed["level"])
    if not count:
        return [f"Nothing at {level} was superseded more than 90 days ago."]
    would = "would be archived" if vacuumed.get("dry_run") else "archived"
    return [f"{counted(count)} at {level} {would}; `memtrigctl history KEY` shows them as before."]


VERB = DaemonVerb(
    "vacuum",
    "archive what was superseded 90 days ago, at one level",
    "memtrigctl vacuum --dry-run",
    door=DATA,
    patience=LONG,
    options=(Option("dry_run", "--dry-run", help="only count what would be archived"),),
    document=lambda vacuumed: {"dry_run": False, **vacuumed},
    show=show,
)
