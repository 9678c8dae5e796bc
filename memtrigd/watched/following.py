"""Following one folder: what changed in it is read apart, planned, and taken up file by file."""

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.folders import GONE, After, Line, Page, Plan, anew, planned, waiting
from memtrigd.domain.moments import to_iso
from memtrigd.watched.looking import Sight, Stamp, look
from memtrigd.watched.reading import FileRead
from memtrigd.watched.registry import Entry
from memtrigd.watched.taking import text_of

SETTLED: Final = 0.1
"""Seconds for which a file must have been left alone: one that is just being written may be half of itself."""
PATIENCE: Final = 0.15
"""Seconds that are waited for that; else it is looked at the next time."""
RIPE: Final = 1.0
"""Seconds for which a file must have been as it is, or gone, before a memory closes for it: it may be back at once."""
REST: Final = 30.0
"""Seconds until a folder is looked at again whose level, or whose reader, failed."""
SLOW: Final = 0.02
"""Seconds of a walk through a folder after which it is not looked at for as long as BREATH walks take."""
BREATH: Final = 50
MAX_LINES: Final = 20_000
"""Lines of one folder."""
SHOWN: Final = 20
"""Troubles that are told one by one."""


class Desk(Protocol):
    """What following needs of the daemon. Each call waits for its outcome, and raises what that raised."""

    def read(self, entry: Entry, files: Sequence[str]) -> list[FileRead]:
        """Read files of a folder in a process apart."""

    def pages(self, entry: Entry) -> dict[str, list[Line]]:
        """What the files said when they were taken up last."""

    def digests(self, entry: Entry, texts: Sequence[str]) -> list[str]:
        """The digests of texts at the folder's level."""

    def take(
        self, entry: Entry, lines: Sequence[tuple[wire.ImportRecord, str | None]]
    ) -> list[tuple[str | None, str | None]]:
        """Take lines, each in the place of a memory or none: what each is now, or why it is none."""

    def settle(self, entry: Entry, file: str, lines: Sequence[Line], closing: Sequence[str]) -> None:
        """Keep what a file says, and close memories."""


