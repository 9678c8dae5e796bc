"""What a memory was, from the steps of its life."""

from collections.abc import Iterable
from typing import Any

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store.interface import Version


def state_at(versions: Iterable[Version], level: Level) -> Memory:
    """Return the memory as it was after the last of ``versions``: all of its life up to then, the oldest first.

    Recall stamps that were kept between two versions are in neither, and who contested it then is not told. Raises
    ValueError where the first step is missing.
    """
    state: dict[str, Any] = {}
    for version in versions:
        state |= version.fields
    try:
        return Memory(level=level, **state)
    except TypeError:
        raise ValueError("a memory's state needs its life from the first version on") from None
