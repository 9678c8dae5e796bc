"""``memtrigctl sessions``: which agents are connected, and which of them strangers may be speaking through."""

from __future__ import annotations

from memtrig.ctl.grammar import CONTROL, Argument, DaemonVerb, Family
from memtrig.ctl.render import one_line

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


def show_untrusted(reply: dict[str, Any], screen: Screen) -> list[str]:
    """Say what it means from now on."""
    return [
        f"Session {screen.bold(one_line(reply['session']))} is untrusted, for good.",
        "What it saves waits for your yes, and it puts away only what it said itself.",
        f"What it did before: `memtrigctl undo --session {one_line(reply['session'])} --dry-run`",
    ]


LIST = DaemonVerb(
    "sessions list",
    "list the sessions that are connected",
    "memtrigctl sessions",
    door=CONTROL,
    request="session.list",
    show=show,
    document=document,
)
UNTRUSTED = DaemonVerb(
    "sessions untrusted",
    "say that a session read what strangers wrote; there is no way back",
    "memtrigctl sessions untrusted s4zq7k2wd5x3abcde",
    door=CONTROL,
    request="session.untrusted",
    arguments=(Argument("session", "ID", "the session; `memtrigctl sessions` shows it"),),
    show=show_untrusted,
)
VERB = Family("sessions", "the sessions that are connected: list, untrusted", LIST, UNTRUSTED, usual=LIST)
