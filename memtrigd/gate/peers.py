"""Who is at the other end: uid, pid and ancestry as the kernel tells them.

The uid is enforced. Pids are for the seat belt and for provenance: a label with a start time against reuse.
"""

import os
import socket
import struct
import sys
from pathlib import Path

from msgspec import Struct

_MAX_DEPTH = 64


class Process(Struct, frozen=True):
    """A process: its pid and start time in clock ticks since boot (proc(5), stat field 22)."""

    pid: int
    start: int


class Peer(Struct, frozen=True):
    """The process at the other end of a connection; ``ancestors`` are filled in where the door asks for them."""

    uid: int
    process: Process | None = None
    ancestors: tuple[Process, ...] = ()


def of(sock: socket.socket) -> Peer:
    """Ask the kernel who connected. Where it tells no pid (macOS) the peer has a uid alone."""
    if sys.platform == "linux":
        size = struct.calcsize("3i")
        pid, uid, _gid = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
        return Peer(uid, _process(pid))
    return Peer(_uid_by_xucred(sock))


def ancestors(pid: int) -> tuple[Process, ...]:
    """The strict ancestors of a process, its parent first; stops where /proc tells no more."""
    found: list[Process] = []
    parent = _parent(pid)
    while parent > 0 and len(found) < _MAX_DEPTH:
        process = _process(parent)
        if process is None:
            break
        found.append(process)
        parent = _parent(parent)
    return tuple(found)


def _stat(pid: int) -> list[str]:
    """Read /proc/PID/stat behind the command name, which may hold anything: field 3 comes first."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _parent(pid: int) -> int:
    stat = _stat(pid)
    return int(stat[1]) if stat else 0


def _process(pid: int) -> Process | None:
    stat = _stat(pid)
    return Process(pid, int(stat[19])) if stat else None


def _uid_by_xucred(sock: socket.socket) -> int:
    """Read LOCAL_PEERCRED (struct xucred: version, uid, …) of BSD and macOS; an unknown answer is nobody's uid."""
    sol_local, local_peercred = 0, 1
    answer = sock.getsockopt(sol_local, local_peercred, 76)
    return struct.unpack_from("I", answer, 4)[0] if len(answer) >= 8 else -1


def own_uid() -> int:
    """The uid that may knock: the daemon's own."""
    return os.getuid()
