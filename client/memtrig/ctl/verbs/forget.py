"""``memtrigctl forget``: forget memories, and don't learn them again until the user says them."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, LONG, Argument, DaemonVerb, Option, integer
from memtrig.ctl.records import KINDS, counted, touched
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def document(forgotten: dict[str, Any]) -> dict[str, Any]:
    """Name also what there was none of."""
    return {"elsewhere": [], "dry_run": False, "suppressed": None, "hidden": 0, **forgotten}


def show(forgotten: dict[str, Any], screen: Screen) -> list[str]:
    """Say how much is forgotten and where, what it was, and where more of it stays."""
    count, dry = forgotten["count"], forgotten.get("dry_run")
    what = f"{counted(count)} at {_levels(forgotten['levels'])}"
    lines = [f"This would forget {what}." if dry else f"Forgot {what}."]
    if not count:
        lines = [f"Nothing to forget is known at {_levels(forgotten['levels'])}."]
    if forgotten["memories"]:
        lines += ["", *touched(forgotten["memories"], screen)]
    if count > len(forgotten["memories"]):
        lines.append(f"and {count - len(forgotten['memories']):,} more")
    lines.append("")
    if forgotten.get("elsewhere"):
        hidden = "to be hidden" if dry else "hidden"
        below = counted(forgotten.get("hidden", 0))
        where = _levels(forgotten["elsewhere"])
        lines.append(f"Left in place: {below} at {where}, {hidden} from readers up here.")
    if not dry:
        lines.append("It is not learnt again until the user says it.")
    if not dry and count:
        lines.append("`memtrigctl unforget ID` brings one back.")
    return lines if lines[-1] else lines[:-1]


def _levels(names: list[str]) -> str:
    return " and ".join(map(one_line, names))


VERB = DaemonVerb(
    "forget",
    "forget memories, and don't learn them again",
    'memtrigctl forget --entity "Old Flat" --reason "moved out" --dry-run',
    door=DATA,
    arguments=(Argument("key", "KEY", "the key of what to forget", required=False),),
    options=(
        Option("id", "--id", "ID", "instead of a key, an id"),
        Option("entity", "--entity", "E", "instead of a key, all about an entity, also what would be said later"),
        Option("tag", "--tag", "T", "instead of a key, all with a tag"),
        Option("kind", "--kind", "K", "of these, only one kind: " + " ".join(KINDS), values=KINDS),
        Option("reason", "--reason", "R", "why; kept for the audit"),
        Option("quote", "--quote", "Q", "the user's words; for an agent whose user the daemon hears"),
        Option("dry_run", "--dry-run", help="only show what would be forgotten"),
        Option("confirm", "--confirm", "COUNT", "for an agent: how many, where it was asked", read=integer),
        Option("all_levels", "--all-levels", help="as the owner, at every level"),
    ),
    one_of=("key", "id", "entity", "tag"),
    beside=("all_levels",),
    patience=LONG,
    document=document,
    show=show,
)
