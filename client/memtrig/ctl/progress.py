"""How far the daemon is with something long: one line on stderr, written over and over, where that is a terminal."""

from __future__ import annotations

import sys

from memtrig.ctl.output import screen_of
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ERASE = "\r\x1b[K"
"""Back to the beginning of the line, and nothing behind it."""


def is_wanted() -> bool:
    """Tell whether anybody would see it."""
    return sys.stderr is not None and sys.stderr.isatty()


def show(notice: dict[str, Any]) -> None:
    """Write what a notice says in the place of the one before."""
    text = one_line(f"{notice.get('level', '')}: {notice.get('text', '')}")
    columns = screen_of(sys.stderr).columns or 80
    print(f"{ERASE}{text[: columns - 1]}", end="", file=sys.stderr, flush=True)


def clear() -> None:
    """Take the line away, for what comes after it."""
    print(ERASE, end="", file=sys.stderr, flush=True)
