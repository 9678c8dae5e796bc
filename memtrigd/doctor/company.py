"""Company: the daemon itself, and the processes of its sessions, which could go past it to the files."""

import os
import platform
from collections.abc import Iterable
from pathlib import Path

from memtrig import wire
from memtrig.homes import Home

import memtrigd
from memtrigd.doctor.findings import command, ok, several, starting, warn
from memtrigd.gate.peers import Process
from memtrigd.store.database import sqlite_version
from memtrigd.store.interface_control import SessionRow
from memtrigd.store.schema import CONTROL, VERSION


def versions() -> wire.Finding:
    """What runs, and what it writes."""
    return ok(
        "versions",
        f"memtrigd {memtrigd.__version__}, protocol {wire.PROTOCOL}, schema {VERSION} (control.db {CONTROL.version}),"
        f" SQLite {sqlite_version()}, Python {platform.python_version()}.",
    )


def server() -> str:
    """The version of this program."""
    return memtrigd.__version__


def absent(home: Home, holder: str | None) -> wire.Finding:
    """That no daemon answers; ``holder`` is the process that has the store all the same."""
    if holder is not None:
        says = f"Process {holder} has the store and does not answer; its files were not looked into."
        return warn("daemon", says, f"`ps -p {holder}` shows what it is; restart it if it is stuck.")
    says = "No daemon runs: what only it knows is not told of."
    return warn("daemon", says, f"Start it: {starting(home)}")


def present() -> wire.Finding:
    """That this is the daemon."""
    return ok("daemon", f"The daemon runs as process {os.getpid()}.")


def sessions(home: Home, held: Iterable[tuple[SessionRow, Iterable[Process]]]) -> wire.Finding:
    """Which sessions have a process that could open the files itself."""
    every = list(held)
    loose = [row for row, processes in every if any(_shares_files(each) for each in processes) or not list(processes)]
    if not loose:
        return ok("sessions", f"{len(every)} sessions are connected." if every else "No agent is connected.")
    named = several(f"{row.agent or row.id} at {row.level.name}" for row in loose)
    says = f"{len(loose)} of {len(every)} connected sessions run unconfined, as far as can be told: {named}."
    todo = (
        "Such a process could open the files of every level, past the daemon. Where that matters give the agent a"
        f" sandbox that holds its own socket alone (docs/security.md); {command(home, 'sessions')} lists them."
    )
    return warn("sessions", says, todo)


def _shares_files(process: Process) -> bool:
    """Tell whether a process sees the same file systems as this one; where that can't be told, it may."""
    try:
        return Path(f"/proc/{process.pid}/ns/mnt").readlink() == Path("/proc/self/ns/mnt").readlink()
    except OSError:
        return True
