"""The figures beside those of requests: queues and transactions, sessions, memories and files, backups and cycles."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import Final

import memtrigd
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import from_iso
from memtrigd.serve.accept import Acceptor
from memtrigd.serve.exposition import Family, gauge, histogram
from memtrigd.serve.handlers.about import Facts
from memtrigd.serve.meters import Look
from memtrigd.store.interface import LevelReader
from memtrigd.store.lanes import Lane
from memtrigd.store.writer import WriterLane

ENDINGS: Final = (".db", ".db-wal")
"""Of the files whose sizes are told."""
_SECOND: Final = 1_000_000


def look(state: Path, told: Facts, writers: WriterLane, lanes: Sequence[Lane], acceptor: Acceptor) -> Look:
    """How the daemon's lanes and doors are, and its store under ``state``. Begun on the loop, run on a lane."""
    inside, sessions = len(acceptor), [(_of(level), told.sessions.get(level, 0)) for level in Level]

    def run(handles: Mapping[Level, LevelReader]) -> Iterator[Family]:
        this = {"version": memtrigd.__version__, "schema": str(told.schema)}
        yield gauge("build_info", "Which memtrigd this is.", (this, 1))
        yield gauge("start_time_seconds", "When the daemon started, in Unix time.", ({}, told.started / _SECOND))
        yield gauge("connections", "Open connections.", ({}, inside))
        yield gauge("sessions", "Sessions that are connected.", *sessions)
        yield gauge("queue_jobs", "Jobs that wait in a lane.", *(({"lane": _short(lane)}, len(lane)) for lane in lanes))
        yield histogram("batch_jobs", "Jobs of each batch of the writer.", ({}, writers.batches))
        yield histogram("commit_seconds", "What the disk took to keep a transaction.", ({}, writers.syncs))
        yield from _of_levels(told, handles)
        yield from _of_files(state)
        yield from _of_backups(told)
        yield from _of_cycles(told)

    return run


def _of_levels(told: Facts, handles: Mapping[Level, LevelReader]) -> Iterator[Family]:
    served = [level for level in Level if level not in told.unavailable and level in handles]
    yield gauge(
        "level_available", "Whether a level's file is served.", *((_of(each), each in served) for each in Level)
    )
    counts = [(each, handles[each].counts()) for each in served]
    rows = [({**_of(each), "status": status}, n) for each, known in counts for status, n in known.items()]
    yield gauge("memories", "Memories by level and status.", *rows)


def _of_files(state: Path) -> Iterator[Family]:
    files = [each for each in sorted(state.iterdir()) if each.name.endswith(ENDINGS)]
    sizes = [({"file": each.name}, each.stat().st_size) for each in files]
    yield gauge("file_bytes", "Sizes of the store's files and of their logs.", *sizes)
    disk = os.statvfs(state)
    yield gauge("disk_free_bytes", "Room on the disk of the store.", ({}, disk.f_bavail * disk.f_frsize))


def _of_backups(told: Facts) -> Iterator[Family]:
    copies = [(_of(level), each) for level, each in told.copies.items()]
    good = [(level, _unix(each.good)) for level, each in copies if each.good]
    tried = [(level, _unix(each.drill)) for level, each in copies if each.drill]
    bad = [(level, each.drill_failed) for level, each in copies if each.drill]
    yield gauge("backup_last_success_timestamp_seconds", "When the last good backup of a level was made.", *good)
    yield gauge(
        "backup_failed", "Whether the last try failed.", *((level, bool(each.failed)) for level, each in copies)
    )
    yield gauge("drill_timestamp_seconds", "When a restore was last tried out.", *tried)
    yield gauge("drill_failed", "Whether that showed that the backup is no good.", *bad)
    yield gauge("backup_red", "Whether somebody should see to it.", *((level, each.red) for level, each in copies))


def _of_cycles(told: Facts) -> Iterator[Family]:
    dreams = [(_of(level), each) for level, each in told.dreams.items()]
    yield gauge(
        "dream_timestamp_seconds", "When a level last dreamt.", *((level, _unix(each.at)) for level, each in dreams)
    )
    bad = [(level, each.failed or each.stopped) for level, each in dreams]
    yield gauge("dream_failed", "Whether that failed, or stopped to ask.", *bad)


def _of(level: Level) -> dict[str, str]:
    return {"level": level.slug}


def _short(lane: Lane) -> str:
    return lane.name.removeprefix("memtrigd-")


def _unix(at: str) -> float:
    return from_iso(at, UTC) / _SECOND
