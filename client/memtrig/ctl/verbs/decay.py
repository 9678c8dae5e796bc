"""``memtrigctl decay``: run a dream cycle now, at one level."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, LONG, DaemonVerb, Option, integer
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def document(dreamt: dict[str, Any]) -> dict[str, Any]:
    """Say also that nothing was out of the way."""
    return {"stopped": False, "dry_run": False, "more": 0, "similar": [], "session": None, **dreamt}


def show(dreamt: dict[str, Any], screen: Screen) -> list[str]:
    """Say what the cycle did, or would do; deleted is nothing by it."""
    level = one_line(dreamt["level"])
    if dreamt.get("stopped"):
        return [
            f"Stopped before it changed anything at {level}: {dreamt['expired']:,} memories would expire at once.",
            "Is the clock right? `memtrigctl review` lists what expires, and"
            f" `memtrigctl decay --level {level.lower()} --confirm {dreamt['expired']}` lets it.",
        ]
    would = "would be " if dreamt.get("dry_run") else ""
    pairs = [
        ("faded", f"{dreamt['materialised']:,} importances {would}written down as they are now"),
        ("expired", f"{dreamt['expired']:,} {would}out of service, their time being over"),
        ("waiting", f"{dreamt['asked_again']:,} proposals that nobody answered for a week"),
        ("contested", f"{len(dreamt['conflicts']) + dreamt.get('more', 0):,} that a proposal contradicts"),
        ("similar", f"{len(dreamt.get('similar', ())):,} pairs that say nearly the same"),
    ]
    lines = [f"The dream cycle at {level}" + (", not carried out:" if would else ":"), *screen.facts(pairs)]
    lines += ["  " + " and ".join(map(one_line, pair)) for pair in dreamt.get("similar", ())]
    if dreamt["expired"] and dreamt.get("session") and not would:
        lines.append(f"`memtrigctl undo --session {one_line(dreamt['session'])}` brings back what it expired.")
    return lines


VERB = DaemonVerb(
    "decay",
    "run a dream cycle now, at one level",
    "memtrigctl decay --dry-run",
    door=DATA,
    patience=LONG,
    options=(
        Option("dry_run", "--dry-run", help="only count what it would do"),
        Option("confirm", "--confirm", "COUNT", "how many may expire, where a cycle stopped at so many", read=integer),
    ),
    document=document,
    show=show,
)
