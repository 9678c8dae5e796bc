"""What a dream cycle costs those who save meanwhile: 8 clients on 200,000 memories, with a cycle and without, in turn.

``make bench``, or ``python -m tests.bench.dream --memories 200000 --seconds 5``. Exits with 1 if with a cycle the 99th
percentile of a save, the median of all rounds, is over twice that without and over 25 ms more.
"""

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import memtrig.aio
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory
from memtrigd.domain.moments import DAY
from memtrigd.search import analyser
from memtrigd.store.interface import Change, Hands
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions
from tests.conftest import Daemon
from tests.talk import Line, dial

ROUNDS = 5
CLIENTS = 8
AT_ONCE = 2_000
"""Memories of one transaction while the store is filled."""
WORDS = ["tea", "garden", "winter", "letter", "piano", "neighbour", "river", "doctor", "holiday"]
TWICE, MORE = 2.0, 25.0
"""How much longer a save may take: so many times, or so many milliseconds more."""


def memories(count: int) -> Iterator[Memory]:
    """Some memories of a year, of a thousand entities; every hundredth runs out soon."""
    now = time.time_ns() // 1000
    for n in range(count):
        at = now - (count - n) * (365 * DAY // count)
        said = " ".join(WORDS[(n * step) % len(WORDS)] for step in (1, 3, 7, 11, 13))
        yield Memory(
            id=f"m{n:016}",
            key=f"bench-old-{n}",
            level=Level.INTERNAL,
            space="default",
            content=f"Number {n} is about {said}, as it was told on that day.",
            created=at,
            updated=at,
            importance_at=at,
            kind=list(Kind)[n % len(Kind)],
            entity=f"entity {n % 1000}",
            expires_at=now + 1 if n % 100 == 0 else None,
        )


def fill(home: Path, count: int) -> None:
    """Fill a home's store before its daemon starts."""
    change = Change(op="save", actor="bench", session=None, at=1)
    with Vault.open(home / "state") as vault:
        desk, lot = Transactions(vault), list[Memory]()

        def add(hands: Hands) -> None:
            assert hands.writer is not None
            for memory in lot:
                hands.writer.add(memory, analyser.terms(memory.content), change)

        for memory in memories(count):
            lot.append(memory)
            if len(lot) == AT_ONCE:
                desk.run_now(Level.INTERNAL, add)
                lot.clear()
        desk.run_now(Level.INTERNAL, add)


def saves(home: str, seconds: float) -> list[float]:
    """Let the clients save, each after its last save is answered; returns how long each took in milliseconds."""
    took: list[float] = []

    async def client(which: int, end: float) -> None:
        async with memtrig.aio.connect("internal", home=home) as memory:
            number = 0
            while (start := time.perf_counter()) < end:
                number += 1
                await memory.save(f"bench-{which}-{number % 200}", f"The client {which} says so, {number} times now.")
                took.append((time.perf_counter() - start) * 1e3)

    async def run() -> None:
        end = time.perf_counter() + seconds
        await asyncio.gather(*(client(which, end) for which in range(CLIENTS)))

    asyncio.run(run())
    return sorted(took)


def begin(daemon: Daemon) -> Line:
    """Begin a dream cycle; its answer comes when it is over."""
    line = dial(daemon, "control")
    line.socket.settimeout(3600)
    line.send(wire.Act(request=wire.Decay(), level="internal"))
    return line


def progress(daemon: Daemon) -> float:
    """How far the cycle is; 1 if it has ended."""
    with dial(daemon, "control") as line:
        told = {each.level: each.dream for each in line.ask(wire.GetStatus(), wire.StatusReport).levels}["INTERNAL"]
    assert told is not None
    return 1.0 if told.progress is None else told.progress


def at(took: list[float], share: float) -> float:
    """A percentile of some ordered times."""
    return took[min(len(took) - 1, int(len(took) * share))]


def main() -> int:
    """Measure in turn, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=200_000)
    parser.add_argument("--seconds", type=float, default=5.0)
    asked = parser.parse_args()
    daemon = Daemon()
    try:
        began = time.perf_counter()
        fill(daemon.home, asked.memories)
        print(f"{asked.memories:,} memories filled in {time.perf_counter() - began:.0f} s", flush=True)
        home = str(daemon.start().home)
        rounds: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
        saves(home, 1.0)
        for _ in range(ROUNDS):
            for dreaming in (False, True):
                line = begin(daemon) if dreaming else None
                took = saves(home, asked.seconds)
                what = "without a cycle"
                if line is not None:
                    what = f"with a cycle ({progress(daemon):.0%} of it)"
                    line.close()
                    daemon.restart()  # so that none goes on
                rounds[dreaming].append((at(took, 0.5), at(took, 0.99)))
                figures = f"p50 {at(took, 0.5):6.2f} ms   p99 {at(took, 0.99):6.2f} ms   longest {took[-1]:6.2f} ms"
                print(f"  {what:26} {len(took):6,} saves   {figures}", flush=True)
        began, line = time.perf_counter(), begin(daemon)
        dreamt = line.answer().result
        assert isinstance(dreamt, wire.Dreamt) and not dreamt.stopped, dreamt
        line.close()
        print(f"a whole cycle, nobody else being there: {time.perf_counter() - began:.1f} s")
    finally:
        daemon.remove()
    middle = {d: [statistics.median(column) for column in zip(*rows, strict=True)] for d, rows in rounds.items()}
    (p50, p99), (p50_with, p99_with) = middle[False], middle[True]
    print(f"median of {ROUNDS}: p50 {p50:.2f} → {p50_with:.2f} ms, p99 {p99:.2f} → {p99_with:.2f} ms")
    return int(p99_with > max(TWICE * p99, p99 + MORE))


if __name__ == "__main__":
    sys.exit(main())
