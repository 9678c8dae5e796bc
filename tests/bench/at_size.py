"""How long the long works take on a large store, and what an agent feels of them: ``python -m tests.bench.at_size``.

The store is filled through its own writer, without the daemon, and kept under ``--home`` for the next run. Then a real
daemon serves it: an agent saves and gets without a pause, alone and beside each work.
"""

import argparse
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memtrig import wire

from memtrigd.clockwork.apart import Apart, Drilling
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.search.analyser import terms_of
from memtrigd.store.interface import Change, Hands
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions
from tests.conftest import Daemon
from tests.talk import Line, agent, dial

BATCH = 1000
SHARE = 10
"""RESTRICTED has one memory for so many at INTERNAL."""
ALONE = 10.0
"""Seconds that the agent is measured alone."""


def words(count: int) -> list[str]:
    """Made-up words, always the same."""
    dice = random.Random(1)
    return ["".join(dice.choices("abcdefghijklmnop", k=dice.randint(3, 8))) for _ in range(count)]


def fill(state: Path, memories: int) -> None:
    """Fill two levels, a commit for each thousand."""
    dice, vocabulary = random.Random(2), words(5000)
    with Vault.open(state) as vault:
        writer = Transactions(vault)
        for level, count in ((Level.INTERNAL, memories), (Level.RESTRICTED, memories // SHARE)):
            for first in range(0, count, BATCH):
                made = [_memory(level, n, dice, vocabulary) for n in range(first, min(count, first + BATCH))]
                writer.run_now(level, lambda hands, made=made: _add(hands, made))


def _memory(level: Level, number: int, dice: random.Random, vocabulary: list[str]) -> Memory:
    at = number + 1
    return Memory(
        id=f"m{level}{number:07}",
        key=f"k{number}",
        level=level,
        space="default",
        content=" ".join(dice.choices(vocabulary, k=20)),
        created=at,
        updated=at,
        importance_at=at,
        entity=f"e{number % 500}",
        tags=(f"t{number % 50}",),
    )


def _add(hands: Hands, memories: list[Memory]) -> None:
    for memory in memories:
        hands.writer.add(memory, terms_of(memory), Change(op="save", actor="bench", session=None, at=memory.created))


class Agent(threading.Thread):
    """Saves and gets in turn, without a pause; ``taken`` has what each took, in milliseconds."""

    def __init__(self, line: Line) -> None:
        super().__init__(daemon=True)
        self._line = line
        self._over = threading.Event()
        self.taken: dict[str, list[float]] = {"save": [], "get": []}

    def run(self) -> None:
        """Go on until told to stop."""
        number = 0
        while not self._over.is_set():
            number += 1
            asked = (
                wire.Save(key=f"quiet{number % 500}", content=f"number {number}"),
                wire.Get(key=f"quiet{number % 500}"),
            )
            for name, request in zip(("save", "get"), asked, strict=True):
                began = time.perf_counter()
                self._line.exchange(request)
                self.taken[name].append((time.perf_counter() - began) * 1000)

    def stop(self) -> None:
        """Stop it."""
        self._over.set()
        self.join()


@contextmanager
def watched(daemon: Daemon, what: str) -> Iterator[None]:
    """Print how long something takes, what the agent feels of it, and how large the log of the writes gets."""
    log, largest, over = daemon.home / "state" / "internal.db-wal", [0], threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            largest[0] = max(largest[0], log.stat().st_size if log.exists() else 0)

    with agent(daemon) as line:
        quiet, watch = Agent(line), threading.Thread(target=look)
        quiet.start()
        watch.start()
        began = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - began
            quiet.stop()
            over.set()
            watch.join()
    felt = "  ".join(f"{name} {_at(0.5, took):6.1f} / {_at(0.99, took):6.1f}" for name, took in quiet.taken.items())
    print(f"{what:<24}{seconds:8.1f} s   {felt} ms   log {largest[0] >> 20:4} MiB", flush=True)


def _at(share: float, taken: list[float]) -> float:
    return sorted(taken)[int(share * (len(taken) - 1))] if taken else 0.0


def main() -> None:
    """Fill, serve, measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=50_000)
    parser.add_argument("--home", type=Path, help="a directory that keeps the store from run to run")
    parser.add_argument("--only", nargs="*", metavar="WORK", help="verify, prove, backup, drill, restore; unsaid, all")
    said = parser.parse_args()
    daemon = Daemon()
    if said.home is not None:
        daemon.home = said.home
        (said.home / "config").mkdir(parents=True, exist_ok=True)
        (said.home / "config" / "memtrigd.toml").write_text("[owner]\nseat_belt = false\n[backup]\non = false\n")
    state = daemon.home / "state"
    if not (state / "internal.db").exists():
        began = time.perf_counter()
        fill(state, said.memories)
        print(f"filled in {time.perf_counter() - began:.0f} s")
    print(f"internal.db {(state / 'internal.db').stat().st_size >> 20} MiB; the agent's median / p99")
    daemon.start()
    try:
        measure(daemon, said.only)
    finally:
        daemon.stop()


def measure(daemon: Daemon, only: list[str] | None) -> None:
    """Do each work beside the agent, or some of them."""
    with dial(daemon, "control") as control:
        control.socket.settimeout(3600)
        asks: dict[str, Callable[[], object]] = {
            "verify": lambda: control.ask(wire.AuditVerify(), wire.Audited),
            "prove": lambda: control.ask(wire.Prove(level="INTERNAL"), wire.Proof),
            "backup": lambda: control.ask(wire.BackupNow(), wire.BackedUp),
            "drill": lambda: Apart().run(Drilling(str(daemon.home / "state")), print, dict[Level, list[str]]),
        }
        for what, ask in asks.items():
            if only and what not in only:
                continue
            with watched(daemon, "alone"):
                time.sleep(ALONE)
            with watched(daemon, what):
                ask()
        if only and "restore" not in only:
            return
        began = time.perf_counter()
        control.ask(wire.Restore(), wire.Restored)
    while True:
        try:
            dial(daemon, "control").ask(wire.Ping(), wire.Pong)
            break
        except OSError:
            time.sleep(0.05)
    print(f"{'restore':<24}{time.perf_counter() - began:8.1f} s, a backup of what there was and a new start among it")


if __name__ == "__main__":
    main()
