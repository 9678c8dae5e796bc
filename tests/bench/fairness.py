"""What a flooding agent costs a quiet one: its gets, saves and searches beside a flood, and alone, in turn.

``make bench``, or ``python -m tests.bench.fairness --seconds 3 --rounds 5``. A flood is several connections, each with
as many requests under way as it may have. Exits with 1 if the 99th percentile of a get or a save beside any flood is
over three times that alone.
"""

import argparse
import json
import selectors
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memtrig import wire

from tests.conftest import Daemon
from tests.talk import Line, agent, socket_path

CONNECTIONS = 4
"""Of a flood."""
BLOCK = 128
"""Requests of each that are sent at a time: as many as may be under way."""
REST = 1.5
"""Seconds after a flood in which the daemon does what it still has of it."""
PAUSE = 0.002
"""Seconds that the quiet agent rests between its rounds of requests."""
LIMIT = 3.0
ASKED = ("get", "save", "search")
HELD = ("get", "save")
"""What the limit holds for; a search beside searches is shown."""
FLOODS = ("get", "save", "search", "large", "mcp")
LARGE = 1 << 20
CONTENT = "The quiet agent was told of tea in the garden by the river. "

Took = dict[str, list[float]]


def requests(kind: str, which: int, turn: int) -> list[wire.Request]:
    """One block of a flood; each turn says something new, so that every save is one."""
    if kind == "get":
        return [wire.Get(key=f"flood-{which}-0")] * BLOCK
    if kind == "search":
        return [wire.Search(query="tea garden river neighbour")] * BLOCK
    if kind == "large":
        words = " ".join(f"w{n % 5000}" for n in range(LARGE // 6))
        return [wire.Save(key=f"flood-{which}-{n}", content=f"{turn} {words}"[:LARGE]) for n in range(2)]
    return [wire.Save(key=f"flood-{which}-{n}", content=f"Said {n} in turn {turn}: {CONTENT}") for n in range(BLOCK)]


def block(kind: str, which: int, turn: int) -> bytes:
    """The bytes of one block."""
    if kind != "mcp":
        return b"".join(wire.call(n + 1, each) for n, each in enumerate(requests(kind, which, turn)))
    lines = [
        {"jsonrpc": "2.0", "id": f"{turn}-{n}", "method": "tools/call", "params": {"name": name, "arguments": given}}
        for n in range(BLOCK // 4)
        for name, given in (
            ("get", {"key": f"flood-{which}-{n}"}),
            ("save", {"key": f"flood-{which}-{n}", "content": f"Said {n} in turn {turn}.", "source": "auto_detect"}),
        )
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def greeted(path: str, kind: str) -> socket.socket:
    """Connect to a level's socket, say hello in the language of the flood, and wait for the answer."""
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(path)
    if kind != "mcp":
        Line(sock).ask(wire.Hello(protocol=wire.PROTOCOL, agent="flood"), wire.Welcome)
        return sock
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "flood", "version": "1"}}
    hello = {"memtrig": {"protocol": wire.PROTOCOL, "agent": "flood"}}
    first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}
    after = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answers = sock.makefile("rb")
    sock.sendall(json.dumps(hello).encode() + b"\n" + json.dumps(first).encode() + b"\n")
    assert b"session" in answers.readline() and b"result" in answers.readline()
    sock.sendall(json.dumps(after).encode() + b"\n")
    return sock


def flood(path: str, kind: str) -> None:
    """Send without end, and throw the answers away; says how many bytes of them came when it is told to stop."""
    selector, read = selectors.DefaultSelector(), 0
    turns = [0] * CONNECTIONS
    blocks = [[block(kind, which, turn) for turn in range(2)] for which in range(CONNECTIONS)]
    left = [memoryview(blocks[which][0]) for which in range(CONNECTIONS)]
    for which in range(CONNECTIONS):
        sock = greeted(path, kind)
        sock.setblocking(False)
        selector.register(sock, selectors.EVENT_READ | selectors.EVENT_WRITE, which)
    selector.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, events in selector.select():
            if key.fileobj is sys.stdin:
                print(read)
                return
            sock, which = key.fileobj, key.data
            assert isinstance(sock, socket.socket)
            if events & selectors.EVENT_READ:
                read += len(sock.recv(1 << 20))
            if events & selectors.EVENT_WRITE:
                left[which] = left[which][sock.send(left[which]) :]
                if not left[which]:
                    turns[which] += 1
                    left[which] = memoryview(blocks[which][turns[which] % 2])


@contextmanager
def flooding(daemon: Daemon, kind: str | None, level: str) -> Iterator[None]:
    """A flood meanwhile; none where there is no kind."""
    if kind is None:
        yield
        return
    path = str(socket_path(daemon, level))
    command = [sys.executable, "-m", "tests.bench.fairness", "--flood", kind, "--path", path]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        yield
    finally:
        process.communicate("stop\n", timeout=30)
    assert process.returncode == 0
    time.sleep(REST)


def quiet(daemon: Daemon, seconds: float) -> Took:
    """Let the quiet agent ask for so long; returns how long each request took in milliseconds."""
    end = time.perf_counter() + seconds
    return asking(daemon, lambda: time.perf_counter() < end)


def asking(daemon: Daemon, goes_on: Callable[[], bool]) -> Took:
    """Let the quiet agent ask, one request after the other; returns how long each took in milliseconds."""
    took: Took = {what: [] for what in ASKED}
    with agent(daemon, "internal", agent="quiet") as line:
        number = 0
        line.ask(wire.Save(key="quiet-0", content=CONTENT), wire.Saved)
        while goes_on():
            number += 1
            asked: dict[str, wire.Request] = {
                "get": wire.Get(key="quiet-0"),
                "save": wire.Save(key=f"quiet-{number % 50}", content=f"{CONTENT} {number}"),
                "search": wire.Search(query="tea garden quiet", max_results=3),
            }
            for what, request in asked.items():
                begin = time.perf_counter()
                answer = line.exchange(request)
                took[what].append((time.perf_counter() - begin) * 1e3)
                assert answer.result, answer
            time.sleep(PAUSE)
    return took


def at(took: list[float], share: float) -> float:
    """A percentile."""
    ordered = sorted(took)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def compared(kind: str, level: str, rounds: int, seconds: float) -> dict[str, float]:
    """Measure one flood and its absence in turn, print, and return the ratios of the 99th percentiles."""
    daemon = Daemon()
    middle: dict[str, dict[bool, list[tuple[float, float, int]]]] = {what: {False: [], True: []} for what in ASKED}
    try:
        daemon.start()
        quiet(daemon, 0.5)
        for _ in range(rounds):
            for flooded in (False, True):
                with flooding(daemon, kind if flooded else None, level):
                    took = quiet(daemon, seconds)
                for what, times in took.items():
                    middle[what][flooded].append((at(times, 0.5), at(times, 0.99), len(times)))
    finally:
        daemon.remove()
    ratios = {}
    for what, rows in middle.items():
        (p50, p99), (p50_beside, p99_beside) = (
            [statistics.median(row[n] for row in rows[flooded]) for n in (0, 1)] for flooded in (False, True)
        )
        ratios[what] = p99_beside / p99
        print(
            f"  {what:7} p50 {p50:7.2f} → {p50_beside:7.2f} ms   p99 {p99:7.2f} → {p99_beside:7.2f} ms"
            f"   p99 ratio {ratios[what]:6.2f}   ({sum(row[2] for row in rows[True])} beside the flood)",
            flush=True,
        )
    return ratios


def main() -> int:
    """Measure each flood, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=FLOODS)
    parser.add_argument("--levels", nargs="*", default=("internal", "public"))
    parser.add_argument("--flood", help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.flood:
        flood(asked.path, asked.flood)
        return 0
    worst = 0.0
    for kind in asked.only:
        for level in asked.levels:
            print(f"a quiet agent at internal, alone → beside a flood of {kind} at {level}:", flush=True)
            ratios = compared(kind, level, asked.rounds, asked.seconds)
            worst = max(worst, *(ratios[what] for what in HELD))
    print(f"worst p99 of a get or save beside a flood: {worst:.2f} times that alone (limit {LIMIT:.0f})")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
