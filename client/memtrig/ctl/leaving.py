"""A process of the daemon's code that reads or writes files of memories, and what it tells map by map."""

from __future__ import annotations

import subprocess
import sys

import msgpack

from memtrig.ctl.failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LONGEST = 64 << 20
"""Bytes of one thing that is told."""


class Apart:
    """A process of ``memtrigd.exchange``; iterating gives what it tells, the map that ends it too. Raises Failure."""

    def __init__(self, module: str, *words: str) -> None:
        command = [sys.executable, "-P", "-m", f"memtrigd.exchange.{module}", *words]  # -P: nothing of the cwd is run
        self._process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
        )

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdout is not None
        if self._process.poll() is None:
            self._process.terminate()
        self._process.stdout.close()
        self._process.wait()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for told in msgpack.Unpacker(self._process.stdout, max_buffer_size=LONGEST):
            if told["type"] == "error":
                raise Failure(told["code"], told["message"], told["hint"])
            yield told
            if told["type"] == "end":
                return
        raise Failure("internal", "It came to no end.", "Please report this, with what is above.")


def progress(done: int, total: int) -> None:
    """Show on a terminal how far it is."""
    if sys.stderr is not None and sys.stderr.isatty():
        end = "\n" if done >= total else ""
        print(f"\r{done:,} of {total:,}", end=end, file=sys.stderr, flush=True)
