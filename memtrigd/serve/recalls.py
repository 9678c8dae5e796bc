"""Recall stamps: gathered while answers go out and written in batches behind them, always at the reader's own level."""

from collections import defaultdict, deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Protocol

from memtrigd.domain.forgetting import reinforced
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.serve.below import recall_below
from memtrigd.store.interface import Hands

EVERY: Final = 2.0
"""Seconds between batches: a crash forgets that much of what was recalled, and nothing of what was said."""
KEPT: Final = 10_000
"""Recalls that wait at most; the oldest give way, for a stamp is not worth a queue without end."""


class Writers(Protocol):
    """The writer's lane."""

    def submit(self, level: Level | None, run: Callable[[Hands], Any], done: Callable[[Any], None]) -> None:
        """Run ``run`` in a transaction of ``level``."""


class Recalls:
    """Gathers from all threads; ``flush`` runs on the loop's."""

    def __init__(self, writers: Writers) -> None:
        self._writers = writers
        self._noted: deque[tuple[Level, str, Micros]] = deque(maxlen=KEPT)

    def note(self, level: Level, memory_id: str, at: Micros) -> None:
        """Note that a reader of ``level`` recalled a memory."""
        self._noted.append((level, memory_id, at))

    def flush(self) -> None:
        """Queue what was noted, one job for each level."""
        batches: defaultdict[Level, list[tuple[str, Micros]]] = defaultdict(list)
        while self._noted:
            level, memory_id, at = self._noted.popleft()
            batches[level].append((memory_id, at))
        for level, batch in batches.items():
            self._writers.submit(level, partial(_stamp, batch), _nobody_waits)


def _nobody_waits(outcome: object) -> None:
    """A stamp that is lost is a recall forgotten."""


def _stamp(batch: list[tuple[str, Micros]], hands: Hands) -> None:
    store = hands.writer
    assert store is not None
    for memory_id, at in batch:
        own = store.by_id(memory_id)
        if own is not None:
            if own.served(at) and not own.deny_count:
                store.stamp(reinforced(own, at))
            continue
        row = next(filter(None, (reader.by_id(memory_id) for reader in hands.readers.values())), None)
        if row is not None:
            recall_below(store, row, at)
