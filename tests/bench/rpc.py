"""How fast the wire is: get and save through the client, beside an echo server in C and one in asyncio, in one run.

``make bench``. One client is ``memtrig.connect``; 8 and 64 are ``memtrig.aio`` connections of one process. Every row
is measured several times in turn with the others and the median is printed, so that noise meets all alike.
"""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack

import memtrig
import memtrig.aio
from memtrig import wire

from tests.bench.echoes import echo
from tests.conftest import Daemon

ROUNDS = 5
SECONDS = 0.6
"""Length of one measurement."""
CONTENT = "x" * 200
GOT = wire.Got(
    memory=wire.Record(
        id="m" * 17, key="user-name", content=CONTENT, level="PUBLIC", created="2026-11-30T00:00:00.000000+00:00",
        updated="2026-11-30T00:00:00.000000+00:00", kind="general", entity=None, tags=[], status="active",
        source="auto_detect", importance=1.0, effective_importance=1.0, space="default",
    )
)  # fmt: skip

Timed = tuple[float, float]
"""p50 and p99 in microseconds."""


def percentiles(seconds: list[float]) -> Timed:
    """Return p50 and p99 of some times, in microseconds."""
    ordered = sorted(seconds)
    return ordered[len(ordered) // 2] * 1e6, ordered[int(len(ordered) * 0.99)] * 1e6


def one(home: str, level: str, save: bool) -> Timed:
    """Time calls of one synchronous client."""
    took: list[float] = []
    with memtrig.connect(level, home=home) as memory:
        end, number = time.perf_counter() + SECONDS, 0
        while (begin := time.perf_counter()) < end:
            number += 1
            memory.save(f"bench-{number % 500}", f"{CONTENT} {number}") if save else memory.get("user-name")
            took.append(time.perf_counter() - begin)
    return percentiles(took)


def many(home: str, level: str, save: bool, clients: int) -> Timed:
    """Time calls of many asyncio clients, each waiting for its answer before it asks again."""
    took: list[float] = []

    async def client(which: int, end: float) -> None:
        async with memtrig.aio.connect(level, home=home) as memory:
            number = 0
            while (begin := time.perf_counter()) < end:
                number += 1
                if save:
                    await memory.save(f"bench-{which}-{number % 100}", f"{CONTENT} {number}")
                else:
                    await memory.get("user-name")
                took.append(time.perf_counter() - begin)

    async def run() -> None:
        end = time.perf_counter() + SECONDS
        await asyncio.gather(*(client(which, end) for which in range(clients)))

    asyncio.run(run())
    return percentiles(took)


def processes(daemon: Daemon) -> tuple[float, float]:
    """Return the median seconds of ``memtrigctl get`` and of ``python -c pass`` as whole processes, taken in turn."""
    get = ["-m", "memtrig.ctl", "--home", str(daemon.home), "--as", "public", "get", "user-name"]
    took: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(21):
        for ours, command in ((True, get), (False, ["-c", "pass"])):
            begin = time.perf_counter()
            subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
            took[ours].append(time.perf_counter() - begin)
    return statistics.median(took[True]), statistics.median(took[False])


def main() -> None:
    """Measure and print a table."""
    with ExitStack() as stack:
        daemon = Daemon()
        stack.callback(daemon.remove)
        home = str(daemon.start().home)
        with memtrig.connect("public", home=home) as memory:
            memory.save("user-name", CONTENT)
        in_c, in_asyncio = (stack.enter_context(echo(kind, GOT)) for kind in ("c", "asyncio"))
        for clients in (1, 8, 64):
            rows: dict[str, Callable[[], Timed]] = {
                "C echo": lambda n=clients: _timed(in_c, "public", False, n),
                "asyncio echo": lambda n=clients: _timed(in_asyncio, "public", False, n),
                "get, PUBLIC": lambda n=clients: _timed(home, "public", False, n),
                "get, RESTRICTED": lambda n=clients: _timed(home, "restricted", False, n),
                "save, PUBLIC": lambda n=clients: _timed(home, "public", True, n),
            }
            _print(clients, rows)
        ours, bare = processes(daemon)
        print(f"memtrigctl get: {ours * 1e3:.1f} ms; python -c pass: {bare * 1e3:.1f} ms; ratio {ours / bare:.2f}")


def _timed(home: str, level: str, save: bool, clients: int) -> Timed:
    return one(home, level, save) if clients == 1 else many(home, level, save, clients)


def _print(clients: int, rows: dict[str, Callable[[], Timed]]) -> None:
    taken: dict[str, list[Timed]] = {name: [] for name in rows}
    for _ in range(ROUNDS):
        for name, measure in rows.items():
            taken[name].append(measure())
    print(f"{clients} client{'s' if clients > 1 else ''}: µs, the median of {ROUNDS} rounds")
    floor = statistics.median(p50 for p50, _ in taken["C echo"])
    for name, times in taken.items():
        p50, p99 = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"  {name:16} p50 {p50:8.1f}   p99 {p99:8.1f}   p50 / C echo {p50 / floor:5.2f}")


if __name__ == "__main__":
    main()
