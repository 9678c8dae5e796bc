"""What must hold all the while, whatever peers do: asked of the process, of its log, of a client beside them."""

import json
import os
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import apsw
from memtrig import wire

from memtrigd.domain.levels import Level
from tests.conftest import Daemon
from tests.fuzz.damage import MARK
from tests.fuzz.scripts import Script
from tests.fuzz.visit import Heard
from tests.serve.mcp.raw import wired
from tests.serve.soundness import unsound
from tests.talk import agent, dial, figures

WITHIN = 2.0
"""Seconds in which a client beside the peers is served; as many times more as there are more to run than cores."""
KEPT = 2
"""Descriptors more that a database may have: SQLite keeps one for the next that opens the file while others have it."""
GROWTH = 48 << 10
"""Kilobytes that the daemon may grow by in a round, once it is warm: its memories grow with what it keeps."""


def opened(pid: int) -> Counter[str]:
    """What a process has open: files by their paths, and how many sockets and pipes."""
    found: Counter[str] = Counter()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            found[os.readlink(link).partition(":")[0]] += 1
    return found


class Bystander(threading.Thread):
    """A client that behaves, and asks for its memory all the while."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__(daemon=True)
        self.slowest = 0.0
        self.fault: str | None = None
        self._ended = threading.Event()
        self._line = agent(daemon, "restricted", agent="bystander")
        self._line.ask(wire.Save(key="bystander", content="still here"), wire.Saved)

    def run(self) -> None:
        """Ask, and note how long it took."""
        try:
            while not self._ended.wait(0.01):
                began = time.monotonic()
                got = self._line.ask(wire.Get(key="bystander"), wire.Got)
                self.slowest = max(self.slowest, time.monotonic() - began)
                assert got.memory.content == "still here"
        except Exception as error:
            self.fault = f"the client beside the peers: {error!r}"
        self._line.close()

    def stop(self) -> None:
        """Ask no more."""
        self._ended.set()
        self.join(30)


class Watch:
    """Watches one daemon through a round of visits."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        with wired(daemon) as first:  # the library of MCP is loaded once, beside the loop, and takes its time
            first.ask("tools/list")
        self.bystander = Bystander(daemon)
        self.acknowledged = bytearray()
        """All that was answered: the ids of what was acknowledged are in it."""
        self.unheard: set[str] = set()
        """Sessions whose peers did not hear the answers: what of theirs was kept, nobody knows."""
        self.pumps: set[str] = set()
        """Sessions of MCP: some of its tools acknowledge a key and no id."""
        self._read = 0
        self._before: dict[str, int] = {}
        self._open: Counter[str] = Counter()
        self.bystander.start()

    def note(self, told: Script, heard: Heard) -> None:
        """Note what a visit was answered, and whose answers nobody heard."""
        self.acknowledged += heard.said
        (self.pumps if told.heard_out else self.unheard).update(heard.sessions)

    def warm(self) -> None:
        """From here on the daemon is not to grow."""
        self._before = figures(self.daemon.pid)
        self._open = opened(self.daemon.pid)

    def wrong_now(self) -> str | None:
        """What does not hold at this moment."""
        process = self.daemon.process
        if process is None or process.poll() is not None:
            return f"the daemon ended: {self.daemon.log[-3000:]}"
        log = self.daemon.log
        fresh, self._read = log[self._read :], len(log)
        for sign in ('"fault"', "Traceback", MARK):
            if sign in fresh:
                return f"{sign} in the log: {fresh[:3000]}"
        if self.bystander.slowest > WITHIN * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)):
            return f"a client beside the peers waited {self.bystander.slowest:.2f} s"
        return self.bystander.fault

    def wrong_at_last(self) -> str | None:
        """What does not hold when the peers are gone: nothing leaked, all is sound, only what was answered is kept."""
        self.bystander.stop()
        after = self._settled()
        more = opened(self.daemon.pid) - self._open if self._before else Counter[str]()
        if [name for name, count in more.items() if count > (KEPT if name.endswith(".db") else 0)]:
            return f"descriptors: {self._before} before, {after} after, more {dict(more)}"
        if self._before and after["rss"] - self._before["rss"] > GROWTH:
            return f"memory: {self._before} before, {after} after"
        with dial(self.daemon, "control") as owner:
            owner.socket.settimeout(300)
            audited = owner.ask(wire.AuditVerify(), wire.Audited)
        problems = [problem for audit in audited.audits for problem in audit.problems] + audited.control
        return str(problems[:20]) if problems else self.wrong_now() or self._wrong_on_disk()

    def figures(self) -> str:
        """A line for whoever waits."""
        now = figures(self.daemon.pid)
        slowest = self.bystander.slowest * 1000
        return f"{now['rss'] >> 10} MiB, {now['descriptors']} descriptors, slowest get beside {slowest:.0f} ms"

    def _settled(self) -> dict[str, int]:
        deadline = time.monotonic() + 10
        while (now := figures(self.daemon.pid)) and self._before and time.monotonic() < deadline:
            if now["descriptors"] <= self._before["descriptors"]:
                break
            time.sleep(0.05)
        return now

    def _wrong_on_disk(self) -> str | None:
        if problems := unsound(self.daemon):
            return str(problems[:20])
        answered = bytes(self.acknowledged)
        for level in Level:
            file = self.daemon.home / "state" / f"{level.name.lower()}.db"
            with apsw.Connection(str(file)) as connection:
                for id_, session, key in connection.execute("SELECT id, session, key FROM memory"):
                    told = [str(id_), json.dumps(key)[1:-1], str(key)] if session in self.pumps else [str(id_)]
                    heard = session in self.unheard or any(each.encode() in answered for each in told)
                    if key != "bystander" and not heard:
                        return f"{level.name} keeps {id_} of {session}, which was never acknowledged: {key!r}"
        return None
