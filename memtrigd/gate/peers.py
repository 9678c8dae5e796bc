"""Who is at the other end: uid, pid and ancestry as the kernel tells them.

The uid is enforced. Pids are for the seat belt and for provenance: a label with a start time against reuse.
"""

import os
import socket
import struct
import sys
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

_MAX_DEPTH = 64
_REAPERS = frozenset({b"systemd", b"init", b"launchd"})


class Process(Struct, frozen=True):
    """A process: its pid and start time in clock ticks since boot (proc(5), stat field 22)."""

    pid: int
    start: int


class Peer(Struct, frozen=True):
    """The process at the other end of a connection.

    ``ancestors`` are filled in where the door asks for them; None where the chain could not be read to its end.
    """

    uid: int
    process: Process | None = None
    ancestors: tuple[Process, ...] | None = ()


def of(sock: socket.socket) -> Peer:
    """Ask the kernel who connected. Where it tells no pid (macOS) the peer has a uid alone."""
    if sys.platform == "linux":
        size = struct.calcsize("3i")
        pid, uid, _gid = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
        return Peer(uid, _process(pid))
    return Peer(_uid_by_xucred(sock))


def with_ancestors(peer: Peer) -> Peer:
    """Read the strict ancestors of a peer, its parent first, up to the first process.

    A peer that died meanwhile, or any of them, leaves the chain unknown: it may have handed its connection on.
    """
    if sys.platform != "linux":
        return peer
    found: list[Process] = []
    child = peer.process
    while child is not None and len(found) < _MAX_DEPTH:
        parent = _parent(child.pid)
        if parent == 0 and child == _process(child.pid):
            return replace(peer, ancestors=tuple(found))
        child = _process(parent) if parent else None
        if child is not None:
            found.append(child)
    return replace(peer, ancestors=None)


def parent_of(process: Process) -> Process | None:
    """The parent of a process that still runs."""
    parent = _parent(process.pid) if process == _process(process.pid) else 0
    return _process(parent) if parent else None


def is_reaper(process: Process) -> bool:
    """Tell whether a process is one that takes in whoever loses its parent, and services: everybody is under it."""
    return process.pid == 1 or _name(process.pid) in _REAPERS


def _name(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/comm").read_bytes().strip()
    except OSError:
        return b""


def _stat(pid: int) -> list[bytes]:
    """Read /proc/PID/stat behind the command name, which may hold any bytes: field 3 comes first."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
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
