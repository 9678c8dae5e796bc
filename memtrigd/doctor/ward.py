"""The ward: examining and mending while the daemon runs, in a lane of its own, with a rest after every bit of work."""

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

import structlog
from memtrig import wire
from memtrig.homes import Home

from memtrigd.doctor import repair
from memtrigd.doctor.examination import Live, examined
from memtrigd.doctor.repair import Surgery, Work
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.embedder.client import Condition
from memtrigd.gate.sessions import Sessions
from memtrigd.search.analyser import VERSION, terms_of
from memtrigd.store.control import ANALYSED
from memtrigd.store.database import open_reader
from memtrigd.store.examination import Examined, examine
from memtrigd.store.interface import Hands
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.lanes import ReadLane, stopping
from memtrigd.store.manifest import Manifest
from memtrigd.store.vault import Vault
from memtrigd.store.writer import WriterLane

SLICE: Final = 0.005
"""Seconds of work between two rests."""

Told: TypeAlias = Callable[[Any], None]
"""Gets a result or an exception, on the loop's thread."""

log = structlog.get_logger()


class Copyist(Protocol):
    """Makes backups, in a lane of its own."""

    def before_repair(self, levels: list[Level], told: Told) -> None:
        """Back levels up; ``told`` gets the manifest or an exception."""


class Ward:
    """Examines and mends, one request after the other."""

    def __init__(  # noqa: PLR0917 - the daemon's parts, each of its own type
        self,
        home: Home,
        vault: Vault,
        lane: ReadLane,
        writers: WriterLane,
        rows: ControlReader,
        sessions: Sessions,
        copyist: Copyist,
        clock: Callable[[], Micros],
        reindexed: Callable[[Level], None],
        model: Callable[[], Condition],
    ) -> None:
        """``reindexed`` is told of each level whose index was made anew, in the ward's lane."""
        self._home = home
        self._vault = vault
        self._lane = lane
        self._writers = writers
        self._rows = rows
        self._sessions = sessions
        self._copyist = copyist
        self._clock = clock
        self._reindexed = reindexed
        self._model = model
        self._ending = threading.Event()
        self._began = clock(), time.clock_gettime(_SINCE_BOOT)

    def stop(self) -> None:
        """End what is under way: a repair goes on when the daemon starts again."""
        self._ending.set()

    def doctor(self, request: wire.Doctor, pid: int, told: Told) -> None:
        """Examine everything, with ``repair`` after the indexes were mended."""
        live = Live(pid, dict(self._vault.unavailable), self._sessions.held(), self._drift(), self._model())

        def run(_: object) -> wire.Diagnosis:
            pace = self._pace()
            done = self._repaired(pace) if request.repair else []
            found = examined(self._home, self._clock(), live, pace)
            return wire.Diagnosis(findings=[*done, *found.findings], server=found.server, protocol=found.protocol)

        self._lane.submit(run, told)

    def resume(self) -> None:
        """Go on with the repairs that the last stop cut off; make anew what an older version's analyser made."""
        analysed = self._rows.settings(ANALYSED)
        for each in self._vault.writers():
            if each not in self._vault.unavailable and analysed.get(f"{ANALYSED}{each.slug}") != f"{VERSION}":
                self._lane.submit(partial(self._reanalysed, each), partial(_told_anew, each))
        for name, copy in self._rows.settings(repair.UNDER_WAY).items():
            level = next((each for each in Level if name == f"{repair.UNDER_WAY}{each.slug}"), None)
            if level is not None and level not in self._vault.unavailable:
                self._lane.submit(partial(self._resumed, level, copy), partial(_heard, level))

    def _resumed(self, level: Level, copy: str, _: object) -> wire.Finding:
        try:
            return repair.resumed(self._surgery(), level, copy, self._pace())
        finally:
            self._reindexed(level)

    def _reanalysed(self, level: Level, _: object) -> int:
        try:
            return repair.reanalysed(self._surgery(), level, self._pace())
        finally:
            self._reindexed(level)

    def _repaired(self, pace: Callable[[], None]) -> list[wire.Finding]:
        sick = dict[Level, Examined]()
        for level in self._vault.writers():
            if level not in self._vault.unavailable:
                found = examine(Path(self._home.state), level, open_reader, terms_of, pace)
                if found.mendable:
                    sick[level] = found
        try:
            return repair.repaired(self._surgery(), sick, self._clock(), pace)
        finally:
            for level in sick:
                self._reindexed(level)

    def _surgery(self) -> Surgery:
        return Surgery(Path(self._home.state), self._write, self._note, self._back_up)

    def _write(self, level: Level, work: Work) -> Any:
        """Work at a level on the writer's thread, between transactions, and wait for it."""
        connection = self._vault.writers()[level].connection
        return self._await(lambda done: self._writers.submit_alone(level, lambda _: work(connection), done))

    def _note(self, name: str, value: str | None) -> None:
        def keep(hands: Hands) -> None:
            if value is None:
                hands.control.drop_setting(name)
            else:
                hands.control.set_setting(name, value)

        self._await(lambda done: self._writers.submit(None, keep, done))

    def _back_up(self, levels: list[Level]) -> tuple[str, list[Level]]:
        try:
            made: Manifest = self._await(partial(self._copyist.before_repair, levels))
        except Refusal as refusal:
            if refusal.code != "level_unavailable":
                raise
            return "", levels  # none of them can be read as a whole
        return f"backup {made.name}", [level for level in levels if level not in made.levels]

    def _await(self, ask: Callable[[Told], None]) -> Any:
        """Ask another lane and wait for its outcome; this lane has nothing else to do. Raises what that raised."""
        there, outcome = threading.Event(), list[Any]()

        def told(each: Any) -> None:
            outcome.append(each)
            there.set()

        ask(told)
        while not there.wait(0.1):
            if self._ending.is_set():
                raise stopping()
        if isinstance(outcome[0], Exception):
            raise outcome[0]
        return outcome[0]

    def _drift(self) -> Micros:
        """How far the clock was set since the daemon began: forward if it is more than nothing."""
        at, ticks = self._began
        return self._clock() - at - round((time.clock_gettime(_SINCE_BOOT) - ticks) * 1_000_000)

    def _pace(self) -> Callable[[], None]:
        began = time.monotonic()

        def rest() -> None:
            nonlocal began
            worked = time.monotonic() - began
            if worked >= SLICE:
                if self._ending.wait(min(worked, 10 * SLICE)):
                    raise stopping()
                began = time.monotonic()

        return rest


def _told_anew(level: Level, outcome: Any) -> None:
    """Log what became of an index that another analyser had made; one that was cut off is gone on with."""
    if isinstance(outcome, Refusal) and outcome.code == "stopping":
        return
    if isinstance(outcome, Exception):
        log.error("index_not_reanalysed", classification=level.name, kind=type(outcome).__name__)
    elif outcome:
        log.info("index_reanalysed", classification=level.name)


def _heard(level: Level, outcome: Any) -> None:
    """Log what became of a repair that was gone on with."""
    if isinstance(outcome, Exception):
        log.error("index_not_mended", classification=level.name, kind=type(outcome).__name__)
    elif outcome.verdict == "ok":
        log.warning("index_mended", classification=level.name)
    else:
        log.error("index_not_mended", classification=level.name)


_SINCE_BOOT: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""A clock that nobody sets, and that goes on while the machine sleeps."""
