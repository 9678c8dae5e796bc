"""``memtrigctl why``: how a memory comes to be known."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Option
from memtrig.ctl.lives import head, left_out, origin, steps
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(told: dict[str, Any], screen: Screen) -> list[str]:
    """Show the memory, where it comes from, what it replaced, and what was done meanwhile."""
    *earlier, memory = told["memories"]
    stands = [("stands in", ", ".join(map(one_line, told.get("places", []))))]
    lines = [*head(memory, screen), *screen.facts([*origin(memory, screen), *stands, *_fate(memory, screen)])]
    for before in reversed(earlier):
        lines += ["", "In the place of", *head(before, screen), *screen.facts(origin(before, screen))]
    return [*lines, "", *left_out(told), *steps(told["steps"], screen)]


def _fate(memory: dict[str, Any], screen: Screen) -> list[tuple[str, str]]:
    """Name what became of a memory since it was said; a blank value means nothing."""
    times, denials, last = memory.get("recall_count", 0), memory.get("deny_count", 0), memory.get("last_recalled")
    return [
        ("said again", f"{_times(memory['seen_count'])} in all" if memory.get("seen_count", 1) > 1 else ""),
        ("recalled", f"{_times(times)}, last {screen.when(last)}" if times and last else "never"),
        ("denied", _times(denials) if denials else ""),
        ("contested", "a proposal that waits says otherwise" if memory.get("contested") else ""),
        ("id", memory["id"]),
    ]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


VERB = DaemonVerb(
    "why",
    "say how a memory comes to be known",
    "memtrigctl why user.tea",
    door=DATA,
    arguments=(Argument("key", "KEY", "the key it was saved under", required=False),),
    options=(Option("id", "--id", "ID", "its id, instead of a key"),),
    one_of=("key", "id"),
    document=lambda told: {"more": 0, "earlier": 0, **told},
    show=show,
)
