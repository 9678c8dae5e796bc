"""``memtrigctl confirm``: say yes to a memory that waits."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Option
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(settled: dict[str, Any], screen: Screen) -> list[str]:
    """Say what is served now."""
    key, level = screen.bold(one_line(settled["key"])), one_line(settled["level"])
    return [f"Confirmed {key} at {level}: it is {one_line(settled['status'])} now."]


VERB = DaemonVerb(
    "confirm",
    "say yes to a memory that waits",
    "memtrigctl confirm m4zq7k2wd5x3abcde",
    door=DATA,
    arguments=(Argument("id", "ID", "its id; `memtrigctl review` lists what waits"),),
    options=(Option("quote", "--quote", "Q", "the user's words; an agent must give them"),),
    show=show,
)