class Folder:
    """A folder and what is known of it; on one thread at a time. Seconds are of the monotonic clock."""

    def __init__(self, entry: Entry, ending: threading.Event, *, anew: bool = False) -> None:
        """``anew``: its lines count as something else by now, and are all taken once more."""
        self.entry = entry
        self.folders: list[Path] = [Path(entry.path)]
        """Where a change may be one of it."""
        self.held = 0
        self._ending = ending
        self._anew = anew
        self._fault: str | None = None
        self._rest = 0.0
        self._troubles: dict[str, str] = {}
        self._pages: dict[str, list[Line]] | None = None
        self._taken: dict[str, Stamp] = {}
        self._reads: dict[str, FileRead] = {}
        """What was read and is not taken up yet, or can't be."""
        self._digests: dict[str, tuple[Stamp, list[tuple[int, str]]]] = {}
        self._since: dict[str, tuple[Stamp | None, float]] = {}
        """Since when a file is as it is; a stamp of None: it is gone."""

    def shown(self) -> wire.WatchedFolder:
        """How it is."""
        entry, pages = self.entry, self._pages or {}
        told = [f"{file or 'the folder'} {why}" for file, why in sorted(self._all_troubles().items())]
        refused = Counter(line.code for lines in pages.values() for line in lines if line.code is not None)
        return wire.WatchedFolder(
            id=entry.id,
            path=entry.path,
            level=entry.level.name,
            space=entry.space,
            by=entry.by,
            since=to_iso(entry.since),
            files=len(pages),
            lines=sum(line.number != GONE for lines in pages.values() for line in lines),
            held=self.held,
            refused=dict(sorted(refused.items())),
            troubles=told[:SHOWN],
            more=max(0, len(told) - SHOWN),
        )

    def _all_troubles(self) -> dict[str, str]:
        unfit = {file: read.why for file, read in self._reads.items() if read.why is not None}
        return {**unfit, **self._troubles, **({} if self._fault is None else {"": self._fault})}

    def look(self, desk: Desk, *, confirmed: int | None = None) -> None:
        """Take up what changed. ``confirmed`` memories may close at once; Raises Refusal where that is not their count.

        What fails is told by ``shown``, and tried again later.
        """
        if confirmed is None and time.monotonic() < self._rest:
            return
        try:
            self._follow(desk, confirmed)
            self._fault = None
        except Refusal as refusal:
            if confirmed is not None and refusal.code == "bad_value":
                raise
            self._fault, self._rest = f"waits: {refusal.message}", time.monotonic() + REST
        except RuntimeError:  # the process that reads; it is logged
            self._fault, self._rest = "waits: its files could not be read", time.monotonic() + REST

    def _follow(self, desk: Desk, confirmed: int | None) -> None:
        sight = self._seen()
        if sight is None:
            return
        if self._pages is None:
            self._pages = desk.pages(self.entry)
        before = self._pages
        gone = [file for file in before if file not in sight.files and not sight.hides(file)]
        changed = [file for file, stamp in sight.files.items() if self._taken.get(file) != stamp]
        self._note_ages(sight, changed, gone)
        if not changed and not gone and confirmed is None:
            self.held = 0
            return
        self._read(desk, sight, changed)
        fit = self._fitting(changed)
        after = self._digested(desk, fit) | dict.fromkeys(gone, ())
        plan = self._allowed(before, after, confirmed)
        plan = anew(plan) if self._anew else plan
        for file, page in plan.pages.items():
            if self._ending.is_set():
                return
            self._take(desk, file, page, plan.closing.get(file, []))
        self._anew = False

    def _seen(self) -> Sight | None:
        """What there is, once nobody is just writing; a file that still is keeps its last stamp for now."""
        began = time.monotonic()
        sight = look(Path(self.entry.path))
        took = time.monotonic() - began
        self._rest = began + BREATH * took if took > SLOW else 0.0
        if isinstance(sight, Sight) and any(map(self._is_fresh, sight.files.items())):
            self._ending.wait(PATIENCE)
            sight = look(Path(self.entry.path))
        if not isinstance(sight, Sight):
            self._troubles, self._since = {"": sight}, {}
            return None
        self.folders, self._troubles = sight.folders, sight.troubles
        for file in [each for each in sight.files.items() if self._is_fresh(each)]:
            if file[0] in self._taken:
                sight.files[file[0]] = self._taken[file[0]]
            else:
                del sight.files[file[0]]
                sight.troubles[file[0]] = "is being written"
        self._reads = {file: read for file, read in self._reads.items() if sight.files.get(file) == read.stamp}
        return sight

    def _is_fresh(self, seen: tuple[str, Stamp]) -> bool:
        file, stamp = seen
        return self._taken.get(file) != stamp and 0 <= time.time() - stamp[2] / 1e9 < SETTLED

    def _note_ages(self, sight: Sight, changed: Sequence[str], gone: Sequence[str]) -> None:
        now, since = time.monotonic(), self._since
        stamps: dict[str, Stamp | None] = {file: sight.files[file] for file in changed} | dict.fromkeys(gone)
        self._since = {
            file: since[file] if file in since and since[file][0] == stamp else (stamp, now)
            for file, stamp in stamps.items()
        }

    def _read(self, desk: Desk, sight: Sight, changed: Sequence[str]) -> None:
        unread = [file for file in changed if file not in self._reads]
        for read in desk.read(self.entry, unread) if unread else ():
            if not read.stamp:  # it could not even be opened
                self._reads[read.file] = FileRead(read.file, sight.files[read.file], why=read.why)
            elif read.stamp == sight.files.get(read.file):
                self._reads[read.file] = read

    def _fitting(self, changed: Sequence[str]) -> dict[str, FileRead]:
        """Those of the changed files that can be taken up, as many as have room."""
        fit = dict[str, FileRead]()
        read = {file: self._reads[file] for file in changed if file in self._reads}
        room = MAX_LINES - sum(len(lines) for file, lines in (self._pages or {}).items() if file not in read)
        for file, each in read.items():
            if each.why is None and len(each.told) > room:
                self._troubles[file] = f"is beyond the first {MAX_LINES:,} lines of the folder"
            elif each.why is None:
                room -= len(each.told)
                fit[file] = each
        return fit

    def _digested(self, desk: Desk, fit: dict[str, FileRead]) -> dict[str, Sequence[tuple[int, str]]]:
        known = {file: found for file, found in self._digests.items() if file in fit and found[0] == fit[file].stamp}
        fresh = {file: read.told for file, read in fit.items() if file not in known}
        texts = [text_of(each.record) for told in fresh.values() for each in told]
        digests: Iterator[str] = iter(desk.digests(self.entry, texts) if texts else ())
        for file, told in fresh.items():
            known[file] = fit[file].stamp, [(each.line, next(digests)) for each in told]
        self._digests = known
        return {file: lines for file, (_, lines) in known.items()}

    def _allowed(self, before: dict[str, list[Line]], after: After, confirmed: int | None) -> Plan:
        """What is done now: what would close waits until it is ripe, and if it is much until the owner says so."""
        plan = planned(before, after)
        if confirmed is not None:
            if confirmed != plan.count:
                raise Refusal("bad_value", f"By now {plan.count:,} memories would close.", "Say that number.")
            self.held = 0
            return plan
        ripe = time.monotonic() - RIPE
        wait = [file for file in plan.closing if self._since[file][1] > ripe]
        if plan.held:
            self.held = plan.count if not wait else self.held
            return waiting(before, plan, plan.closing)
        self.held = 0
        return waiting(before, plan, wait)

    def _take(self, desk: Desk, file: str, page: Page, closing: Sequence[str]) -> None:
        read, lines = self._reads.get(file), list(page.lines)
        assert self._pages is not None
        if page.wanted and read is not None:
            asked = [(read.told[each.index].record, each.replaces) for each in page.wanted]
            for wanted, (memory, code) in zip(page.wanted, desk.take(self.entry, asked), strict=True):
                line = lines[wanted.index]
                lines[wanted.index] = Line(line.number, line.digest, memory, code)
        gone = [each.replaces for each in page.wanted if each.replaces is not None]
        if lines != self._pages.get(file, []) or closing:
            desk.settle(self.entry, file, lines, [*closing, *gone])
        self._pages[file] = lines
        if any(line.number == GONE for line in lines):
            return  # not all of it is taken up
        if read is not None:
            self._taken[file] = read.stamp
            del self._reads[file]
        else:
            self._taken.pop(file, None)
            del self._pages[file]
