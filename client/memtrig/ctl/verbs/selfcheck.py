"""``memtrigctl selfcheck``: whether memories contradict the rules of the store."""

from __future__ import annotations

from memtrig.ctl.failure import REFUSED
from memtrig.ctl.grammar import DATA, LONG, DaemonVerb
from memtrig.ctl.records import counted
from memtrig.ctl.render import one_line, paragraph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

LINES = 4
"""Lines of each problem."""


def document(checked: dict[str, Any]) -> dict[str, Any]:
    """Name also what a problem or the list has none of."""
    problems = [{"id": None, "hint": "", **problem} for problem in checked["problems"]]
    return {"memories": checked["memories"], "problems": problems, "more": checked.get("more", 0)}


def show(checked: dict[str, Any], screen: Screen) -> list[str]:
    """Say what was looked at, and show each problem with what to do about it."""
    problems, more = checked["problems"], checked.get("more", 0)
    looked = f"Looked at {counted(checked['memories'])}"
    if not problems and not more:
        return [f"{looked}: all is as it should be."]
    found = len(problems) + more
    lines = [f"{looked}: {found:,} {'problem' if found == 1 else 'problems'}."]
    for each in problems:
        place = "  ".join(one_line(word) for word in (each["level"], each.get("id")) if word)
        texts = [each["problem"], each.get("hint") or ""]
        lines += [
            "",
            place,
            *(line for text in texts if text for line in paragraph(one_line(text), screen.columns, LINES)),
        ]
    return [*lines, *(["", f"Not shown: {more:,} more."] if more else [])]


def code(checked: dict[str, Any]) -> int:
    """Fail if there is a problem."""
    return REFUSED if checked["problems"] or checked.get("more") else 0


VERB = DaemonVerb(
    "selfcheck",
    "look for contradictions in the store; exit code 1 if any",
    "memtrigctl selfcheck",
    door=DATA,
    patience=LONG,
    document=document,
    show=show,
    code=code,
)
