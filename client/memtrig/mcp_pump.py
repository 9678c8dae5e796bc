"""memtrig-mcp: a pump between an agent's host (stdin and stdout) and the daemon's socket of a level.

A host starts one for each agent, so it has to start in no time and take next to no memory: it imports C modules that
every interpreter has, ``os``, and two small files of ours.
"""

from __future__ import annotations

import _socket
import os
import select
import sys
from time import monotonic

from memtrig import homes
from memtrig.mcp_relay import Relay

OPTIONS = ("level", "agent", "conversation", "space", "tools", "home")
USAGE = """\
usage: memtrig-mcp [--level LEVEL] [--agent NAME] [--conversation NAME] [--space NAME] [--tools SET]
                   [--home DIR] [--no-start]

The memory of one agent over MCP: its host starts this and speaks through stdin and stdout. LEVEL is
public, internal (the default), confidential or restricted. With --no-start, no daemon is started.
With --space auto, what belongs to the git project in which it runs is kept beside what all share.
"""
HELD = 1 << 20
"""Bytes that wait in one direction; then no more are read."""
PIECE = 4096
"""Bytes of one write to stdout: PIPE_BUF, so that it does not block after poll."""
READ = 1 << 16
GRACE = 0.8
"""Seconds for late answers once the host has said all."""
FIRST_PAUSE, LONGEST_PAUSE, IDLE_PAUSE = 0.02, 0.25, 2.0
"""Seconds between attempts to connect; each pause is twice the one before, up to IDLE_PAUSE where no request waits."""
AWAY = 3.0
"""Seconds that a daemon must be away before another is started: a service manager restarts it faster."""
START_AGAIN = 10.0
"""Seconds from one start of a daemon to the next."""
BROKEN = select.POLLERR | select.POLLHUP | select.POLLNVAL


def main() -> int:
    """Pump until the host closes stdin or ends. Exit codes: 0, or 2 for a wrong option."""
    try:
        if "--help" in sys.argv:
            sys.stderr.write(USAGE)
            return 0
        options = arguments(sys.argv[1:])
        if options["space"] == "auto":
            from memtrig.project import space_of  # loaded by those alone who ask for it

            options["space"] = space_of(".")
        home, level = homes.find(options.pop("home")), options.pop("level") or "internal"
        pump = Pump(home.level_socket(level), Relay(options), home.root, "--no-start" not in sys.argv)
    except (ValueError, OSError) as error:
        sys.stderr.write(f"memtrig-mcp: {error}\n")
        return 2
    try:  # noqa: SIM105  contextlib takes longer to load than all of this to run
        pump.run()
    except KeyboardInterrupt:
        pass
    return 0


def arguments(given: list[str]) -> dict[str, str | None]:
    """Read the options. Raises ValueError for what is none."""
    options: dict[str, str | None] = dict.fromkeys(OPTIONS)
    words = iter(given)
    for word in words:
        name, equals, value = word[2:].partition("=")
        if word == "--no-start":
            continue
        if not word.startswith("--") or name not in OPTIONS:
            raise ValueError(f"{word!r} is no option.\n{USAGE}")
        options[name] = value if equals else next(words, "")
        if not options[name]:
            raise ValueError(f"--{name} needs a value.\n{USAGE}")
    return options


