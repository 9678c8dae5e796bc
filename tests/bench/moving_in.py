"""What an import takes beside bare SQLite inserts of the same rows with a full-text index, and what others feel of it.

``make bench-import``, or ``python -m tests.bench.moving_in --records 100000``. The records are of our own JSON Lines,
their texts of words by Zipf's law; ``memtrigctl import`` takes one half of them by itself, from its start to its end,
and the other beside a quiet agent. Exits with 1 if the first has less than a third of the speed of the inserts, which
are one transaction of one ``executemany``, or if the 99th percentile of a get, save or search beside the second is over
three times that alone.
"""

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtrigd.domain.memory import Kind
from memtrigd.domain.moments import DAY, to_iso
from tests.bench.fairness import Took, asking, at, quiet
from tests.bench.search import resident, texts
from tests.conftest import Daemon

THIRD, THRICE = 1 / 3, 3.0
SECONDS = 4.0
"""For which the quiet agent is alone, before and again after."""
EACH = 4
"""Rows of a transaction, for a second comparison: as many records as an import has in a request."""
KINDS = [kind.value for kind in Kind if kind is not Kind.EMOTION]


def records(said: list[str]) -> Iterator[dict[str, Any]]:
    """A record for each text, over a year, of a thousand entities, every third with tags."""
    now = time.time_ns() // 1000
    for n, text in enumerate(said):
        made: dict[str, Any] = {
            "key": f"bench-{n}",
            "content": text,
            "kind": KINDS[n % len(KINDS)],
            "entity": f"entity {n % 1000}",
        }
        if n % 3 == 0:
            made["tags"] = ["bench", f"tag-{n % 40}"]
        yield made | {"created": to_iso(now - (len(said) - n) * (365 * DAY // len(said)))}


def written(path: Path, rows: list[dict[str, Any]]) -> None:
    """The file that is imported."""
    with path.open("w") as file:
        file.write(json.dumps({"memtrig": "memories", "version": 1}) + "\n")
        file.writelines(json.dumps(row) + "\n" for row in rows)


def bare(path: Path, rows: list[dict[str, Any]], each: int | None = None) -> float:
    """Seconds for the rows in a table and their texts in a full-text index, committed at the end or each so many."""
    connection = sqlite3.connect(path)
    connection.executescript(_TABLES)
    flat = [tuple(map(row.get, ("key", "kind", "entity", "created", "content"))) for row in rows]
    flat = [(*fields, json.dumps(row.get("tags", []))) for fields, row in zip(flat, rows, strict=True)]
    began = time.perf_counter()
    for begin in range(0, len(flat), each or len(flat)):
        part = flat[begin : begin + (each or len(flat))]
        connection.executemany("INSERT INTO memory VALUES (?, ?, ?, ?, ?, ?, ?)", _numbered(part, begin))
        connection.executemany("INSERT INTO found (rowid, text) VALUES (?, ?)", _texts(part, begin))
        connection.commit()
    took = time.perf_counter() - began
    connection.close()
    return took


def _numbered(rows: list[tuple[Any, ...]], begin: int) -> Iterator[tuple[Any, ...]]:
    return ((number, *row) for number, row in enumerate(rows, begin))


def _texts(rows: list[tuple[Any, ...]], begin: int) -> Iterator[tuple[int, str]]:
    return ((number, row[4]) for number, row in enumerate(rows, begin))


def importing(daemon: Daemon, path: Path) -> "subprocess.Popen[str]":
    """The import of a file, begun."""
    command = [sys.executable, "-m", "memtrig.ctl", "--home", os.fspath(daemon.home), "import", os.fspath(path)]
    return subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True)


def ended(process: "subprocess.Popen[str]") -> None:
    """Wait for its end, and see that all was taken."""
    told, _ = process.communicate()
    assert process.returncode == 0 and json.loads(told)["not_taken"] == {}, told


def imported(daemon: Daemon, path: Path) -> float:
    """Seconds for the import of a file, from the start of the command to its end."""
    began = time.perf_counter()
    ended(importing(daemon, path))
    return time.perf_counter() - began


def felt(daemon: Daemon, path: Path) -> tuple[float, Took]:
    """The same beside the quiet agent, and what the agent felt."""
    process, end = importing(daemon, path), 0.0
    began = time.perf_counter()

    def goes_on() -> bool:
        nonlocal end
        end = time.perf_counter()
        return process.poll() is None

    took = asking(daemon, goes_on)
    ended(process)
    return end - began, took


def compared(alone: Took, beside: Took) -> float:
    """Print what the quiet agent felt, and return the worst ratio of 99th percentiles."""
    worst = 0.0
    for what, times in beside.items():
        ratio = at(times, 0.99) / at(alone[what], 0.99)
        worst = max(worst, ratio)
        print(
            f"  {what:7} p50 {at(alone[what], 0.5):7.2f} → {at(times, 0.5):7.2f} ms"
            f"   p99 {at(alone[what], 0.99):7.2f} → {at(times, 0.99):7.2f} ms   p99 ratio {ratio:6.2f}"
            f"   ({len(times)} beside the import)"
        )
    return worst


def main() -> int:
    """Insert, import beside the quiet agent, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    rows = list(records(texts(options.records, None, random.Random(options.seed))))
    half = len(rows) // 2
    daemon = Daemon()
    try:
        first, second = daemon.home / "first.jsonl", daemon.home / "second.jsonl"
        written(first, rows[:half])
        written(second, rows[half:])
        before = bare(daemon.home / "before.db", rows)
        piecemeal = bare(daemon.home / "piecemeal.db", rows, each=EACH)
        daemon.start()
        took = imported(daemon, first)
        quiet(daemon, 0.5)
        alone = quiet(daemon, SECONDS)
        with_agent, beside = felt(daemon, second)
        again = quiet(daemon, SECONDS)
        size = resident(daemon.pid, "VmHWM")
        after = bare(daemon.home / "after.db", rows)
    finally:
        daemon.remove()
    speed, theirs = half / took, len(rows) / ((before + after) / 2)
    print(f"{half:,} records imported in {took:.1f} s: {speed:,.0f} a second; as many beside the quiet agent in")
    print(f"{with_agent:.1f} s: {(len(rows) - half) / with_agent:,.0f} a second")
    print(
        f"bare inserts: {theirs:,.0f} a second in one transaction, {len(rows) / piecemeal:,.0f} in one each {EACH} rows"
    )
    print(f"the daemon had {size:.0f} MB in memory at most")
    print("the quiet agent, alone → beside the import:")
    worst = compared({what: alone[what] + again[what] for what in alone}, beside)
    print(f"the import has {speed / theirs:.3f} of the speed of the inserts (at least {THIRD:.2f})")
    print(f"worst p99 beside it: {worst:.2f} times that alone (limit {THRICE:.0f})")
    return int(speed < theirs * THIRD or worst > THRICE)


_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE memory (number INTEGER PRIMARY KEY, key TEXT UNIQUE, kind, entity, created, content TEXT, tags);
CREATE VIRTUAL TABLE found USING fts5 (text, content = '', tokenize = 'unicode61');
"""


if __name__ == "__main__":
    sys.exit(main())
