"""``memtrigctl suppressions``: what is not to be brought up or learnt again."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, DaemonVerb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

HEADER = ("SCOPE", "LEVEL", "SINCE", "WHAT", "REASON")


def show(wishes: dict[str, Any], screen: Screen) -> list[str]:
    """Show the wishes in a table."""
    rows = [
        (
            wish["scope"],
            wish["level"],
            screen.when(wish["at"]),
            wish.get("entity") or wish.get("key") or "-",
            wish.get("reason") or "-",
        )
        for wish in wishes["suppressions"]
    ]
    if not rows:
        return ["Nothing is kept from being brought up."]
    more = wishes.get("more", 0)
    return [*screen.table(HEADER, rows), *(["", f"Not shown, for want of room: {more:,} older ones."] if more else [])]


VERB = DaemonVerb(
    "suppressions",
    "list what is not to be brought up again",
    "memtrigctl suppressions",
    door=DATA,
    show=show,
)
