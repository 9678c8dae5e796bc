"""Places: who can get at the files and sockets, and whether there is room for what is to come."""

import os
import shlex
import shutil
import socket
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from memtrig import wire
from memtrig.homes import MAX_SOCKET_PATH, Home

from memtrigd.doctor.findings import fail, ok, several, warn
from memtrigd.gate import peers
from memtrigd.gate.doors import SOCKET_DOORS
from memtrigd.gate.listeners import path_of
from memtrigd.store.backup import RESERVE

OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
"""What nobody but the owner has of memories, keys and sockets."""
WRITTEN_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
"""What nobody but the owner has of the configuration: it is no secret, but it is obeyed."""
_PATIENCE: Final = 1.0
"""Seconds that a socket is given to answer."""


def permissions(home: Home) -> Iterator[wire.Finding]:
    """Whether files and directories are the user's own and closed to everybody else."""
    uid, foreign, wrong = os.getuid(), list[Path](), dict[str, list[Path]]()
    rules = ((home.state, OTHERS), (home.run, OTHERS), (home.config, WRITTEN_BY_OTHERS))
    for root, bits in rules:
        for path in _under(Path(root)):
            with suppress(OSError):
                told = path.lstat()
                if told.st_uid != uid:
                    foreign.append(path)
                elif not stat.S_ISLNK(told.st_mode) and told.st_mode & bits:
                    wrong.setdefault(root, []).append(path)
    if foreign:
        says = f"{len(foreign)} of the daemon's files belong to somebody else: {several(foreign)}."
        yield fail(
            "permissions", says, f"`sudo chown -R {uid} {_quoted(foreign)}`, or move them away if they are not yours."
        )
    for root, paths in wrong.items():
        change = "go-w" if root == home.config else "go-rwx"
        says = f"Other users can get at {several(paths)}."
        yield fail("permissions", says, f"`chmod -R {change} {shlex.quote(root)}`")
    missing = [root for root, _ in rules if not Path(root).is_dir()]
    if not foreign and not wrong:
        says = "Files, keys and sockets are yours and closed to everybody else."
        yield ok("permissions", says if not missing else f"{says} Not there: {several(missing)}.")


def parents(home: Home) -> Iterator[wire.Finding]:
    """Whether somebody else could put another directory in the place of one of ours."""
    uid, loose, foreign = os.getuid(), list[Path](), list[Path]()
    roots = [Path(root).absolute() for root in (home.config, home.state, home.run)]
    for path in dict.fromkeys(parent for root in roots for parent in root.parents):
        with suppress(OSError):
            told = path.stat()
            if told.st_mode & stat.S_IWOTH and not told.st_mode & stat.S_ISVTX:
                loose.append(path)
            elif told.st_uid not in (uid, 0):
                foreign.append(path)
    if loose:
        says = f"Anybody on this machine may replace what lies in {several(loose)}."
        yield fail("parents", says, f"`chmod o-w {_quoted(loose)}`, or `chmod +t` where others have to write.")
    if foreign:
        says = f"Another user owns {several(foreign)}, and may replace what lies there."
        yield warn("parents", says, "Move the home to a directory of your own: MEMTRIG_HOME=DIR.")
    if not loose and not foreign:
        yield ok("parents", "Nobody else can replace the directories above.")


def sockets(home: Home, live: int | None) -> list[wire.Finding]:
    """How the sockets are; ``live`` is the pid of the daemon that asks, None where none runs."""
    found = {path_of(home, door): _socket(path_of(home, door)) for door in SOCKET_DOORS}
    long = [path for path in found if len(os.fsencode(path)) > MAX_SOCKET_PATH]
    other, stale = _names(found, "other"), _names(found, "stale")
    wrong = []
    if long:
        todo = "Choose a shorter home: MEMTRIG_HOME=DIR."
        wrong.append(fail("sockets", f"The path {long[0]} is too long for a socket.", todo))
    if other:
        wrong.append(fail("sockets", f"In the place of sockets are other files: {several(other)}.", "Move them away."))
    strangers = {pid for pid in found.values() if isinstance(pid, int) and pid not in (live, 0)}
    for pid in sorted(pid for pid in strangers if not peers.is_reaper(peers.Process(pid, 0))):  # they pass sockets on
        says = f"Process {pid} listens on {several(_names(found, pid))}, and is not the daemon of this store."
        wrong.append(fail("sockets", says, f"`ps -p {pid}` shows what it is; stop it, then start `memtrigd` anew."))
    if live is None:
        says = f"A daemon that was cut off left {several(stale)}."
        wrong += [warn("sockets", says, "Start `memtrigd`: it replaces them.")] if stale else []
        return wrong or [ok("sockets", "No socket is in the way.")]
    gone = [*_names(found, "none"), *stale]
    if gone:
        wrong.append(fail("sockets", f"The daemon runs, but nobody answers at {several(gone)}.", "Restart the daemon."))
    return wrong or [ok("sockets", f"All {len(found)} sockets answer.")]


def room(state: Path, directories: Iterable[Path]) -> Iterator[wire.Finding]:
    """Whether a backup still fits on the disk, and whether the further directories of backups are there."""
    size = sum(_size(path) for path in state.glob("*.db*"))
    if state.is_dir():
        free = shutil.disk_usage(state).free
        needed = f"a backup takes {_mib(size)}, with {_mib(RESERVE)} to spare"
        says = f"{_mib(free)} are free where the memories are; {needed}."
        todo = "Free some space: the oldest of `memtrigctl backup list` may go, or other files of that disk."
        if free < RESERVE:
            yield fail("disk", says, todo)
        elif free < size + 2 * RESERVE:
            yield warn("disk", says, todo)
        else:
            yield ok("disk", says)
    for directory in directories:
        if not directory.is_dir():
            yield warn("copies", f"{directory}, which is to get copies of backups, is not there.", "Plug that disk in.")
        elif not os.access(directory, os.W_OK):
            yield fail("copies", f"{directory} can't be written.", f"`chmod u+w {shlex.quote(os.fspath(directory))}`")
        else:
            yield ok("copies", f"{directory} gets copies of backups.")


def _under(root: Path) -> Iterator[Path]:
    if root.is_dir():
        yield root
        for place, folders, files in os.walk(root):  # follows no link
            yield from (Path(place) / name for name in (*folders, *files))


def _socket(path: Path) -> str | int:
    """What is at a socket's path: none, stale, other, or the pid of who listens (0 where it can't be told)."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return "none"
    if not stat.S_ISSOCK(mode):
        return "other"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PATIENCE)
        try:
            probe.connect(os.fspath(path))
        except OSError:
            return "stale"
        holder = peers.of(probe).process
        return 0 if holder is None else holder.pid


def _names(found: Mapping[Path, str | int], seen: str | int) -> list[str]:
    return [path.name for path, what in found.items() if what == seen]


def _quoted(paths: Iterable[Path]) -> str:
    return shlex.join(map(os.fspath, paths))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _mib(size: int) -> str:
    return f"{size / (1 << 20):,.0f} MiB"
