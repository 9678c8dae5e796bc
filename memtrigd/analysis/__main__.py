"""The process in which records are screened and analysed: it answers batch after batch, and ends when none comes.

The daemon starts it, and nobody else has a use for it. It holds no file, and keeps nothing between two batches.
"""

import contextlib
import os
import select
import sys
import traceback
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Raw

from memtrigd.analysis.messages import Preparing
from memtrigd.clockwork.pipe import Fault, Outcome, Progress, Refused, receive, send
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.serve.handlers import imports
from memtrigd.serve.screening import prepared

NICE: Final = 5
"""How much less it gets of a busy processor than the daemon, as nice(1) counts: agents come before an import."""
IDLE: Final = 30.0
"""Seconds without a batch after which it ends."""

_zone: Final = lru_cache(ZoneInfo)


def main() -> None:
    """Say that it is there, then answer. What is asked and told are messages of ``memtrigd.clockwork.pipe``."""
    os.umask(0o077)
    with contextlib.suppress(OSError):
        os.nice(NICE)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    decode = msgspec.msgpack.Decoder(Preparing).decode
    send(sink, Progress(Level.PUBLIC, "ready"))
    while select.select([source], [], [], IDLE)[0] and (body := receive(source)) is not None:
        try:
            asked = decode(body)
            _, batch = prepared(imports.prepare, asked.request, asked.actor, _zone(asked.zone))
            send(sink, Outcome(Raw(msgspec.msgpack.encode(batch))))
        except Refusal as refusal:
            send(sink, Refused(refusal.code, refusal.message, refusal.hint, refusal.retryable))
        except BrokenPipeError:
            return
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{last.filename.rpartition('/')[2]}:{last.lineno}:{last.name}"
            send(sink, Fault(type(error).__name__, where))


if __name__ == "__main__":
    main()
