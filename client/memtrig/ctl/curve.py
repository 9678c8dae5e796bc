"""A sketch of forgetting for a terminal: what a year leaves of a memory that nobody mentions."""

from __future__ import annotations

from math import log

DAILY = 0.995
"""Share of importance left after a day: memtrigd's DAILY_RETENTION."""
WEEKS = 53
"""Columns of the sketch, one for each week of a year."""
ROWS = 4
MARGIN = 6
"""Columns before the sketch."""
_EIGHTHS = " ▁▂▃▄▅▆▇█"


def sketch() -> list[str]:
    """Draw 0.995 ** days over a year, and the days below it."""
    left = [DAILY ** (7 * week) for week in range(WEEKS)]
    lines = []
    for row in reversed(range(ROWS)):
        label = {ROWS - 1: "1.0", 0: "0.0"}.get(row, "")
        bars = "".join(_EIGHTHS[round(8 * max(0.0, min(1.0, share * ROWS - row)))] for share in left)
        lines.append(f"{label:>{MARGIN - 1}} {bars.rstrip()}")
    days = "today".ljust(WEEKS // 2 - 2) + "half a year".ljust(WEEKS // 2 - 3) + "a year"
    return [*lines, " " * MARGIN + days]


def mark(mean: float, name: str) -> str:
    """Point from below at the place of a mean importance: so long was it unmentioned, were it one memory."""
    days = max(0.0, log(mean) / log(DAILY)) if mean > 0 else float("inf")
    within = days < 7 * WEEKS
    week = min(WEEKS - 1, round(days / 7)) if within else WEEKS - 1
    note = f"{name}: {mean:.2f}, as after " + (f"{days:.0f} days" if within else "over a year")
    before = week - len(note) - 1
    return " " * MARGIN + (" " * before + note + " ▲" if before >= 0 else " " * week + "▲ " + note)
