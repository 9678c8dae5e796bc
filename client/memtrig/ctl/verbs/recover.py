"""``memtrigctl recover``: what an interruption left behind, and what became of it."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, DaemonVerb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(recovered: dict[str, Any], screen: Screen) -> list[str]:
    """Show what was begun and not ended when the daemon last stopped."""
    rows = [(each["what"], each["level"], screen.when(each["at"]), each["became"]) for each in recovered["left"]]
    return screen.table(("WHAT", "LEVEL", "WHEN", "BECAME"), rows) if rows else ["Nothing was interrupted."]


VERB = DaemonVerb(
    "recover",
    "tell what an interruption left, and what became of it",
    "memtrigctl recover",
    door=DATA,
    show=show,
)
