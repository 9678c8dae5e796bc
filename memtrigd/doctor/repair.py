"""Repair: the indexes of a level are made anew from its rows, a few memories at a time, after a backup.

What is done is kept in control.db until it was looked over, so that a daemon that is cut off goes on with it when it
starts. Rows stay as they are: what is wrong with one comes back from a backup or not at all.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from memtrig import wire

from memtrigd.doctor.findings import fail, ok
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.search.analyser import VERSION, terms_of
from memtrigd.store import reindex
from memtrigd.store.control import ANALYSED
from memtrigd.store.database import open_reader
from memtrigd.store.examination import LEXICON, Examined, examine
from memtrigd.store.replica import keep_pages
from memtrigd.store.restore import REPLACED
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.verification import Pace

SLICE: Final = 0.01
"""Seconds for which the writer is held at a time."""
UNDER_WAY: Final = "repair."
"""Begins the settings that tell of a level whose indexes are being made anew."""

Work: TypeAlias = Callable[[Any], Any]
"""Something that is done with the handle that writes a level, in a transaction of its own."""


class Surgery:
    """How a repair gets at the store: through the writer's lane of a daemon, or alone with the files.

    ``write`` does some work at a level and waits for it, ``note`` keeps or (with None) drops a setting of control.db,
    ``back_up`` backs levels up and returns the name, None where a level could not be read as a whole.
    """

    def __init__(
        self,
        state: Path,
        write: Callable[[Level, Work], Any],
        note: Callable[[str, str | None], None],
        back_up: Callable[[list[Level]], tuple[str, list[Level]]],
    ) -> None:
        self.state = state
        self.write = write
        self.note = note
        self.back_up = back_up


def repaired(surgery: Surgery, sick: Mapping[Level, Examined], at: int, pace: Pace) -> list[wire.Finding]:
    """Make the indexes of some levels anew; what they were like is backed up first. Raises Refusal ``disk_full``."""
    if not sick:
        return [ok("repair", "Every index is what its rows ask for: nothing was done.")]
    name, lacking = surgery.back_up(list(sick))
    for level in lacking:  # its indexes are too damaged for a backup to be sound: its pages are kept as they are
        keep_pages(surgery.state, level, surgery.state / REPLACED / str(at), pace)
    return [
        _repaired(surgery, level, found, f"{REPLACED}/{at}" if level in lacking else name, pace)
        for level, found in sick.items()
    ]


def resumed(surgery: Surgery, level: Level, copy: str, pace: Pace) -> wire.Finding:
    """Go on with a level whose repair was cut off; ``copy`` is what was kept of it before."""
    return _repaired(surgery, level, examine(surgery.state, level, open_reader, terms_of, pace), copy, pace)


def reanalysed(surgery: Surgery, level: Level, pace: Pace) -> int:
    """Make the entries anew that another analyser made; return how many that were.

    Nothing is backed up, for nothing is wrong with them. An index that is damaged is left to a repair. Cut off, it
    is gone on with at the next start: only when all is done that is kept.
    """
    found = _look(surgery, level, pace)
    if not found.broken and found.index:
        _renew(surgery, level, sorted(found.stray), pace)
        surgery.write(level, reindex.total)
    surgery.note(f"{ANALYSED}{level.slug}", f"{VERSION}")
    return len(found.stray)


def _repaired(surgery: Surgery, level: Level, found: Examined, copy: str, pace: Pace) -> wire.Finding:
    try:
        surgery.note(f"{UNDER_WAY}{level.slug}", copy)
        left = _operate(surgery, level, found, pace)
    except Refusal as refusal:
        if refusal.code == "stopping":
            raise
        why = refusal.message
        return fail(
            "repair", f"The indexes of {file_name(level)} could not be made anew: {why}", _back(level, copy), level
        )
    if left.index or left.schema or left.torn:
        says = f"{file_name(level)} is still not as it should be."
        return fail("repair", says, _back(level, copy), level)
    surgery.note(f"{UNDER_WAY}{level.slug}", None)
    return ok(
        "repair", f"The indexes of {file_name(level)} are made anew; as it was before, it is kept in {copy}.", level
    )


def _operate(surgery: Surgery, level: Level, found: Examined, pace: Pace) -> Examined:
    """Make anew what is wrong, from the least to all of it; return what it looks like then."""
    rest = found.broken - {LEXICON}
    if rest:
        surgery.write(level, partial(reindex.rebuild, indexes=rest))
        found = _look(surgery, level, pace)
    if LEXICON not in found.broken and found.stray:
        _renew(surgery, level, sorted(found.stray), pace)
    if LEXICON not in found.broken and found.index:
        surgery.write(level, reindex.total)
        found = _look(surgery, level, pace)
    if found.mendable:  # an entry that its own index does not know of can't be taken out: all of it, in one piece
        prepared = reindex.prepare(surgery.state, level, terms_of, pace)
        surgery.write(level, partial(reindex.replace, level=level, prepared=prepared, terms_of=terms_of))
        found = _look(surgery, level, pace)
    return found


def _renew(surgery: Surgery, level: Level, numbers: list[int], pace: Pace) -> None:
    while numbers:
        work = partial(reindex.renew, level=level, numbers=numbers, terms_of=terms_of, seconds=SLICE)
        del numbers[: surgery.write(level, work)]
        pace()


def _look(surgery: Surgery, level: Level, pace: Pace) -> Examined:
    return examine(surgery.state, level, open_reader, terms_of, pace)


def _back(level: Level, copy: str) -> str:
    back = f"`memtrigctl restore --level {level.slug}` puts back the newest backup"
    return f"As it was before, it is kept in {copy}; {back}."
