"""What each level's backups and drills last came to: kept in control.db over restarts, each level's by itself."""

from typing import Any, Final

import msgspec
import structlog
from memtrig import wire
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.writer import WriterLane

PATIENCE: Final = 2
"""Periods after which a level without a new good backup is red."""

log = structlog.get_logger()


class Page(Struct, frozen=True):
    """One level's: the last good backup, the last try and why it failed, the last drill and whether it did.

    ``since`` is when the first backup was waited for, ``queued`` when an agent last asked for one.
    """

    since: Micros
    good: Micros | None = None
    failed: str | None = None
    drill: Micros | None = None
    drill_failed: bool = False
    queued: Micros | None = None

    def shown(self, now: Micros, every: Micros | None) -> wire.Copies:
        """What status tells of it; ``every`` is the period of backups, None while none are made by themselves."""
        late = every is not None and now - (self.since if self.good is None else self.good) > PATIENCE * every
        return wire.Copies(
            good=None if self.good is None else to_iso(self.good),
            failed=self.failed,
            drill=None if self.drill is None else to_iso(self.drill),
            drill_failed=self.drill_failed,
            red=late or self.failed is not None or self.drill_failed,
        )


class Copybook:
    """The pages. One that can't be read, of a later version, begins anew."""

    def __init__(self, rows: ControlReader, writers: WriterLane, now: Micros) -> None:
        self._writers = writers
        self.pages: dict[Level, Page] = {}
        for level in Level:
            kept = rows.setting(_setting(level))
            page = None if kept is None else _read(kept)
            if page is None:
                self.keep(level, Page(now))
            else:
                self.pages[level] = page

    def note(self, level: Level, **fields: Any) -> None:
        """Change a level's page; in force at once, on disk soon."""
        self.keep(level, msgspec.structs.replace(self.pages[level], **fields))

    def keep(self, level: Level, page: Page) -> None:
        """Keep a page in place of the one before."""
        self.pages[level] = page
        line = msgspec.json.encode(page).decode()
        self._writers.submit(None, lambda hands: hands.control.set_setting(_setting(level), line), _kept)


def _setting(level: Level) -> str:
    return f"backup.{level.slug}"


def _read(line: str) -> Page | None:
    try:
        return msgspec.json.decode(line, type=Page)
    except msgspec.DecodeError:
        return None


def _kept(outcome: Any) -> None:
    if isinstance(outcome, Exception):
        log.error("backup_not_noted", kind=type(outcome).__name__)
