"""``memtrigctl decay``: run a dream cycle now, at one level."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, DaemonVerb, Option
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def document(dreamt: dict[str, Any]) -> dict[str, Any]:
    """Say also that nothing was out of the way."""
    return {"stopped": False, "dry_run": False, **dreamt}


def show(dreamt: dict[str, Any], screen: Screen) -> list[str]:
    """Say what the cycle did, or would do; deleted is nothing by it."""
    level = one_line(dreamt["level"])
    if dreamt.get("stopped"):
        return [
            f"Stopped before it changed anything at {level}: {dreamt['expired']:,} memories would expire at once.",
            "Is the clock right? `memtrigctl review` lists what expires.",
        ]
    would = "would be " if dreamt.get("dry_run") else ""
    pairs = [
        ("faded", f"{dreamt['materialised']:,} importances {would}written down as they are now"),
        ("expired", f"{dreamt['expired']:,} {would}out of service, their time being over"),
        ("waiting", f"{dreamt['asked_again']:,} proposals that nobody answered for a week"),
        ("contested", f"{len(dreamt['conflicts']):,} that a proposal contradicts"),
    ]
    return [f"The dream cycle at {level}" + (", not carried out:" if would else ":"), *screen.facts(pairs)]


VERB = DaemonVerb(
    "decay",
    "run a dream cycle now, at one level",
    "memtrigctl decay --dry-run",
    door=DATA,
    options=(Option("dry_run", "--dry-run", help="only count what it would do"),),
    document=document,
    show=show,
)
