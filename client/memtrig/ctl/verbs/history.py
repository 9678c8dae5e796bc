"""``memtrigctl history``: all that was ever said under a key."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb
from memtrig.ctl.lives import head, left_out, origin, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(told: dict[str, Any], screen: Screen) -> list[str]:
    """Show each memory of the key, the oldest first, and below them what was done to them."""
    lines: list[str] = []
    for memory in told["memories"]:
        facts = [*origin(memory, screen), ("reason", memory.get("reason") or ""), ("id", memory["id"])]
        lines += [*head(memory, screen), *screen.facts(facts), ""]
    return [*lines, *left_out(told), *steps(told["steps"], screen)]


VERB = DaemonVerb(
    "history",
    "show all that was ever said under a key",
    "memtrigctl history user.tea",
    door=DATA,
    arguments=(Argument("key", "KEY", "the key it was saved under"),),
    document=lambda told: {"more": 0, "earlier": 0, **told},
    show=show,
)
