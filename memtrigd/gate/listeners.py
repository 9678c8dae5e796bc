"""The sockets themselves: bound by us, or passed by a service manager; stale ones replaced, nothing else touched."""

import errno
import os
import socket
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from memtrig.homes import MAX_SOCKET_PATH, Home
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.gate import peers
from memtrigd.gate.doors import SOCKET_DOORS, Door

BACKLOG: Final = 256
"""Connections that may wait to be accepted: a burst of agents that start at once is not turned away."""
_FIRST_PASSED: Final = 3
"""The first passed descriptor (sd_listen_fds(3): SD_LISTEN_FDS_START)."""


class CannotListen(Refusal):
    """A socket can't be had; the daemon does not start."""


def path_of(home: Home, door: Door) -> Path:
    """The path of a door's socket."""
    if door.level is not None:
        return Path(home.level_socket(door.level.slug))
    return Path(home.run) / f"{door.name}.sock"


class Listeners(Struct, frozen=True):
    """The open doors; ``bound`` are those whose sockets we made and take away again."""

    sockets: dict[Door, socket.socket]
    bound: dict[Door, Path]

    def close(self) -> None:
        """Close every door, and remove the sockets that we made."""
        for door, listener in self.sockets.items():
            listener.close()
            if door in self.bound:
                self.bound[door].unlink(missing_ok=True)


def open_all(home: Home, environ: Mapping[str, str], pid: int) -> Listeners:
    """Open every door: those that a service manager passed by name, the others bound here.

    Raises CannotListen where a path is too long, taken by a live daemon (its pid is named) or by another file.
    """
    sockets = dict(_passed(environ, pid))
    opened = Listeners(sockets, {})
    try:
        for door in SOCKET_DOORS:
            if door not in sockets:
                path = path_of(home, door)
                sockets[door] = bind(path)
                opened.bound[door] = path
    except BaseException:
        opened.close()
        raise
    return opened


def bind(path: Path) -> socket.socket:
    """Bind and listen at ``path``, 0600 in a directory of 0700, whatever the umask."""
    if len(os.fsencode(path)) > MAX_SOCKET_PATH:
        raise CannotListen(
            "bad_value",
            f"The socket path {path} has {len(os.fsencode(path))} bytes; a Unix socket allows {MAX_SOCKET_PATH}.",
            "Choose a shorter home: MEMTRIG_HOME=DIR or --home DIR.",
        )
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.parent.chmod(0o700)
    _make_way(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(os.fspath(path))
    except OSError as error:
        listener.close()
        raise CannotListen("bad_value", f"Can't bind {path}: {os.strerror(error.errno or 0)}.", "") from error
    finally:
        os.umask(before)
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


def _make_way(path: Path) -> None:
    """Remove a socket that nobody listens on. A live one and any other file are left alone and refused."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise CannotListen("bad_value", f"{path} is not a socket; it was left alone.", "Move it away.")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        try:
            probe.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except OSError as error:
            if error.errno == errno.ENOENT:
                return
        holder = peers.of(probe).process
    raise CannotListen(
        "store_locked",
        f"A daemon listens on {path} already" + (f" (pid {holder.pid})." if holder else "."),
        "Use that one, stop it, or choose another home with --home DIR.",
    )


def _passed(environ: Mapping[str, str], pid: int) -> Iterator[tuple[Door, socket.socket]]:
    """Take the descriptors that a service manager passed to this process, by name (sd_listen_fds_with_names(3))."""
    if environ.get("LISTEN_PID") != str(pid):
        return
    names = environ.get("LISTEN_FDNAMES", "").split(":")
    doors = {door.name: door for door in SOCKET_DOORS}
    count = environ.get("LISTEN_FDS", "0")
    if not count.isdecimal():
        raise CannotListen("bad_value", f"LISTEN_FDS is {count!r}, not a number.", "It is for service managers to set.")
    for number in range(int(count)):
        name = names[number] if number < len(names) else ""
        if name not in doors:
            raise CannotListen(
                "bad_value",
                f"The service manager passed a descriptor named {name!r}.",
                f"FileDescriptorName= is one of {', '.join(sorted(doors))}.",
            )
        os.set_inheritable(_FIRST_PASSED + number, False)
        listener = socket.socket(fileno=_FIRST_PASSED + number)
        listener.setblocking(False)
        yield doors[name], listener
