"""The examination: all checks in their order, for a daemon that runs or for one that does not."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memtrig import wire
from memtrig.homes import Home
from msgspec import Struct

from memtrigd.config import Config
from memtrigd.doctor import company, files, places, routines
from memtrigd.doctor.findings import fail
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.embedder.client import Condition
from memtrigd.gate.peers import Process
from memtrigd.store.examination import opening
from memtrigd.store.interface_control import SessionRow
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.vault import holder
from memtrigd.store.verification import Pace

CREATED: Final = "created."
"""Begins the settings that tell which levels there were."""


class Live(Struct, frozen=True):
    """What only a running daemon knows: its pid, what it can't use, who is connected, how far its clock was set.

    And how it is with its model.
    """

    pid: int
    unavailable: Mapping[Level, Refusal]
    held: Sequence[tuple[SessionRow, Sequence[Process]]]
    drift: Micros
    model: Condition


def examined(home: Home, now: Micros, live: Live | None, pace: Pace = lambda: None) -> wire.Diagnosis:
    """Look at everything. Nothing is changed, and without a daemon (``live`` None) nothing is opened for it to see."""
    state = Path(home.state)
    config, first = routines.configuration(home)
    other = None if live is not None else holder(state)
    found = [
        company.present() if live is not None else company.absent(home, other),
        company.versions(),
        *first,
        *places.permissions(home),
        *places.parents(home),
        *places.sockets(home, live.pid if live is not None else None if other is None else int(other)),
        *places.room(state, config.backup.directories),
    ]
    if other is None and state.is_dir():
        looked = _store(home, live, now, pace, config)
        found += looked if live is not None or holder(state) is None else [_BEGUN]
    found += routines.guidance(home)
    if live is not None:
        found += [routines.model(home, live.model), company.sessions(home, live.held)]
    return wire.Diagnosis(findings=found, server=company.server(), protocol=wire.PROTOCOL)


def _store(home: Home, live: Live | None, now: Micros, pace: Pace, config: Config) -> list[wire.Finding]:
    """Look at the files of the store, and what control.db tells."""
    open_file = opening(Path(home.state), live=live is not None)
    found, settings = files.of_control(home, open_file, pace)
    found += files.under_way(home)
    unavailable: Mapping[Level, Refusal] = {} if live is None else live.unavailable
    newest = [now]
    for level in Level:
        known = f"{CREATED}{level.slug}" in settings or (Path(home.state) / "keys" / f"{level.slug}.key").exists()
        told, looked = files.of_level(home, level, open_file, unavailable.get(level), known=known, pace=pace)
        found += told
        newest += [looked.newest] if looked is not None and looked.newest is not None else []
    for level in Level:
        if (Path(home.state) / file_name(level)).exists():
            found += routines.backups(home, level, config, settings, now)
    found += routines.unreadable(home)
    found += files.clock(max(newest), now, 0 if live is None else live.drift)
    return found + (routines.schedules(settings, now) if settings else [])


_BEGUN: Final = fail(
    "daemon", "A daemon started while its files were looked into; what they were like is not told.", "Say this again."
)
