"""What soon ends: the one rule behind expire, review and the notices."""

from collections.abc import Iterator

from memtrigd.domain.memory import Memory, Status
from memtrigd.domain.recall import SOON
from memtrigd.serve.turn import Turn
from memtrigd.store.interface import LevelReader


def ending(turn: Turn, reader: LevelReader) -> Iterator[Memory]:
    """The memories of a level that the caller sees and that end within ``SOON``, the newest first."""
    for row in reader.select(turn.view.spaces, [Status.ACTIVE.value], expires_before=turn.now + SOON):
        if row.served(turn.now) and turn.view.serves(row, turn.now):
            yield row
