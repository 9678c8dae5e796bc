"""``memtrigctl reject``: say no to a memory that waits."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Option
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(settled: dict[str, Any], screen: Screen) -> list[str]:
    """Say that it is out of service, and not gone."""
    key, level = screen.bold(one_line(settled["key"])), one_line(settled["level"])
    return [f"Rejected {key} at {level}; it is kept, and served to nobody."]


VERB = DaemonVerb(
    "reject",
    "say no to a memory that waits",
    'memtrigctl reject m4zq7k2wd5x3abcde --reason "that was my sister"',
    door=DATA,
    arguments=(Argument("id", "ID", "its id; `memtrigctl review` lists what waits"),),
    options=(
        Option("reason", "--reason", "R", "why it is wrong"),
        Option("quote", "--quote", "Q", "the user's words; an agent must give them, but for what it said itself"),
    ),
    show=show,
)
