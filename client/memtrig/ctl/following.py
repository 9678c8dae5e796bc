"""A connection that stays: each notice is printed as it comes, until Ctrl-C."""

from __future__ import annotations

import sys

from memtrig.ctl.output import print_json, print_lines, screen_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.grammar import DaemonVerb


def follow(verb: DaemonVerb, door: Door, given: dict[str, Any], as_json: bool) -> int:
    """Subscribe and print each notice on a line of its own; on a terminal say first what is listened for.

    Returns the exit code of a listener who had enough. Raises Failure, also when the daemon goes away.
    """
    assert verb.follow is not None
    messages = door.follow(verb.request, verb.opening(given))
    try:
        for message in messages:
            screen = screen_of(sys.stdout)
            if "about" in message:
                print_json(verb.document(message), []) if as_json else print_lines([verb.follow(message, screen)])
            elif not as_json and screen.columns is not None:
                print_lines(verb.show(message, screen))
            sys.stdout.flush()
    except KeyboardInterrupt:
        pass
    return 0
