"""``memtrigctl status``: how the daemon and its levels are."""

from __future__ import annotations

from memtrig.ctl.grammar import PLAIN, DaemonVerb
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(status: dict[str, Any], screen: Screen) -> list[str]:
    """Show the daemon in a line and its levels in a table."""
    facts = [("started", screen.when(status["started"])), ("home", status.get("home") or "")]
    pid = status.get("pid")
    lines = [screen.bold(f"memtrigd {one_line(status['server'])}") + (f" (pid {pid})" if pid else "")]
    rows = [(each["level"], _sessions(each), _memories(each)) for each in status["levels"]]
    reasons = [f"{each['level']}: {one_line(each['reason'])}" for each in status["levels"] if each.get("reason")]
    table = screen.table(("LEVEL", "SESSIONS", "MEMORIES"), rows)
    return [*lines, *screen.facts(facts), "", *table, *reasons]


def _sessions(level: dict[str, Any]) -> str:
    """How many are connected: the daemon tells the owner alone."""
    return "-" if level.get("sessions") is None else str(level["sessions"])


def _memories(level: dict[str, Any]) -> str:
    if not level["available"]:
        return "not available"
    return ", ".join(f"{count:,} {status}" for status, count in level["memories"].items() if count) or "none"


VERB = DaemonVerb("status", "show how the daemon and its levels are", "memtrigctl status", door=PLAIN, show=show)
