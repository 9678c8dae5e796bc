"""An answer that is asked for again and again: drawn anew in its place on a terminal, one after the other elsewhere."""

from __future__ import annotations

import sys
import time

from memtrig.ctl.failure import Failure
from memtrig.ctl.output import print_json, print_lines, screen_of, warn_incomplete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.grammar import DaemonVerb

HOME = "\x1b[H"
"""Puts the cursor on the first place of the terminal."""
CLEAR_LINE, CLEAR_BELOW = "\x1b[K", "\x1b[J"


def watch(verb: DaemonVerb, door: Door, given: dict[str, Any], as_json: bool) -> int:
    """Ask what a verb asks every so many seconds, until Ctrl-C. A daemon that is away for a while is waited for.

    Returns the exit code. Raises Failure for what waiting does not mend.
    """
    assert verb.every is not None
    try:
        if screen_of(sys.stdout).columns is not None and not as_json:
            print_lines([f"{HOME}{CLEAR_BELOW}"])
        while True:
            _look(verb, door, given, as_json)
            sys.stdout.flush()
            time.sleep(verb.every)
    except KeyboardInterrupt:
        return 0


def _look(verb: DaemonVerb, door: Door, given: dict[str, Any], as_json: bool) -> None:
    screen = screen_of(sys.stdout)
    try:
        reply = door.ask_for(verb, given)
    except Failure as failure:
        if not failure.retryable and failure.code != "daemon_down":
            raise
        if as_json:
            error = {"code": failure.code, "message": failure.message, "hint": failure.hint, "retryable": True}
            print_json({"error": error}, [])
        else:
            _draw([f"{failure.message} Waiting for it."], drawn=screen.columns is not None)
        return
    if as_json:
        print_json(verb.document(reply.result), reply.incomplete)
        return
    warn_incomplete(reply.incomplete)
    _draw(verb.show(reply.result, screen), drawn=screen.columns is not None)


def _draw(lines: list[str], *, drawn: bool) -> None:
    """Put lines in the place of those before; what no terminal shows follows, with an empty line between."""
    if drawn:
        print_lines([HOME + "\n".join(f"{line}{CLEAR_LINE}" for line in lines) + f"\n{CLEAR_BELOW}"])
    else:
        print_lines([*lines, ""])
