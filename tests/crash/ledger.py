"""Clients that write without rest, try again whatever happens, and know what they were answered."""

import json
import threading
import time
from collections import Counter
from pathlib import Path

import apsw
import memtrig

from memtrigd.domain.levels import Level
from memtrigd.search.analyser import terms_of
from memtrigd.store.vault import Vault
from tests.conftest import Daemon

PATIENCE = 600.0
"""Seconds that a client goes on trying: a daemon that is killed again and again answers it before, on any machine."""


class Client(threading.Thread):
    """Saves memories and keeps promises at a level, one after the other, until it is told to stop."""

    def __init__(self, daemon: Daemon, number: int) -> None:
        super().__init__(daemon=True)
        self.level = Level(number % 3)
        self.saved: dict[str, str] = {}
        self.promised: list[str] = []
        self.failure: Exception | None = None
        self._number = number
        self._home = str(daemon.home)
        self._over = threading.Event()

    def run(self) -> None:
        """Write until told to stop. What is not answered in the end is a failure."""
        try:
            with memtrig.connect(self.level.slug, home=self._home, timeout=PATIENCE) as memory:
                while not self._over.is_set():
                    number = len(self.saved)
                    key, content = f"fact-{self._number}-{number}", f"said by {self._number}: {number} " * 9
                    memory.save(key, content, tags=["t"])
                    self.saved[key] = content
                    memory.promises.add(f"promise {self._number} {number}")
                    self.promised.append(f"promise {self._number} {number}")
        except Exception as failure:
            self.failure = failure

    def stop(self) -> None:
        """Let the write that is under way be answered, and no other begin."""
        self._over.set()


class Crowd:
    """Some clients at once."""

    def __init__(self, daemon: Daemon, size: int) -> None:
        self.clients = [Client(daemon, number) for number in range(size)]
        for client in self.clients:
            client.start()
        while not all(client.promised or client.failure for client in self.clients):
            time.sleep(
                0.01
            )  # a session whose first write was not answered yet may be gone with the daemon, and says so

    @property
    def answered(self) -> int:
        """How many writes were answered by now."""
        return sum(len(client.saved) + len(client.promised) for client in self.clients)

    def go_on(self, within: float = 30.0) -> None:
        """Wait until one more write is answered, so many seconds at most."""
        answered, deadline = self.answered, time.monotonic() + within
        while self.answered == answered and time.monotonic() < deadline:
            time.sleep(0.01)

    def finish(self) -> None:
        """Let all end; none may have failed."""
        for client in self.clients:
            client.stop()
        for client in self.clients:
            client.join(PATIENCE)
            assert client.failure is None, client.failure
            assert not client.is_alive()


def wrong_with(home: Path, crowd: Crowd) -> list[str]:
    """What is wrong with the store of a daemon that is not running: writes that are lost, or there twice."""
    found: list[str] = []
    state = home / "state"
    with Vault.open(state) as vault:
        found += [f"{level.name}: {why.message}" for level, why in vault.unavailable.items()]
        found += [problem for level in Level for problem in vault.verify(level, terms_of=terms_of)]
        found += vault.verify_control()
    for level in Level:
        path = str(state / f"{level.slug}.db")
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY, vfs="unix")  # unwatched
        rows = connection.execute("SELECT key, content, seen_count FROM memory").fetchall()
        promises = connection.execute("SELECT body FROM entry WHERE sort = 'promise'").fetchall()
        versions = Counter(str(key) for (key,) in connection.execute(_VERSIONS))
        connection.close()
        counts = [(str(key), seen) for key, _, seen in rows if str(key).startswith("fact-")]
        contents = {str(key): str(content) for key, content, _ in rows}
        clients = [client for client in crowd.clients if client.level is level]
        saved = {key: content for client in clients for key, content in client.saved.items()}
        found += [f"{key} is lost" for key, content in saved.items() if contents.get(key) != content]
        found += [f"{key} is there twice" for key, seen in counts if (seen, versions[key]) != (1, 1)]
        kept = Counter(json.loads(str(body))["text"] for (body,) in promises)
        found += [f"{text} is lost" for client in clients for text in client.promised if not kept[text]]
        found += [f"{text} is there {count} times" for text, count in kept.items() if count != 1]
    return found


_VERSIONS = "SELECT memory.key FROM version JOIN memory ON memory.id = version.memory_id"
