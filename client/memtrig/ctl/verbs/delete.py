"""``memtrigctl delete``: retire the memory of a key."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def document(deleted: dict[str, Any]) -> dict[str, Any]:
    """Say in one field that it is done."""
    return {"deleted": True, **deleted}


def show(deleted: dict[str, Any], screen: Screen) -> list[str]:
    """Say what is gone, and what else is out of sight."""
    key, level = screen.bold(one_line(deleted["key"])), one_line(deleted["level"])
    lines = [f"Deleted {key} at {level}; it is kept for the audit."]
    masks = " and ".join(map(one_line, deleted.get("masks", ())))
    return (
        [*lines, f"For readers at {level} and above the older text at {masks} is hidden as well."] if masks else lines
    )


VERB = DaemonVerb(
    "delete",
    "retire the memory of a key at one level",
    "memtrigctl delete user.tea --level internal",
    door=DATA,
    arguments=(Argument("key", "KEY", "the key it was saved under"),),
    document=document,
    show=show,
)
