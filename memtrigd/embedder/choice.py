"""Which model is wanted: what the daemon and what memtrigctl's questions about the model read of the configuration."""

import os

from msgspec import Struct


class Choice(Struct, frozen=True):
    """Which model is wanted: ``on`` with no ``directory`` means the one that is installed with memtrigd."""

    on: bool = True
    directory: str | None = None


def choice(on: bool | None, directory: str | None) -> Choice:
    """What was said; where nothing was said of ``on``, the environment can say no (MEMTRIG_SEMANTIC=off)."""
    return Choice(os.environ.get("MEMTRIG_SEMANTIC") != "off" if on is None else on, directory)
