"""Recall stamps: gathered while answers go out and written in batches behind them, always at the reader's own level."""

from collections import defaultdict, deque
from collections.abc import Callable
from functools import partial, reduce
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
        self._under_way = 0

    def note(self, level: Level, memory_id: str, at: Micros) -> None:
        """Note that a reader of ``level`` recalled a memory."""
        self._noted.append((level, memory_id, at))

    def flush(self) -> None:
        """Queue what was noted, one short job for each memory, so that others write in between.

        Nothing is queued while the last are still to be written: recalls then wait here, where they are bounded.
        """
        if self._under_way:
            return
        recalled: defaultdict[tuple[Level, str], list[Micros]] = defaultdict(list)
        while self._noted:
            level, memory_id, at = self._noted.popleft()
            recalled[level, memory_id].append(at)
        for (level, memory_id), moments in recalled.items():
            self._under_way += 1
            self._writers.submit(level, partial(_stamp, memory_id, moments), self._written)

    def _written(self, outcome: object) -> None:
        """Nobody waits for it: a stamp that is lost is a recall forgotten."""
        self._under_way -= 1


def _stamp(memory_id: str, moments: list[Micros], hands: Hands) -> None:
    store = hands.writer
    assert store is not None
    own = store.by_id(memory_id)
    if own is not None:
        served = [at for at in moments if own.served(at) and not own.deny_count]
        if served:
            store.stamp(reduce(reinforced, served, own))
        return
    row = next(filter(None, (reader.by_id(memory_id) for reader in hands.readers.values())), None)
    if row is not None:
        recall_below(store, row, moments)
