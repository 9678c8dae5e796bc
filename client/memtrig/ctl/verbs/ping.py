"""``memtrigctl ping``: whether the daemon is there."""

from __future__ import annotations

from memtrig.ctl.grammar import PLAIN, DaemonVerb
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(pong: dict[str, Any], screen: Screen) -> list[str]:
    """Say which daemon answers, and its time."""
    return [f"memtrigd {one_line(pong['server'])} answers; its clock says {screen.clock(pong['time'])}."]


VERB = DaemonVerb("ping", "ask the daemon for a sign of life", "memtrigctl ping", door=PLAIN, show=show)
