"""Once a day: drop answers and sessions that nobody will ask for any more, and keep where each journal ends."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Final

import structlog

from memtrigd.clockwork.jobs import Job
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, Micros
from memtrigd.store.interface import Hands
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.writer import WriterLane

ANSWERS_KEPT: Final = 7 * DAY
"""How long a retry with the same idempotency key gets the same answer."""
SESSIONS_KEPT: Final = 90 * DAY
"""How long a session that nobody uses can be resumed."""
UNSEEN: Final = DAY
"""How far what is kept of a session's use may lag behind: it is noted daily, when a line comes and when one goes."""

log = structlog.get_logger()


def housekeeping(writers: WriterLane, in_use: Callable[[], Collection[str]]) -> Job:
    """The daily job. Each level has its own transaction, so that none waits for another's.

    ``in_use`` tells which sessions are connected: they may have been so for months and are not old.
    """

    def run(now: Micros) -> None:
        writers.submit(None, partial(_prune, in_use(), now), _pruned)
        for level in Level:
            writers.submit(level, lambda hands: _tidy(hands, now), partial(_tidied, writers, level))

    return Job("housekeeping", DAY, run)


class ControlRuns:
    """Keeps the last runs among the settings of control.db, and remembers them meanwhile."""

    def __init__(self, rows: ControlReader, writers: WriterLane) -> None:
        self._rows = rows
        self._writers = writers
        self._known: dict[str, Micros] = {}

    def read(self, job: str) -> Micros | None:
        """The last run, None where there was none."""
        if job not in self._known and (kept := self._rows.setting(_setting(job))) is not None:
            self._known[job] = int(kept)
        return self._known.get(job)

    def keep(self, job: str, at: Micros) -> None:
        """Keep a run; in force at once, on disk soon. It may be there before all that the run has queued: a crash in
        between costs the rest of this run, and the next day's makes up for it."""
        self._known[job] = at
        self._writers.submit(None, lambda hands: hands.control.set_setting(_setting(job), str(at)), lambda _: None)


def _setting(job: str) -> str:
    return f"last_run.{job}"


def _prune(in_use: Collection[str], now: Micros, hands: Hands) -> int:
    """Drop old sessions; returns how many."""
    for session in in_use:
        hands.control.touch(session, now)
    return hands.control.prune(now - SESSIONS_KEPT - UNSEEN)


def _pruned(outcome: Any) -> None:
    if isinstance(outcome, Exception):
        log.error("not_pruned", kind=type(outcome).__name__)
    else:
        log.info("sessions_pruned", count=outcome)


def _tidied(writers: WriterLane, level: Level, outcome: Any) -> None:
    """Keep where a level's journal ends, its last row and that row's seal: an anchor outside the level's own file.

    One is in control.db, the other in the log, which is out of reach of whoever puts back all of the store's files.
    """
    if isinstance(outcome, Exception):
        log.error("not_tidied", classification=level.name, kind=type(outcome).__name__)
        return
    seq, mac = outcome
    log.info("journal_end", classification=level.name, seq=seq, mac=mac)
    writers.submit(None, lambda hands: hands.control.keep_journal_end(level, seq, mac), partial(end_kept, level))


def end_kept(level: Level, outcome: Any) -> None:
    """Log what became of keeping where a journal ends: an error, or that it ended later once."""
    if isinstance(outcome, Exception):
        log.error("journal_end_not_kept", classification=level.name, kind=type(outcome).__name__)
    elif not outcome:
        log.error("journal_was_cut", classification=level.name)


def _tidy(hands: Hands, now: Micros) -> tuple[int, str]:
    """Drop old answers; returns where the journal ends."""
    assert hands.writer is not None
    hands.writer.forget_answers(now - ANSWERS_KEPT)
    return hands.writer.journal_end()
