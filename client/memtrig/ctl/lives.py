"""How the life of a memory looks to people: its steps, and where what is known comes from."""

from __future__ import annotations

from memtrig.ctl.records import beginning
from memtrig.ctl.render import one_line, paragraph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

LINES = 6
"""Lines of a text on a terminal."""


def head(memory: dict[str, Any], screen: Screen) -> list[str]:
    """Show a memory's address and what it says."""
    names = [screen.bold(one_line(memory["key"])), *(one_line(memory[field]) for field in ("level", "kind", "status"))]
    return ["  ".join(names), *paragraph(beginning(memory), screen.columns, LINES)]


def origin(memory: dict[str, Any], screen: Screen) -> list[tuple[str, str]]:
    """Name who said a memory, when and how surely; a blank value means that it is not known."""
    by = [memory["source"], memory.get("agent") and f"by {memory['agent']}"]
    heard = ", heard by the daemon" if memory.get("attested") else ""
    sure = memory.get("confidence")
    return [
        ("said", ", ".join(filter(None, [screen.when(memory["updated"]), *by]))),
        ("session", memory.get("session") or ""),
        ("quote", f"“{memory['quote']}”{heard}" if memory.get("quote") else ""),
        ("confidence", "" if sure is None else f"{sure:.2f}"),
    ]


def left_out(told: dict[str, Any]) -> list[str]:
    """Say how many older memories and steps found no room in the answer."""
    lacking = [
        f"{told[field]:,} older {what}"
        for field, what in (("more", "memories"), ("earlier", "steps"))
        if told.get(field)
    ]
    return [f"Not shown, for want of room: {' and '.join(lacking)}.", ""] if lacking else []


def steps(told: list[dict[str, Any]], screen: Screen) -> list[str]:
    """Show what was done, the oldest first."""
    rows = [
        (
            screen.when(step["at"]),
            step["op"],
            step["actor"],
            step["id"],
            "; ".join(filter(None, [step.get("status"), step.get("reason")])),
        )
        for step in told
    ]
    return screen.table(("WHEN", "WHAT", "WHO", "MEMORY", "BECAME"), rows)
