"""``memtrigctl why-not``: which rules hide a memory from a session."""

from __future__ import annotations

from memtrig.ctl.catalogue import level_and_agent
from memtrig.ctl.grammar import VIEW, Argument, DaemonVerb, Option
from memtrig.ctl.render import clip, one_line, paragraph
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

LINES = 4
"""Lines of each reason."""


def document(hidden: dict[str, Any]) -> dict[str, Any]:
    """Name also what is not served or hidden."""
    rules = [{"hint": "", **rule} for rule in hidden.get("rules", ())]
    return {"level": hidden["level"], "served": hidden.get("served"), "rules": rules, "more": hidden.get("more", 0)}


def show(hidden: dict[str, Any], screen: Screen) -> list[str]:
    """Say what the session gets, and by which rule it doesn't get each of the others."""
    level, served, rules = one_line(hidden["level"]), hidden.get("served"), hidden.get("rules", [])
    lines = [_clipped(f"A session at {level} gets {_address(served) if served else 'nothing by this name.'}", screen)]
    if not rules:
        return [*lines, "No rule hides anything of it."]
    for rule in rules:
        name = one_line(rule["rule"])
        head = _clipped(f"{name} hides {_address(rule['memory'])}", screen).replace(name, screen.bold(name), 1)
        says = paragraph(one_line(rule["says"]), screen.columns, LINES)
        hint = paragraph(one_line(rule["hint"]), screen.columns, LINES) if rule.get("hint") else []
        lines += ["", head, *says, *(screen.dim(line) for line in hint)]
    more = hidden.get("more")
    return [*lines, *(["", f"Not shown, for want of room: {more:,} more."] if more else [])]


def _address(memory: dict[str, Any]) -> str:
    return one_line(f"{memory['id']}, {memory['status']} at {memory['level']}: {memory['key']}")


def _clipped(line: str, screen: Screen) -> str:
    return line if screen.columns is None else clip(line, screen.columns)


VERB = DaemonVerb(
    "why-not",
    "say which rules hide a memory from a session",
    "memtrigctl why-not user.tea --as public:weather-bot",
    door=VIEW,
    request="why_not",
    arguments=(Argument("key", "KEY", "the key that the session asks for", required=False),),
    options=(
        Option("as", "--as", "LEVEL[:AGENT]", "whose view it is; needed", read=level_and_agent, values=LEVELS),
        Option("id", "--id", "ID", "a memory's id, instead of a key"),
        Option("space", "--space", "S", "the session's own space, if it has one"),
    ),
    one_of=("key", "id"),
    document=document,
    show=show,
)
