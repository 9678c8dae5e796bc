"""``memtrigctl deny``: say that a memory which is served is wrong."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Option
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(settled: dict[str, Any], screen: Screen) -> list[str]:
    """Say how much the memory still counts, and for whom."""
    key, level = screen.bold(one_line(settled["key"])), one_line(settled["level"])
    times = settled.get("deny_count", 0)
    if settled["status"] == "active" and times < 2:
        lines = [f"Denied {key} at {level}: it counts a tenth; denied once more, it is served no longer."]
    else:
        lines = [f"Denied {key} at {level}, {times} times now: it is disputed, and served no longer until you decide."]
    if settled.get("below"):
        lines.append(f"It lies at a lower level: so it is for readers of {level} only, and the owner is asked.")
    return lines


VERB = DaemonVerb(
    "deny",
    "say that a memory is wrong",
    'memtrigctl deny user.tea --reason "never liked it"',
    door=DATA,
    arguments=(Argument("key", "KEY", "the key it was saved under", required=False),),
    options=(
        Option("id", "--id", "ID", "its id, instead of a key"),
        Option("reason", "--reason", "R", "why it is wrong"),
        Option("quote", "--quote", "Q", "the user's words; for an agent whose user the daemon hears"),
    ),
    one_of=("key", "id"),
    document=lambda settled: {"deny_count": 0, "below": False, **settled},
    show=show,
)
