"""Backups while the daemon runs: made daily, tried out weekly, thinned out; and whatever the owner asks of them.

All of it runs in a lane of its own with handles of its own, so that neither the loop nor the writer waits for it.
"""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import structlog
from memtrig import wire
from msgspec import Struct

import memtrigd
from memtrigd.clockwork import imports, ways_back
from memtrigd.clockwork.apart import Drilling, Work
from memtrigd.clockwork.copybook import Copybook
from memtrigd.clockwork.jobs import due
from memtrigd.clockwork.scheduler import LastRuns
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import DAY, Micros, to_iso
from memtrigd.domain.retention import Keep
from memtrigd.store import backup, copies, restore
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.lanes import ReadLane, stopping
from memtrigd.store.manifest import Manifest, listing
from memtrigd.store.writer import WriterLane

HOUR: Final[Micros] = DAY // 24
FIRST: Final[Micros] = HOUR // 6
"""After the first start of all, until the first backup: there is something to back up then."""
PAUSE: Final = 0.001
"""Seconds between two slices of work."""
SET_ASIDE_FOR: Final = 7 * DAY
"""How long what made way for a restore is kept."""

Told: TypeAlias = Callable[[Any], None]
"""Gets a result or an exception, on the loop's thread."""

log = structlog.get_logger()


class Plan(Struct, frozen=True):
    """What is to be done by itself: how often, what is kept, where further copies go and which levels never do."""

    on: bool = True
    every: Micros = DAY
    drill_every: Micros = 7 * DAY
    keep: Keep = Keep()
    directories: tuple[Path, ...] = ()
    never_leaves: frozenset[Level] = frozenset()


