"""Once a day: drop answers and sessions that nobody will ask for any more, and log where each journal ends."""

from typing import Final

import structlog

from memtrigd.clockwork.jobs import Job
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY, Micros
from memtrigd.store.writer import Hands, WriterLane

ANSWERS_KEPT: Final = 7 * DAY
"""How long a retry with the same idempotency key gets the same answer."""
SESSIONS_KEPT: Final = 90 * DAY
"""How long a session that nobody uses can be resumed."""

log = structlog.get_logger()


def housekeeping(writers: WriterLane) -> Job:
    """The daily job. Each level has its own transaction, so that none waits for another's."""

    def run(now: Micros) -> None:
        writers.submit(None, lambda hands: hands.control.prune(now - SESSIONS_KEPT), _logged("sessions_pruned", None))
        for level in Level:
            writers.submit(level, lambda hands: _tidy(hands, now), _logged("level_tidied", level))

    return Job("housekeeping", DAY, run)


def _tidy(hands: Hands, now: Micros) -> tuple[int, str]:
    """Drop old answers; returns where the journal ends, for the log: an anchor outside the store's files."""
    assert hands.writer is not None
    hands.writer.forget_answers(now - ANSWERS_KEPT)
    return hands.writer.journal_end()
