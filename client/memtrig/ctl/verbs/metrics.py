"""``memtrigctl metrics``: how the daemon works, in figures that Prometheus reads."""

from __future__ import annotations

from memtrig.ctl.grammar import CONTROL, DaemonVerb
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(exposition: dict[str, Any], screen: Screen) -> list[str]:
    """Print the lines as they are, for a program to read."""
    return [one_line(line) for line in exposition["text"].splitlines()]


VERB = DaemonVerb(
    "metrics",
    "print the daemon's figures in Prometheus' text format",
    "memtrigctl metrics > memtrigd.prom",
    door=CONTROL,
    show=show,
)
