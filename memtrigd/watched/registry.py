"""Which folders are watched: in control.db, over restarts. Their levels are the owner's word; no content is named."""

import os
from pathlib import Path
from typing import Final

import msgspec
import structlog
from memtrig.homes import Home
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Source
from memtrigd.domain.moments import Micros
from memtrigd.store.interface_control import ControlReader, ControlWriter

PREFIX: Final = "watch."
MOST: Final = 32
"""Folders that are watched at most."""
BY: Final = {"me": Source.FILE_IMPORT, "agent": Source.SELF_INFERRED}
"""Who writes in a folder, and what a line of it counts as."""

log = structlog.get_logger()


class Entry(Struct, frozen=True, kw_only=True):
    """A folder as the owner named it. Times in microseconds UTC. One that is watched no more is kept, for its id."""

    id: str
    path: str
    level: Level
    space: str
    by: str
    since: Micros
    ended: bool = False

    @property
    def source(self) -> Source:
        """What a line of it counts as."""
        return BY.get(self.by, Source.SELF_INFERRED)


def kept(rows: ControlReader) -> dict[str, Entry]:
    """The folders that are kept, by id. One of a later version, which can't be read, is logged and left alone."""
    found = dict[str, Entry]()
    for name, value in rows.settings(PREFIX).items():
        try:
            found[name.removeprefix(PREFIX)] = msgspec.json.decode(value, type=Entry)
        except msgspec.DecodeError:
            log.error("folder_not_read", id=name.removeprefix(PREFIX))
    return found


def keep(entry: Entry, control: ControlWriter) -> None:
    """Keep a folder."""
    control.set_setting(PREFIX + entry.id, msgspec.json.encode(entry).decode())


def check_path(path: str, home: Home) -> str:
    """The real path of what the owner names. Raises Refusal ``bad_value`` where it can't be watched."""
    if "\0" in path or not Path(path).is_absolute():
        raise _bad("The path is not absolute.", "memtrigctl makes it so.")
    real = os.path.realpath(path)
    if real == os.sep:
        raise _bad("The whole file system can't be watched.", "Name the folder with the notes.")
    for own in (home.config, home.state, home.run):
        ours = os.path.realpath(own)
        if os.path.commonpath((ours, real)) in (ours, real):
            raise _bad("The folder holds memtrigd's own files, or lies among them.", "Name the folder with the notes.")
    return real


def _bad(message: str, hint: str) -> Refusal:
    return Refusal("bad_value", message, hint)


def check_by(by: str) -> str:
    """Who writes there. Raises Refusal ``bad_value``."""
    if by not in BY:
        raise _bad(f"{by[:40]!r} is nobody who writes in a folder.", f"Say one of: {' '.join(BY)}.")
    return by
