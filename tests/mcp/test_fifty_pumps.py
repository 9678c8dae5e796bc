"""Fifty agents at once, each with a pump of its own, on one daemon."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Self

import memtrig.host
import pytest

from tests.conftest import Daemon
from tests.mcp.conftest import PUMP

PUMPS: Final = 50
CALLS: Final = 20
"""Calls of each pump in a round."""
ROUNDS: Final = 8
GROWTH: Final = 1.05
"""What the daemon's memory may be in the later rounds, as a share of what it was in earlier ones: 1,200 bytes a call. A
single round tells little, since collections of garbage come when they come."""
LEVELS: Final = ("public", "internal", "confidential", "restricted")


class Pump:
    """A host's end of a pump, without the official client: fifty of these would be slower than what is measured."""

    def __init__(self, home: Path, number: int) -> None:
        self.name = f"agent-{number}"
        options = ["--home", os.fspath(home), "--no-start", "--agent", self.name, "--level", LEVELS[number % 4]]
        self._process = subprocess.Popen([PUMP, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._asked = 0

    def begin(self) -> Self:
        """Open the session as a client of the older revision does."""
        client = {"name": self.name, "version": "1"}
        self.send("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        return self

    def send(self, method: str, params: dict[str, Any]) -> None:
        """Send a request without waiting."""
        self._asked += 1
        asked = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        self._write(asked)

    def call(self, name: str, **given: Any) -> None:
        """Send a call of a tool."""
        self.send("tools/call", {"name": name, "arguments": given})

    def answers(self, count: int) -> list[dict[str, Any]]:
        """Wait for so many answers; what is told unasked is left out."""
        assert self._process.stdout is not None
        found: list[dict[str, Any]] = []
        while len(found) < count:
            said = json.loads(self._process.stdout.readline())
            if "id" in said:
                found.append(said)
        return found

    def confirm(self) -> None:
        """Say that the session is open."""
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def kill(self) -> None:
        """SIGKILL it."""
        self._process.kill()
        self._gone()

    def close(self) -> None:
        """Say all, and wait until it is gone."""
        if self._process.stdin is not None and self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait(10)
        self._gone()

    def _gone(self) -> None:
        self._process.wait(10)
        for stream in filter(None, (self._process.stdin, self._process.stdout)):
            stream.close()

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


@pytest.fixture(name="pumps")
def _pumps(daemon: Daemon) -> Iterator[list[Pump]]:
    """Fifty pumps whose sessions are open."""
    pumps = [Pump(daemon.home, number).begin() for number in range(PUMPS)]
    try:
        for pump in pumps:
            assert "result" in pump.answers(1)[0]
            pump.confirm()
        yield pumps
    finally:
        for pump in pumps:
            pump.close()


def test_no_reply_is_lost_and_memory_stays_flat(daemon: Daemon, pumps: list[Pump]) -> None:
    """Each call of each pump is answered once, by what it asked for; later rounds take no more memory."""
    sizes = []
    for _ in range(ROUNDS):
        for pump in pumps:
            for number in range(CALLS):
                _ask(pump, number)
        for pump in pumps:
            answers = pump.answers(CALLS)
            assert len({answer["id"] for answer in answers}) == CALLS
            for answer in answers:
                text = answer["result"]["content"][0]["text"]
                assert not answer["result"]["isError"] or "not_found" in text, text
                assert pump.name in text, "a reply went to another agent"
        sizes.append(_resident(daemon))
    assert min(sizes[-3:]) <= min(sizes[1:4]) * GROWTH, sizes


def test_killing_half_of_them_leaves_nothing_behind(daemon: Daemon, pumps: list[Pump]) -> None:
    """With calls under way: their connections and sessions are let go, and the other half is served as before."""
    with memtrig.host.connect(str(daemon.home)) as owner:

        def connected() -> int:
            return sum(each.connections for each in owner.sessions().sessions)

        assert connected() == PUMPS
        before = _descriptors(daemon)
        for pump in pumps[: PUMPS // 2]:
            for number in range(CALLS):
                _ask(pump, number)
            pump.kill()
        _until(lambda: _descriptors(daemon) == before - PUMPS // 2)
        _until(lambda: connected() == PUMPS // 2)
        for pump in pumps[PUMPS // 2 :]:
            pump.call("whoami")
            assert pump.name in pump.answers(1)[0]["result"]["content"][0]["text"]
        for pump in pumps:
            pump.close()
        _until(lambda: connected() == 0 and _descriptors(daemon) == before - PUMPS)
    assert '"level": "error"' not in daemon.log and "Traceback" not in daemon.log


def _ask(pump: Pump, number: int) -> None:
    """Save once in four, else read: what is answered names the agent."""
    key = f"{pump.name}-{number - number % 4}"
    if number % 4 == 0:
        pump.call("save", key=key, content=f"{pump.name} says {number}", source="auto_detect")
    else:
        pump.call("get", key=key)


def _resident(daemon: Daemon) -> int:
    """Pages of the daemon that are in memory."""
    return int(Path(f"/proc/{daemon.pid}/statm").read_text().split()[1])


def _descriptors(daemon: Daemon) -> int:
    return len(os.listdir(f"/proc/{daemon.pid}/fd"))


def _until(holds: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
