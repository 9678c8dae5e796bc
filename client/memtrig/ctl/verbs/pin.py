"""``memtrigctl pin``: freeze a memory against every agent."""

from __future__ import annotations

from memtrig.ctl.grammar import OWNER, Argument, DaemonVerb, Option
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(settled: dict[str, Any], screen: Screen) -> list[str]:
    """Say what holds from now on."""
    key, level = screen.bold(one_line(settled["key"])), one_line(settled["level"])
    if settled.get("pinned"):
        return [f"Pinned {key} at {level}: no agent replaces, denies or expires it."]
    return [f"{key} at {level} is not pinned: agents may change it as they may others."]


VERB = DaemonVerb(
    "pin",
    "freeze a memory against every agent",
    "memtrigctl pin user.allergy",
    door=OWNER,
    arguments=(Argument("key", "KEY", "the key it was saved under", required=False),),
    options=(
        Option("id", "--id", "ID", "its id, instead of a key"),
        Option("off", "--off", help="let it go again"),
    ),
    one_of=("key", "id"),
    document=lambda settled: {"pinned": False, **settled},
    show=show,
)
