"""How fast MCP is: the pump beside bare Python, a call beside the SDK's own server, and who waits for a large save.

``make bench``. What is compared is measured in turn in one run, so that noise meets all alike.
"""

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import memtrig

from tests.conftest import Daemon

STARTS = 21
CALLS = 300
ROUNDS = 7
LARGE = 1 << 20
SAVES = 5
CONTENT = "x" * 200
PUMP = str(Path(sys.executable).with_name("memtrig-mcp"))
SDK = [sys.executable, "-m", "tests.bench.sdk_server", CONTENT]
BARE = [sys.executable, "-c", "pass"]


class Agent:
    """A host's end of a stdio server, in either revision."""

    def __init__(self, command: list[str], *, modern: bool = False) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._asked = 0
        self._meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        self._modern = modern

    def begin(self) -> Self:
        """Greet."""
        if self._modern:
            self.ask("server/discover", {})
            return self
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        assert self.process.stdin is not None
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return self

    def ask(self, method: str, params: dict[str, Any]) -> bytes:
        """Ask, and return the line of the answer; what is told unasked is passed over."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self._asked += 1
        whole = {**params, "_meta": self._meta} if self._modern else params
        asked = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": whole}
        self.process.stdin.write(json.dumps(asked).encode() + b"\n")
        self.process.stdin.flush()
        while b'"id":' not in (line := self.process.stdout.readline()):
            assert line, "the server is gone"
        return line

    def call(self, name: str, **given: Any) -> bytes:
        """Call a tool that is to succeed."""
        line = self.ask("tools/call", {"name": name, "arguments": given})
        assert b'"result"' in line and b'"isError":true' not in line, line
        return line

    def close(self) -> None:
        """Say all."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(5)
        self.process.stdout.close()


def pump(daemon: Daemon, agent: str = "bench") -> list[str]:
    """The command of a pump to a daemon."""
    return [PUMP, "--home", os.fspath(daemon.home), "--no-start", "--agent", agent]


def starts(daemon: Daemon) -> None:
    """The pump's first byte beside bare Python's whole life, and their memory."""
    took: dict[str, list[float]] = {"bare": [], "pump": []}
    for _ in range(STARTS):
        begin = time.perf_counter()
        subprocess.run(BARE, check=True)
        took["bare"].append(time.perf_counter() - begin)
        begin = time.perf_counter()
        agent = Agent(pump(daemon)).begin()
        took["pump"].append(time.perf_counter() - begin)
        agent.close()
    bare, ours = (statistics.median(took[name]) * 1e3 for name in ("bare", "pump"))
    print(f"start to the first byte: pump {ours:.1f} ms, python -c pass {bare:.1f} ms, ratio {ours / bare:.2f}")
    agent = Agent(pump(daemon)).begin()
    idle = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    time.sleep(0.5)
    ours, bare = (_resident(process.pid) for process in (agent.process, idle))
    print(f"memory: pump {ours:.1f} MB, bare Python {bare:.1f} MB, ratio {ours / bare:.2f}")
    agent.close()
    idle.kill()
    idle.wait()


def calls(daemon: Daemon, *, modern: bool) -> None:
    """A call of ``get`` through pump and daemon, and the same of the SDK's own server."""
    agents = {"pump and daemon": Agent(pump(daemon), modern=modern), "SDK's own server": Agent(SDK, modern=modern)}
    p50: dict[str, list[float]] = {name: [] for name in agents}
    for agent in agents.values():
        agent.begin()
    for _ in range(ROUNDS):
        for name, agent in agents.items():
            p50[name].append(statistics.median(_timed(CALLS, lambda agent=agent: agent.call("get", key="user-name"))))
    ours, theirs = (statistics.median(p50[name]) * 1e3 for name in agents)
    era = "2026-07-28" if modern else "2025-11-25"
    print(f"get, {era}: p50 pump and daemon {ours:.2f} ms, SDK's own server {theirs:.2f} ms, {ours / theirs:.2f}")
    for agent in agents.values():
        agent.close()


def large(daemon: Daemon) -> None:
    """Small gets of one agent while another saves a mebibyte, beside the same without."""
    small, big = Agent(pump(daemon, "small")).begin(), Agent(pump(daemon, "big")).begin()
    small.call("get", key="user-name")
    quiet = _timed(CALLS, lambda: small.call("get", key="user-name"))
    saving = threading.Event()
    seconds: list[float] = []

    def save() -> None:
        for number in range(SAVES):
            begin = time.perf_counter()
            big.call("save", key="large", content=f"{number} " + "tea " * (LARGE // 4 - 4), source="auto_detect")
            seconds.append(time.perf_counter() - begin)
            time.sleep(0.2)
        saving.set()

    thread = threading.Thread(target=save)
    thread.start()
    beside: list[float] = []
    while not saving.is_set():
        beside += _timed(1, lambda: small.call("get", key="user-name"))
    thread.join()
    print(f"a save of 1 MiB: median {statistics.median(seconds) * 1e3:.0f} ms; small gets of another agent meanwhile:")
    for name, took in (("beside nothing", quiet), ("beside saves", beside)):
        print(f"  {name:15} {_spread(took)}")
    small.close()
    big.close()


def stall() -> None:
    """Gets of a client of the wire while the first agent of MCP lets the library be imported."""
    with ExitStack() as stack:
        daemon = Daemon()
        stack.callback(daemon.remove)
        daemon.start()
        memory = stack.enter_context(memtrig.connect("internal", home=str(daemon.home)))
        memory.save("user-name", CONTENT)
        quiet = _timed(2000, lambda: memory.get("user-name"))
        first = threading.Thread(target=lambda: Agent(pump(daemon)).begin().close())
        first.start()
        beside: list[float] = []
        while first.is_alive():
            beside += _timed(1, lambda: memory.get("user-name"))
        print("gets of the wire while the library is imported:")
        for name, took in (("before", quiet), ("meanwhile", beside)):
            print(f"  {name:15} {_spread(took)}")


def main() -> None:
    """Measure and print."""
    with ExitStack() as stack:
        daemon = Daemon()
        stack.callback(daemon.remove)
        with memtrig.connect("internal", home=str(daemon.start().home)) as memory:
            memory.save("user-name", CONTENT)
        Agent(pump(daemon)).begin().close()  # the library is there from here on
        starts(daemon)
        for modern in (False, True):
            calls(daemon, modern=modern)
        large(daemon)
    stall()


def _timed(count: int, act: Callable[[], Any]) -> list[float]:
    took = []
    for _ in range(count):
        begin = time.perf_counter()
        act()
        took.append(time.perf_counter() - begin)
    return took


def _spread(took: list[float]) -> str:
    ordered = sorted(took)
    p50, p99, most = (ordered[int(len(ordered) * share)] * 1e3 for share in (0.5, 0.99, 0.999999))
    return f"p50 {p50:6.2f} ms   p99 {p99:6.2f} ms   max {most:6.2f} ms   ({len(ordered)})"


def _resident(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
