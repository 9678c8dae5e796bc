"""Whether the last stop was a clean one: a mark in control.db that is there while the daemon runs."""

from typing import Final

import structlog
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.writer import WriterLane

MARK: Final = "running_since"

log = structlog.get_logger()


def begin(rows: ControlReader, writers: WriterLane, now: Micros) -> list[wire.Left]:
    """Leave the mark; return what the last run left if nobody stopped it: the same for each level."""
    since = rows.setting(MARK)
    writers.submit(None, lambda hands: hands.control.set_setting(MARK, str(now)), _heard)
    if since is None:
        return []
    what, at = "the daemon ended without being stopped", to_iso(int(since))
    became = "every write that was acknowledged is there; one that was not is there as a whole or not at all"
    return [wire.Left(what=what, level=level.name, at=at, became=became) for level in Level]


def end(writers: WriterLane) -> None:
    """Take the mark away, as the last that is written."""
    writers.submit(None, lambda hands: hands.control.drop_setting(MARK), _heard)


def _heard(outcome: object) -> None:
    if isinstance(outcome, Exception):
        log.error("stop_not_marked", kind=type(outcome).__name__)
