"""``memtrigctl sessions``: which agents are connected."""

from __future__ import annotations

from memtrig.ctl.grammar import CONTROL, DaemonVerb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

HEADER = ("SESSION", "AGENT", "LEVEL", "CEILING", "ORIGIN", "CONNECTIONS", "OPENED")


def document(reply: dict[str, Any]) -> dict[str, Any]:
    """Always say how many were left out."""
    return {"sessions": reply["sessions"], "more": reply.get("more", 0)}


def show(reply: dict[str, Any], screen: Screen) -> list[str]:
    """Show the sessions in a table."""
    rows = [
        (
            each["session"],
            each.get("agent") or "-",
            each["level"] + (" (untrusted)" if each.get("untrusted") else ""),
            each["ceiling"],
            each["origin"],
            str(each["connections"]),
            screen.when(each["opened"]),
        )
        for each in reply["sessions"]
    ]
    if not rows:
        return ["No agent is connected."]
    more = reply.get("more")
    return [*screen.table(HEADER, rows), *(["", f"Not shown: {more:,} older ones."] if more else [])]


VERB = DaemonVerb(
    "sessions",
    "list the sessions that are connected",
    "memtrigctl sessions",
    door=CONTROL,
    request="session.list",
    show=show,
    document=document,
)
