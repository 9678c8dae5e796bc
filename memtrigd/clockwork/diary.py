"""The diary: what each level's last dream cycle came to, in figures, kept in control.db over restarts."""

from typing import Any

import msgspec
import structlog
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.writer import WriterLane

log = structlog.get_logger()


class Diary:
    """``last`` has each level's last cycle. A line that can't be read, of a later version, is none."""

    def __init__(self, rows: ControlReader, writers: WriterLane) -> None:
        self._writers = writers
        self.last: dict[Level, wire.Dream] = {}
        for level in Level:
            kept = rows.setting(_setting(level))
            if kept is not None and (dream := _read(kept)) is not None:
                self.last[level] = dream

    def keep(self, level: Level, dream: wire.Dream) -> None:
        """Keep a level's cycle in place of the one before; in force at once, on disk soon."""
        self.last[level] = dream
        line = msgspec.json.encode(dream).decode()
        self._writers.submit(None, lambda hands: hands.control.set_setting(_setting(level), line), _kept)


def _setting(level: Level) -> str:
    return f"dream.{level.slug}"


def _read(line: str) -> wire.Dream | None:
    try:
        return msgspec.json.decode(line, type=wire.Dream)
    except msgspec.DecodeError:
        return None


def _kept(outcome: Any) -> None:
    if isinstance(outcome, Exception):
        log.error("dream_not_kept", kind=type(outcome).__name__)
