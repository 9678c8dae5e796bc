"""``memtrigctl erase``: remove the bytes of what was said under a key, for good."""

from __future__ import annotations

from memtrig.ctl.grammar import LONG, OWNER, Argument, DaemonVerb, Option, integer
from memtrig.ctl.records import counted, touched
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen


def document(erased: dict[str, Any]) -> dict[str, Any]:
    """Name also what there was none of."""
    return {"elsewhere": [], "backups": [], "dry_run": False, **erased}


def show(erased: dict[str, Any], screen: Screen) -> list[str]:
    """Say what is or would be gone, what of it stays where, and that nothing brings it back."""
    count, dry, level = erased["count"], erased.get("dry_run"), one_line(erased["level"])
    if not count:
        return [f"Nothing to erase is known at {level}.", *_rest(erased)]
    what = f"{counted(count)} at {level}"
    lines = [f"This would erase {what} for good." if dry else f"Erased {what}.", ""]
    lines += touched(erased["memories"], screen)
    if count > len(erased["memories"]):
        lines.append(f"and {count - len(erased['memories']):,} more")
    after = "There is no way back." if dry else "The bytes are gone, and nothing brings them back."
    again = "would not be" if dry else "is not"
    return [*lines, "", after, f"It {again} learnt again until the user says it.", *_rest(erased)]


def converse(erased: dict[str, Any], screen: Screen, door: Door, given: dict[str, Any]) -> int:
    """Show what would go, let the owner type how many that is, and erase them. Returns 1 if nothing was erased."""
    from memtrig.ctl.output import print_lines, warn_incomplete

    print_lines(show(erased, screen))
    if opening(given) == given or not erased["count"]:
        return 0
    if _typed(f"\nType {erased['count']} to erase, anything else to leave it › ") != str(erased["count"]):
        print_lines(["Nothing was erased."])
        return 1
    reply = door.ask_for(VERB, given | {"confirm": erased["count"]})
    warn_incomplete(reply.incomplete)
    print_lines(["", *show(reply.result, screen)])
    return 0


def opening(given: dict[str, Any]) -> dict[str, Any]:
    """Look first, unless the owner has looked already."""
    return given if given.get("dry_run") or "confirm" in given else given | {"dry_run": True}


def _rest(erased: dict[str, Any]) -> list[str]:
    """Say which copies are out of its reach."""
    levels, backups = (" and ".join(map(one_line, erased.get(name, ()))) for name in ("elsewhere", "backups"))
    return [
        *([f"The same stays at {levels}; --all-levels or --level erases it there."] if levels else []),
        *([f"It is still in these backups: {backups}"] if backups else []),
        *(["memtrigd has no backups of it."] if erased.get("backups") == [] else []),
        "Copies of the files that others made are out of its reach.",
    ]


def _typed(prompt: str) -> str:
    """Read a line; an input that ends is none."""
    try:
        return input(prompt).strip()
    except EOFError:
        print()
        return ""


VERB = DaemonVerb(
    "erase",
    "remove the bytes of what was said, for good",
    "memtrigctl erase user.diary --dry-run",
    door=OWNER,
    patience=LONG,
    arguments=(Argument("key", "KEY", "the key of what to erase: all that was ever said under it", required=False),),
    options=(
        Option("id", "--id", "ID", "instead of a key, one memory by its id"),
        Option("all_levels", "--all-levels", help="at every level, not only that of --level"),
        Option("dry_run", "--dry-run", help="only show what would be erased"),
        Option("confirm", "--confirm", "COUNT", "how many a dry run showed; a terminal asks for it", read=integer),
    ),
    one_of=("key", "id"),
    beside=("all_levels",),
    document=document,
    show=show,
    converse=converse,
    opening=opening,
)
