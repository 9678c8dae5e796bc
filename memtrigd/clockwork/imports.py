"""Imports under way: a backup of their levels first, and marks in control.db until the end, which name no content.

The records themselves are with the client. What a crash cut off is told of at the next start; the same import again
takes what is missing, since each record is known by its key and text.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import structlog
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.writer import WriterLane

MARK: Final = "import."
"""Of the settings that say which imports are under way, one for each level: its name, and since when."""

log = structlog.get_logger()


def begun(
    writers: WriterLane, levels: Sequence[Level], now: Micros, backup: wire.Copy, told: Callable[[Any], None]
) -> None:
    """Leave the marks of an import, by the name of its backup; ``told`` gets what the client needs, or an error."""

    def kept(outcome: Any) -> None:
        told(outcome if isinstance(outcome, Exception) else wire.ImportBegun(id=backup.name, backup=backup))

    def keep(hands: Any) -> None:
        for level in levels:
            hands.control.set_setting(_mark(backup.name) + level.slug, f"{level.slug} {now}")

    writers.submit(None, keep, kept)


def end(writers: WriterLane, rows: ControlReader, request: wire.ImportEnd, told: Callable[[Any], None]) -> None:
    """Take its marks away. Raises Refusal ``not_found`` where there are none."""
    names = [*rows.settings(_mark(request.id))]
    if not names:
        raise Refusal("not_found", "No such import is under way.", "It was ended, or the daemon was started anew.")

    def dropped(outcome: Any) -> None:
        told(outcome if isinstance(outcome, Exception) else wire.ImportEnded(id=request.id))

    def drop(hands: Any) -> None:
        for name in names:
            hands.control.drop_setting(name)

    writers.submit(None, drop, dropped)


def _mark(import_id: str) -> str:
    """How the names of an import's marks begin."""
    return f"{MARK}{import_id}/"


def cut_off(writers: WriterLane, rows: ControlReader) -> list[wire.Left]:
    """Tell which imports the last stop cut off, and take their marks away."""
    left = []
    for name, value in rows.settings(MARK).items():
        slug, _, at = value.partition(" ")
        level = parse_level(slug).name
        became = "what was taken is there; the same import again takes the rest"
        left.append(wire.Left(what="an import", level=level, at=to_iso(int(at)), became=became))
        writers.submit(None, _dropping(name), _heard)
        log.warning("import_cut_off", classification=level)
    return left


def _dropping(name: str) -> Callable[[Any], None]:
    return lambda hands: hands.control.drop_setting(name)


def _heard(outcome: object) -> None:
    if isinstance(outcome, Exception):
        log.error("import_mark_not_dropped", kind=type(outcome).__name__)