class Backups:
    """Makes backups, tries them out and restores them. ``restart`` ends the daemon and begins it anew.

    ``plan`` may be changed while it runs.
    """

    def __init__(  # noqa: PLR0917 - the daemon's parts, each of its own type
        self,
        state: Path,
        plan: Plan,
        lane: ReadLane,
        writers: WriterLane,
        rows: ControlReader,
        runs: LastRuns,
        clock: Callable[[], Micros],
        restart: Callable[[], object],
        apart: Callable[[], Work],
    ) -> None:
        self.plan = plan
        self._state = state
        self._lane = lane
        self._writers = writers
        self._rows = rows
        self._runs = runs
        self._clock = clock
        self._restart = restart
        self._started = clock()
        self._book = Copybook(rows, writers, self._started)
        self._running: set[str] = set()
        self._ending = threading.Event()
        self._apart = apart
        self._trial: Work | None = None
        """The drill that is under way."""
        self.found = listing(backup.backups_of(state))[0]

    def stop(self) -> None:
        """End what is under way: what it has written is swept, and the next start tries again."""
        self._ending.set()
        if self._trial is not None:
            self._trial.end()

    def begin(self, *, restored: bool) -> None:
        """Start what is due; after a restore a backup, for the newest is of the time line that was left."""
        if restored and self.plan.on:
            self._running.add("backup")
            self._scheduled(self._clock())
        self.tick()

    def tick(self) -> None:
        """Start what is due. The first backup waits a moment, and the first drill for it."""
        now, plan = self._clock(), self.plan
        if not plan.on:
            return
        jobs = (("backup", plan.every, FIRST, self._scheduled), ("drill", plan.drill_every, HOUR, self._drill))
        for job, every, first, start in jobs:
            last = self._runs.read(job)
            if last is None:
                self._runs.keep(job, now - every + first)
            elif due(now, last, every) and job not in self._running:
                self._running.add(job)
                self._runs.keep(job, now - every + HOUR)  # tried again then, unless it comes to its end
                start(now)

    def figures(self) -> dict[Level, wire.Copies]:
        """How each level's backups are."""
        now, every = self._clock(), self.plan.every if self.plan.on else None
        return {level: page.shown(now, every) for level, page in self._book.pages.items()}

    def holding(self, level: Level) -> list[tuple[str, Micros]]:
        """What has a copy of a level, by name, and of when: backups, and what earlier restores set aside."""
        aside = [(f"{restore.REPLACED}/{place.name}", at) for at, place in restore.set_aside(self._state)]
        return [*((each.name, each.at) for each in self.found if level in each.levels), *aside]

    def queue(self, level: Level) -> wire.BackupQueued:
        """Let an agent have its own level backed up, soon, unless that was done within the hour."""
        page, now = self._book.pages[level], self._clock()
        last = None if page.good is None else to_iso(page.good)
        if any(at is not None and 0 <= now - at < HOUR for at in (page.good, page.queued)):
            return wire.BackupQueued(level=level.name, outcome="recent", last=last)
        self._book.note(level, queued=now)
        self._make("agent", [level], _unheard)
        return wire.BackupQueued(level=level.name, outcome="queued", last=last)

    def now(self, request: wire.BackupNow, told: Told) -> None:
        """Back up every level, or one, for the owner."""
        levels = [parse_level(request.level)] if request.level is not None else list(Level)
        self._make("owner", levels, lambda outcome: told(_or(outcome, _backed_up)))

    def before_repair(self, levels: list[Level], told: Told) -> None:
        """Back up levels whose indexes are about to be made anew; ``told`` gets the manifest or an exception."""
        self._make("repair", levels, lambda outcome: told(outcome if isinstance(outcome, Exception) else outcome[0]))

    def before_import(self, request: wire.ImportBegin, told: Told) -> None:
        """Back up the levels to which the owner is about to import, and keep in mind that they are."""
        levels = [*dict.fromkeys(map(parse_level, (request.level, *request.levels)))]
        now = self._clock()

        def made(outcome: Any) -> None:
            if isinstance(outcome, Exception):
                told(outcome)
            elif outcome[0].failed:
                which = ", ".join(level.name for level in levels if level.slug in outcome[0].failed)
                told(Refusal("level_unavailable", f"{which} can't be backed up.", "`memtrigctl status` tells why."))
            else:
                imports.begun(self._writers, levels, now, ways_back.copy_of(outcome[0]), told)

        self._make("import", levels, made)

    def after_import(self, request: wire.ImportEnd, told: Told) -> None:
        """Note the end of an import."""
        imports.end(self._writers, self._rows, request, told)

    def list(self, request: wire.BackupList, told: Told) -> None:
        """Tell which backups there are."""
        self._lane.submit(lambda _: ways_back.listed(self._state, request), told)

    def verify(self, request: wire.BackupVerify, told: Told) -> None:
        """Read a backup through."""
        self._lane.submit(lambda _: ways_back.verified(self._state, request, self._pace), told)

    def memory(self, request: wire.Restore, told: Told) -> None:
        """Find a memory in the backup that is named, or in the newest that holds it: both go to ``told``."""
        self._lane.submit(lambda _: ways_back.found_in(self._state, request), told)

    def restore(self, request: wire.Restore, told: Told) -> None:
        """Put levels back: verified, backed up as they are, laid ready, and swapped by a restart."""

        def done(outcome: Any) -> None:
            self._refresh()
            if isinstance(outcome, wire.Restored) and outcome.restarting:
                log.warning("restoring", count=len(outcome.levels))
                self._restart()  # before the answer: whoever hears it and connects meets the daemon of afterwards
            told(outcome)

        now = self._clock()
        self._lane.submit(lambda _: ways_back.laid_ready(self._state, request, now, self._started, self._pace), done)

    def _make(self, why: str, levels: Sequence[Level], told: Callable[[Any], None]) -> None:
        now = self._clock()

        def run(_: object) -> tuple[Manifest, list[str]]:
            made = backup.take(
                self._state, at=now, why=why, server=memtrigd.__version__, levels=levels, pace=self._pace
            )
            missed = copies.copy_out(self._state, made, self.plan.directories, self.plan.never_leaves)
            self._thin_out(now)
            return made, missed

        self._lane.submit(run, partial(self._made, now, levels, told))

    def _made(self, now: Micros, levels: Sequence[Level], told: Callable[[Any], None], outcome: Any) -> None:
        """Note what became of it at each level, and log it."""
        self._refresh()
        if isinstance(outcome, Exception):
            code = outcome.code if isinstance(outcome, Refusal) else "internal"
            log.error("backup_failed", code=code, kind=type(outcome).__name__)
            if code != "stopping":
                for level in levels:
                    self._book.note(level, failed=code)
        else:
            manifest, missed = outcome
            log.info("backup_made", count=len(manifest.levels))
            for level in levels:
                if level.slug in manifest.failed:
                    code = manifest.failed[level.slug].partition(":")[0]
                    log.error("backup_failed", classification=level.name, code=code)
                    self._book.note(level, failed=code)
                else:
                    self._book.note(level, good=now, failed=None)
            if missed:
                log.error("backup_not_copied", count=len(missed))
        told(outcome)

    def _scheduled(self, now: Micros) -> None:
        def told(outcome: Any) -> None:
            self._running.discard("backup")
            if not isinstance(outcome, Exception):
                self._runs.keep("backup", now)

        self._make("scheduled", list(Level), told)

    def _drill(self, now: Micros) -> None:
        """Try out for each level the newest backup that holds it. It reads every row some times: that is done apart."""
        trial = self._trial = self._apart()
        work = Drilling(str(self._state))
        run = partial(trial.run, work, _unheard, dict[Level, list[str]])
        self._lane.submit(lambda _: run(), partial(self._drilled, now))

    def _drilled(self, now: Micros, outcome: Any) -> None:
        self._running.discard("drill")
        self._trial = None
        if isinstance(outcome, Exception):
            log.error("no_drill", kind=type(outcome).__name__)
            return
        for level, problems in outcome.items():
            self._book.note(level, drill=now, drill_failed=bool(problems))
            if problems:
                log.error("drill_failed", classification=level.name, count=len(problems))
        failed = any(outcome.values())
        self._runs.keep("drill", now - self.plan.drill_every + DAY if failed else now)
        if failed:  # a backup that is no good is replaced at once, and that one tried out tomorrow
            self._scheduled(now)
        else:
            log.info("drill_passed", count=len(outcome))

    def _thin_out(self, now: Micros) -> None:
        copies.thin_out(backup.backups_of(self._state), self.plan.keep, now)
        for directory in self.plan.directories:
            with suppress(OSError):  # one that may not be written any more: the copy was missed, and that is told
                copies.thin_out(directory, self.plan.keep, now)
        copies.drop_set_aside(self._state, now - SET_ASIDE_FOR)

    def _refresh(self) -> None:
        with suppress(OSError):  # whoever asked is answered all the same
            self.found = listing(backup.backups_of(self._state))[0]

    def _pace(self) -> None:
        if self._ending.is_set():
            raise stopping()
        time.sleep(PAUSE)


def _backed_up(outcome: tuple[Manifest, list[str]]) -> wire.BackedUp:
    return wire.BackedUp(backup=ways_back.copy_of(outcome[0]), not_copied=outcome[1])


def _or(outcome: Any, make: Callable[[Any], Any]) -> Any:
    return outcome if isinstance(outcome, Exception) else make(outcome)


def _unheard(_: Any) -> None:
    """Who asked was answered already."""
