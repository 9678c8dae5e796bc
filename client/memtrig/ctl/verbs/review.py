"""``memtrigctl review``: what waits for an answer; on a terminal one by one, a key each."""

from __future__ import annotations

from memtrig.ctl import items
from memtrig.ctl.grammar import DATA, DaemonVerb, Option, integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen

MOST = 500
"""Items in one answer at most."""


def document(reviewed: dict[str, Any]) -> dict[str, Any]:
    """Name also what an item or the list has none of."""
    return {"items": [items.document(item) for item in reviewed["items"]], "more": reviewed.get("more", 0)}


def show(reviewed: dict[str, Any], screen: Screen) -> list[str]:
    """List what waits, each with its id."""
    if not reviewed["items"]:
        return ["Nothing waits for you."]
    lines = [line for item in reviewed["items"] for line in items.lines(item, screen)]
    lines += ["", "`memtrigctl confirm ID` says yes, `memtrigctl reject ID` says no."]
    return [*lines, *_more(len(reviewed["items"]), reviewed.get("more", 0))]


def converse(reviewed: dict[str, Any], screen: Screen, door: Door, _: dict[str, Any]) -> int:
    """Ask about one item after the other, and say how many are left."""
    from memtrig.ctl.answers import ask_all
    from memtrig.ctl.output import print_lines

    asked = reviewed["items"]
    left = len(asked) - ask_all(asked, screen, door) + reviewed.get("more", 0)
    print_lines(
        [
            *([""] if asked else []),
            f"{left:,} still {'waits' if left == 1 else 'wait'}." if left else "Nothing waits for you.",
        ]
    )
    return 0


def _more(shown: int, more: int) -> list[str]:
    """Say what to do about the rest: where a longer list brings nothing more, an answer does."""
    if not more:
        return []
    longer = f", or say the same with -n {min(shown + more, MOST)}" if shown < MOST else ""
    return [f"{more:,} more wait: answer these first{longer}."]


VERB = DaemonVerb(
    "review",
    "list what waits for an answer; on a terminal, answer it",
    "memtrigctl review",
    door=DATA,
    options=(Option("limit", "-n", "N", f"how many at most; 50 unsaid, {MOST} the most", read=integer),),
    document=document,
    show=show,
    converse=converse,
)
