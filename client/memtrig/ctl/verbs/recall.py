"""``memtrigctl recall``: what is worth bringing up now."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, DaemonVerb, Option, integer
from memtrig.ctl.records import beginning
from memtrig.ctl.render import one_line, paragraph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

LINES = 4
"""Lines of each text."""


def show(recalled: dict[str, Any], screen: Screen) -> list[str]:
    """Show each idea with the reason for it."""
    blocks = [_block(idea, screen) for idea in recalled["ideas"]]
    lines = [line for block in blocks for line in ("", *block)][1:]
    return lines or ["Nothing comes to mind now; what was recalled within a day rests."]


def _block(idea: dict[str, Any], screen: Screen) -> list[str]:
    memory = idea["memory"]
    head = f"{screen.bold(one_line(memory['key']))}  {one_line(memory['level'])}  {one_line(memory['kind'])}"
    reason = f"{one_line(idea['channel'])}: {one_line(idea['reason'])}"
    return [head, *paragraph(beginning(memory), screen.columns, LINES), f"  {screen.dim(reason)}"]


VERB = DaemonVerb(
    "recall",
    "say what is worth bringing up now",
    "memtrigctl recall -n 5",
    door=DATA,
    options=(Option("limit", "-n", "N", "how many at most; 3 unsaid, 10 the most", read=integer),),
    show=show,
)