class Pump:
    """The descriptors: the host's, the daemon's, and one that tells of the death of the process that started us."""

    def __init__(self, path: str, relay: Relay, root: str | None, may_start: bool) -> None:
        self._path = path
        self._relay = relay
        self._root = root
        self._may_start = may_start
        self._socket: _socket.socket | None = None
        self._reason = ""
        self._missing = False
        """Nobody listens at all, as far as the last attempt could tell."""
        self._away_since = float("-inf")
        self._started_at = float("-inf")
        self._retry_at = 0.0
        self._pause = FIRST_PAUSE
        self._end: float | None = None
        """When the pump stops, once the host has said all."""

    def run(self) -> None:
        """Pump until there is nobody to pump for."""
        parent = os.getppid()
        watch = _watch(parent)
        while os.getppid() == parent:  # asked again after the watch was set: it may have died in between
            now = monotonic()
            self._tend(now)
            if self._end is not None and (self._relay.idle or now >= self._end):
                self._relay.give_up(self._reason)
                while self._relay.down and _writable(1) and self._write():
                    pass
                return
            if not self._turn(watch, now):
                return

    def _turn(self, watch: int, now: float) -> bool:
        """Wait for something and do it; tell whether anybody is left to pump for."""
        poll = select.poll()
        relay, socket = self._relay, self._socket
        if watch >= 0:
            poll.register(watch, select.POLLIN)
        if self._end is None and relay.held < HELD:
            poll.register(0, select.POLLIN)
        poll.register(1, select.POLLOUT if relay.down else 0)
        upstream = -1 if socket is None else socket.fileno()
        wanted = (select.POLLIN if len(relay.down) < HELD else 0) | (select.POLLOUT if relay.up else 0)
        if socket is not None and wanted:
            poll.register(upstream, wanted)
        for descriptor, event in poll.poll(self._wait(watch, now)):
            if descriptor == watch or (descriptor == 1 and (event & BROKEN or not self._write())):
                return False
            if descriptor == 0:
                self._read()
            elif descriptor == upstream:
                self._exchange(event)
        return True

    def _wait(self, watch: int, now: float) -> int | None:
        """Milliseconds until something is to be done unasked; None: nothing is."""
        moments = [request.until for request in self._relay.waiting[:1]]
        if self._socket is None:
            moments.append(self._retry_at)
        if self._end is not None:
            moments.append(self._end)
        if watch < 0:
            moments.append(now + 1)
        return max(0, int((min(moments) - now) * 1000) + 1) if moments else None

    # -- the host ------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            data = os.read(0, READ)
        except OSError:  # closed before we began
            data = b""
        now = monotonic()
        self._relay.from_host(data or b"\n", now)
        if self._socket is None:
            self._retry_at = min(self._retry_at, now + FIRST_PAUSE)
        if not data:
            self._end = now + GRACE

    def _write(self) -> bool:
        """Write a piece to the host; tell whether it still reads."""
        try:
            written = os.write(1, self._relay.down[:PIECE])
        except BlockingIOError:
            return True
        except OSError:
            return False
        del self._relay.down[:written]
        return True

    # -- the daemon ----------------------------------------------------------------------------------------------

    def _tend(self, now: float) -> None:
        """Do what is due: connect, start a daemon, tell requests that there is none."""
        if self._socket is None and now >= self._retry_at:
            self._connect(now)
        if self._socket is None and self._missing and self._may_start:
            self._start(now)
        self._relay.expire(now, self._reason)

    def _connect(self, now: float) -> None:
        upstream = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        upstream.setblocking(False)
        try:
            upstream.connect(self._path)
        except OSError as error:
            upstream.close()
            self._missing = isinstance(error, FileNotFoundError | ConnectionRefusedError)
            why = "is not running: nothing listens on" if self._missing else "can't be reached on"
            self._reason = f"memtrigd {why} {self._path} ({error.strerror or error}). Start it by typing: memtrigd"
            self._back_off(now)
            return
        self._socket = upstream
        self._missing = False
        self._reason = "memtrigd takes connections but does not answer. See how it is: memtrigctl status"
        self._relay.greet()

    def _start(self, now: float) -> None:
        """Start a daemon if there is none, and somebody has wanted one since the last went away."""
        first = self._away_since == self._started_at == float("-inf")
        wanted = first or (self._relay.waiting and now - self._away_since >= AWAY)
        if wanted and now - self._started_at >= START_AGAIN:
            self._started_at = now
            from memtrig.starting import start_daemon

            try:
                start_daemon(self._root)
            except OSError as error:
                self._reason = f"memtrigd can't be started ({error.strerror}). Start it by typing: memtrigd"

    def _exchange(self, event: int) -> None:
        """Send and receive what the socket takes and has."""
        assert self._socket is not None
        alive = True
        try:
            if event & ~select.POLLOUT:
                data = self._socket.recv(READ)
                alive = bool(data) and self._relay.from_daemon(data)
            if alive and self._relay.up:
                del self._relay.up[: self._socket.send(self._relay.up)]
        except BlockingIOError:
            pass
        except OSError:
            alive = False
        if self._relay.greeted:
            self._pause = FIRST_PAUSE
        if not alive:
            self._lose(monotonic())

    def _lose(self, now: float) -> None:
        assert self._socket is not None
        self._socket.close()
        self._socket = None
        if self._relay.greeted:
            self._away_since = now
        self._relay.lost()
        self._back_off(now)

    def _back_off(self, now: float) -> None:
        self._retry_at = now + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE if self._relay.waiting else IDLE_PAUSE)


def _watch(parent: int) -> int:
    """A descriptor that becomes readable when a process ends; -1 where the system has none: then look every second."""
    try:
        return os.pidfd_open(parent)
    except (AttributeError, OSError):
        return -1


def _writable(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return [event for _, event in poll.poll(0)] == [select.POLLOUT]


if __name__ == "__main__":
    sys.exit(main())
