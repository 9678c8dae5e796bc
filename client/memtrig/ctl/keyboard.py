"""One key at a time from the terminal, without Enter."""

from __future__ import annotations

import os
import sys
import termios
import tty
from select import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

ESCAPE = 0x1B
END = "\x04"
"""What Ctrl-D sends; it stands for a terminal that is gone too."""
REST = 0.02
"""Seconds in which the rest of a key of several bytes follows its first."""


def ask(prompt: str, keys: Container[str]) -> str:
    """Print a prompt, wait for one of some keys, and return its character, in lower case; other keys do nothing.

    The terminal listens before the prompt is there, so that no answer comes too early.
    """
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        print(prompt, end="", flush=True)
        key = _read(terminal)
        while key not in keys:
            key = _read(terminal)
        return key
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _read(terminal: int) -> str:
    """Read a key; one that is not ASCII, such as an arrow, is an empty text."""
    first = os.read(terminal, 1)
    if not first:
        return END
    if first[0] != ESCAPE and first[0] < 0x80:
        return first.decode("ascii").lower()
    while select([terminal], [], [], REST)[0] and os.read(terminal, 1):
        pass
    return ""
