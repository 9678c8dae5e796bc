"""``memtrigctl stats``: how much is known, and how it fades."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, DaemonVerb
from memtrig.ctl.records import beginning
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memtrig.ctl.render import Screen

SKETCHED_FROM = 80
"""Columns of a terminal on which the curve has room beside its marks."""


def show(statistics: dict[str, Any], screen: Screen) -> list[str]:
    """Show the figures of each level, the memories that fade away, and on a terminal the curve of forgetting."""
    levels = statistics["levels"]
    lines = screen.table(("LEVEL", "CORE", "MEAN", "STATUS"), [_figures(level) for level in levels])
    kinds = [(level["level"], _counts(level["kinds"])) for level in levels if level["kinds"]]
    if kinds:
        lines += ["", *screen.table(("LEVEL", "KINDS"), kinds)]
    if screen.columns is not None and screen.columns >= SKETCHED_FROM:
        lines += ["", *_curve(levels)]
    lines += _some("Weakest", "LEFT", statistics["weakest"], lambda m: f"{m['effective_importance']:.2f}", screen)
    return lines + _some("Longest unmentioned", "SINCE", statistics["stalest"], lambda m: _since(m, screen), screen)


def _figures(level: dict[str, Any]) -> tuple[str, str, str, str]:
    mean = level["mean_importance"]
    return level["level"], f"{level['core']:,}", "-" if mean is None else f"{mean:.2f}", _counts(level["statuses"])


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "none"


def _curve(levels: list[dict[str, Any]]) -> list[str]:
    """Sketch the curve, and mark on it the mean of each level."""
    from memtrig.ctl.curve import mark, sketch

    means = [(level["mean_importance"], one_line(level["level"])) for level in levels]
    marks = [mark(mean, name) for mean, name in means if mean is not None]
    return ["What a year leaves of a memory that nobody mentions", *sketch(), *marks]


def _some(
    title: str, column: str, memories: list[dict[str, Any]], value: Callable[[dict[str, Any]], str], screen: Screen
) -> list[str]:
    rows = [(m["key"], m["level"], value(m), beginning(m)) for m in memories]
    return ["", screen.bold(title), *screen.table(("KEY", "LEVEL", column, "MEMORY"), rows)] if rows else []


def _since(memory: dict[str, Any], screen: Screen) -> str:
    return screen.when(memory.get("last_recalled") or memory["updated"])


VERB = DaemonVerb(
    "stats",
    "show how much is known, and how it fades",
    "memtrigctl stats --level internal",
    door=DATA,
    show=show,
)
