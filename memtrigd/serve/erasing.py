"""Erasing on the wire: the rows go in a transaction, then their bytes go from the file and its log, then it is said."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.store.interface import Hands

Replied: TypeAlias = Callable[[wire.Result | Exception], None]


class Writers(Protocol):
    """The lane of the one writer."""

    def submit(
        self, level: Level | None, run: Callable[[Hands], Any], done: Callable[[Any], None], line: str | None = None
    ) -> None:
        """Run ``run`` in a transaction of ``level``."""

    def scrub(self, level: Level, done: Callable[[Any], None]) -> None:
        """Let nothing that was deleted at a level remain on the disk."""


def erase(writers: Writers, level: Level, run: Callable[[Hands], wire.Result], reply: Replied) -> None:
    """Erase with ``run`` at a level, then scrub its file, and only then ``reply``.

    A retry that is answered from memory scrubs again: the first try may have been cut off between the two. Where the
    scrub is refused the refusal is the answer: the rows are gone then, and the log still has their bytes.
    """

    def erased(outcome: Any) -> None:
        if isinstance(outcome, Exception) or outcome.dry_run:
            reply(outcome)
            return

        def scrubbed(refusal: Any) -> None:
            reply(refusal if isinstance(refusal, Exception) else outcome)

        writers.scrub(level, scrubbed)

    writers.submit(level, run, erased)
