"""From a question to hits in their order."""

from msgspec import Struct

from memtrigd.domain.levels import Level


class Hit(Struct, frozen=True):
    """A memory that answers; ``document`` is its number in the store of ``level``, ``why`` what speaks for it."""

    score: float
    level: Level
    document: int
    why: tuple[str, ...] = ()
