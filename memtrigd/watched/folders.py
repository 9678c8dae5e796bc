"""The folders of a daemon: what the owner asks about them, and the thread that follows them."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import structlog
from memtrig import wire
from memtrig.homes import Home
from msgspec.structs import replace

from memtrigd.domain import claim
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import Micros
from memtrigd.gate.policy import DEFAULT_SPACE
from memtrigd.gate.sessions import Ids
from memtrigd.store.interface import Hands
from memtrigd.store.interface_control import ControlReader
from memtrigd.watch import Watch
from memtrigd.watched import registry
from memtrigd.watched.desk import Desk
from memtrigd.watched.following import Folder
from memtrigd.watched.looking import unfit
from memtrigd.watched.registry import Entry

POLL: Final = 1.0
"""Seconds between looks where no watch tells of a change."""

Told: TypeAlias = Callable[[Any], None]

log = structlog.get_logger()


def at_once(run: Callable[[], None]) -> None:
    """Do something beside the loop."""
    threading.Thread(target=run, name="memtrigd-folders-now", daemon=True).start()


class Folders:
    """Follows folders. ``beside`` does something beside the loop."""

    def __init__(
        self,
        home: Home,
        desk: Desk,
        rows: ControlReader,
        ids: Ids,
        clock: Callable[[], Micros],
        *,
        beside: Callable[[Callable[[], None]], None] = at_once,
        poll: float | None = POLL,
    ) -> None:
        """With ``poll`` None nobody looks unasked."""
        self._home = home
        self._desk = desk
        self._ids = ids
        self._clock = clock
        self._beside = beside
        self._poll = poll
        self._looking = threading.Lock()
        self._kept = registry.kept(rows)
        living = (entry for entry in self._kept.values() if not entry.ended)
        self._folders = {entry.id: Folder(entry, desk.ending) for entry in living}
        self._watch: Watch | None = None

    def start(self) -> None:
        """Begin to follow; what changed while nobody did is taken up now."""
        if self._folders and self._watch is None and self._poll is not None and not self._desk.ending.is_set():
            self._watch = Watch("memtrigd-folders", self._places, self.look, poll=self._poll)
            self._watch.start()

    def stop(self) -> None:
        """Follow no more."""
        self._desk.stop()
        with self._looking:  # and nobody begins any more
            watch = self._watch
        if watch is not None:
            watch.stop()

    def shown(self) -> Sequence[wire.WatchedFolder]:
        """Every folder as it is, in the order of their paths."""
        return sorted((each.shown() for each in tuple(self._folders.values())), key=lambda each: each.path)

    def look(self) -> None:
        """Take up what changed, in each folder."""
        with self._looking:
            for folder in tuple(self._folders.values()):
                if self._desk.ending.is_set():
                    return
                before = folder.shown()
                folder.look(self._desk)
                _log(before, folder.shown())

    def list(self, told: Told) -> None:
        """Tell which folders are followed, and how they are."""
        told(wire.Watched(folders=[*self.shown()]))

    def add(self, request: wire.WatchAdd, told: Told) -> None:
        """Take up what a folder says, and follow it. Raises Refusal ``bad_level``, ``bad_value``, ``too_large``."""
        level, by = parse_level(request.level), registry.check_by(request.by)
        space = DEFAULT_SPACE if request.space is None else claim.name(request.space, "space")
        self._answer(partial(self._added, request.path, level, space, by), told)

    def remove(self, request: wire.WatchRemove, told: Told) -> None:
        """Follow a folder no more; it is kept, so that it goes on with its memories when it is added again."""
        self._answer(partial(self._removed, request.folder), told)

    def confirm(self, request: wire.WatchConfirm, told: Told) -> None:
        """Let memories close that are held, if they are as many as the owner says."""
        self._answer(partial(self._confirmed, request), told)

    def _answer(self, run: Callable[[], Folder], told: Told) -> None:
        """Do something beside the loop, as it may wait for a disk, and tell what it came to."""

        def work() -> None:
            outcome: Any
            try:
                with self._looking:
                    outcome = wire.Watched(folders=[run().shown()])
            except Exception as error:
                outcome = error
            with suppress(RuntimeError):  # the loop has ended: nobody waits any more
                self._desk.call(partial(told, outcome))

        self._beside(work)

    def _added(self, path: str, level: Level, space: str, by: str) -> Folder:
        real = registry.check_path(path, self._home)
        why = unfit(Path(real))
        if why is not None:
            raise Refusal("bad_value", f"{path} {why}.", "Name a folder of your own.")
        self._check_apart(real)
        if len(self._folders) >= registry.MOST:
            raise Refusal("too_large", f"{registry.MOST} folders are watched already.", "Remove one.")
        place = (real, level, space)
        old = next((each for each in self._kept.values() if (each.path, each.level, each.space) == place), None)
        fields = {"path": real, "level": level, "space": space, "by": by, "since": self._clock()}
        entry = Entry(id=old.id if old is not None else self._ids.session(level), **fields)  # type: ignore[arg-type]
        self._keep(entry)
        other = old is not None and old.by != by
        folder = self._folders[entry.id] = Folder(entry, self._desk.ending, anew=other)
        folder.look(self._desk)
        self.start()
        log.info("folder_watched", id=entry.id, classification=level.name, count=folder.shown().lines)
        return folder

    def _check_apart(self, real: str) -> None:
        """Raise Refusal ``bad_value`` for a folder that is watched already, or that lies in one that is."""
        for folder in self._folders.values():
            if os.path.commonpath((real, folder.entry.path)) in (real, folder.entry.path):
                raise Refusal(
                    "bad_value",
                    f"{folder.entry.path} is watched already, at {folder.entry.level.name}.",
                    "`memtrigctl watch remove` it first.",
                )

    def _removed(self, named: str) -> Folder:
        folder = self._named(named)
        self._keep(replace(folder.entry, ended=True))
        del self._folders[folder.entry.id]
        log.info("folder_not_watched", id=folder.entry.id)
        return folder

    def _confirmed(self, request: wire.WatchConfirm) -> Folder:
        folder = self._named(request.folder)
        folder.look(self._desk, confirmed=request.count)
        return folder

    def _named(self, named: str) -> Folder:
        real = os.path.realpath(named) if Path(named).is_absolute() and "\0" not in named else None
        for folder in self._folders.values():
            if named in (folder.entry.id, folder.entry.path) or real == folder.entry.path:
                return folder
        raise Refusal("not_found", "No such folder is watched.", "`memtrigctl watch list` shows them.")

    def _keep(self, entry: Entry) -> None:
        def keep(hands: Hands) -> None:
            registry.keep(entry, hands.control)

        self._desk.note(keep)
        self._kept[entry.id] = entry

    def _places(self) -> Iterator[Path]:
        for folder in tuple(self._folders.values()):
            yield from folder.folders


def _log(before: wire.WatchedFolder, now: wire.WatchedFolder) -> None:
    """Tell of what changed, in figures."""
    if now.held and now.held != before.held:
        log.warning("folder_held", id=now.id, count=now.held)
    if (len(now.troubles), now.more) > (len(before.troubles), before.more):
        log.warning("folder_troubled", id=now.id, count=len(now.troubles) + now.more)
