"""``memtrigctl unforget``: bring a forgotten memory back."""

from __future__ import annotations

from memtrig.ctl.grammar import OWNER, Argument, DaemonVerb
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(settled: dict[str, Any], screen: Screen) -> list[str]:
    """Say what it is again, and where it is still put away."""
    key, level = screen.bold(one_line(settled["key"])), one_line(settled["level"])
    lines = [f"Brought back {key} at {level}: it is {one_line(settled['status'])} again."]
    if settled.get("below"):
        lines = [f"Readers of {level} see {key} of a lower level again, as it stands there."]
    if settled["status"] == "pending":
        lines.append(f"`memtrigctl confirm {one_line(settled['id'])}` puts it into service.")
    still = " and ".join(map(one_line, settled.get("still", ())))
    return [*lines, *([f"It is still put away at {still}: say the same again for that."] if still else [])]


VERB = DaemonVerb(
    "unforget",
    "bring a forgotten memory back",
    "memtrigctl unforget m4zq7k2wd5x3abcde",
    door=OWNER,
    arguments=(Argument("id", "ID", "its id; `memtrigctl history KEY` shows it"),),
    document=lambda settled: {"below": False, "still": [], **settled},
    show=show,
)
