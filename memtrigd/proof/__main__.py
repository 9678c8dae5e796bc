"""The process in which work is done apart: it reads the work from its standard input and tells there what it comes to.

The daemon starts it, and nobody else has a use for it.
"""

import contextlib
import os
import sys
import threading
import time
import traceback
from typing import Final

import msgspec

from memtrigd.clockwork.pipe import Fault, Outcome, Progress, Refused, receive, send
from memtrigd.domain.errors import Refusal
from memtrigd.proof.works import Work, perform

NICE: Final = 10
"""How much less it gets of a busy processor than the daemon, as nice(1) counts."""
EVERY: Final = 0.2
"""Seconds between two tellings of how far it is."""


def main() -> None:
    """Do one piece of work. What is asked and told are messages of ``memtrigd.clockwork.pipe``."""
    os.umask(0o077)
    with contextlib.suppress(OSError):
        os.nice(NICE)
    body = receive(sys.stdin.buffer)
    if body is None:
        return
    threading.Thread(target=_end_with_the_daemon, daemon=True).start()
    try:
        work: Work = msgspec.msgpack.decode(body, type=Work)
        value = perform(work, _Teller().heard)
        send(sys.stdout.buffer, Outcome(msgspec.Raw(msgspec.msgpack.encode(value))))
    except Refusal as refusal:
        send(sys.stdout.buffer, Refused(refusal.code, refusal.message, refusal.hint, refusal.retryable))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{last.filename.rpartition('/')[2]}:{last.lineno}:{last.name}"
        send(sys.stdout.buffer, Fault(type(error).__name__, where))


def _end_with_the_daemon() -> None:
    """Wait for the end of the input: the daemon is gone then, or does not want to hear any more."""
    sys.stdin.buffer.read(1)
    os._exit(1)


class _Teller:
    """Tells how far it is, as often as anybody reads."""

    def __init__(self) -> None:
        self._next = 0.0

    def heard(self, progress: Progress) -> None:
        now = time.monotonic()
        if now >= self._next or not progress.of:
            self._next = now + EVERY
            send(sys.stdout.buffer, progress)


if __name__ == "__main__":
    main()
