"""What a search takes with 100,000 memories, through the client, beside SQLite's own full text on the same texts.

``make bench-search``, or ``python -m tests.bench.search --memories 1000000 --data TEXTS.json``. Texts are made of words
by Zipf's law, or are those of a file in the format of ``tests/bench/recall.py``, permuted. Exits with 1 if the median
is over a third of SQLite's, or the 99th percentile over a fifth. With ``--hybrid`` every memory has a vector and the
daemon its model: then if the median is over three times that of the model by itself.
"""

import argparse
import json
import os
import random
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import memtrig

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import DAY
from memtrigd.search.analyser import memory_terms
from memtrigd.store.interface import Change, Hands
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions
from tests.bench import meaning
from tests.conftest import Daemon

QUESTIONS = 400
WARM = 20
SAVES = 50
AT_ONCE = 5_000
VOCABULARY = 60_000
SYLLABLES = "kalomirenshatuvedorpiangelbusyrotimelfuxanewo"
THIRD, FIFTH = 1 / 3, 1 / 5
THRICE = 3.0


def texts(count: int, data: Path | None, chance: random.Random) -> list[str]:
    """The texts of so many memories: of some 8 to 40 words, common ones in nearly all of them."""
    if data is not None:
        known = [doc["text"] for corpus in json.loads(data.read_text()) for doc in corpus["docs"]]
        words = [text.split() for text in known]
        return [" ".join(chance.sample(words[n % len(words)], len(words[n % len(words)]))) for n in range(count)]
    words_of = [_word(n) for n in range(VOCABULARY)]
    weights = list(accumulate(1 / (n + 3) for n in range(VOCABULARY)))
    return [" ".join(chance.choices(words_of, cum_weights=weights, k=chance.randint(8, 40))) for _ in range(count)]


def _word(number: int) -> str:
    parts = []
    number += len(SYLLABLES)
    while number:
        number, part = divmod(number, len(SYLLABLES) // 2)
        parts.append(SYLLABLES[2 * part : 2 * part + 2])
    return "".join(parts)


def questions(said: Sequence[str], chance: random.Random) -> list[str]:
    """Questions of two to six words, each of one memory: so common words come as often as in speech."""
    found = []
    for text in chance.choices(said, k=QUESTIONS):
        words = text.split()
        found.append(" ".join(chance.sample(words, min(len(words), chance.randint(2, 6)))))
    return found


def memories(said: Sequence[str]) -> Iterator[Memory]:
    """A memory for each text, over a year, of a thousand entities and conversations of fifty turns."""
    now = time.time_ns() // 1000
    for n, text in enumerate(said):
        at = now - (len(said) - n) * (365 * DAY // len(said))
        yield Memory(
            f"m{n:016}", f"bench-{n}", Level.INTERNAL, "default", text, at, at, at, entity=f"entity {n % 1000}",
            session=f"s{n // 50}", valid_from=at,
        )  # fmt: skip


def fill(home: Path, said: Sequence[str]) -> None:
    """Fill a home's store before its daemon starts."""
    change = Change(op="save", actor="bench", session=None, at=1)
    with Vault.open(home / "state") as vault:
        desk, lot = Transactions(vault), list[Memory]()

        def add(hands: Hands) -> None:
            assert hands.writer is not None
            for memory in lot:
                hands.writer.add(memory, memory_terms(memory.key, memory.content, memory.entity, (), None), change)

        for memory in memories(said):
            lot.append(memory)
            if len(lot) == AT_ONCE:
                desk.run_now(Level.INTERNAL, add)
                lot.clear()
        desk.run_now(Level.INTERNAL, add)


def raw(path: Path, said: Sequence[str]) -> sqlite3.Connection:
    """SQLite's full text of the same texts, as anybody would make it."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIRTUAL TABLE found USING fts5 (text, tokenize = 'unicode61')")
    connection.executemany("INSERT INTO found VALUES (?)", ((text,) for text in said))
    connection.execute("INSERT INTO found (found) VALUES ('optimize')")
    connection.commit()
    return connection


def timed(asked: Sequence[str], ask: Callable[[str], object]) -> list[float]:
    """How long each question took, in milliseconds, in order of the times."""
    took = []
    for number, question in enumerate(asked):
        began = time.perf_counter()
        ask(question)
        if number >= WARM:
            took.append((time.perf_counter() - began) * 1e3)
    return sorted(took)


def resident(pid: int, what: str = "VmRSS") -> float:
    """Megabytes of a process in memory."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(what))
    return int(line.split()[1]) / 1024


def at(took: Sequence[float], share: float) -> float:
    """A percentile of some ordered times."""
    return took[min(len(took) - 1, int(len(took) * share))]


def findable(memory: memtrig.Memory) -> float:
    """The median of the milliseconds from a save to the answer of the search that finds it."""
    took = []
    for n in range(SAVES):
        word = f"unheard{n}of"
        began = time.perf_counter()
        memory.save(f"fresh-{n}", f"A word that is {word} until now")
        (hit, *_) = memory.search(word)
        took.append((time.perf_counter() - began) * 1e3)
        assert hit.key == f"fresh-{n}", hit
    return sorted(took)[SAVES // 2]


def hybrid(said: Sequence[str], asked: Sequence[str]) -> int:
    """The same by meaning too, beside what the model takes by itself."""
    sampled = meaning.sample(said, asked)
    os.environ.pop("MEMTRIG_SEMANTIC", None)
    daemon = Daemon()
    try:
        fill(daemon.home, said)
        began = time.perf_counter()
        meaning.fill(daemon.home, len(said), sampled)
        print(f"{len(said):,} vectors filled in {time.perf_counter() - began:.0f} s", flush=True)
        daemon.start()
        with memtrig.connect(home=str(daemon.home)) as memory:
            ready = meaning.await_ready(memory)
            took = timed(asked, memory.search)
        size = resident(int((daemon.home / "state" / "daemon.lock").read_text()))
    finally:
        daemon.remove()
    print(f"the model is ready after {ready:.1f} s; the daemon has {size:.0f} MB in memory, the model's process apart")
    for who, each in (("memtrigd, by words and meaning", took), ("the model by itself", sampled.took)):
        print(f"  {who:34} p50 {at(each, 0.5):7.2f} ms   p99 {at(each, 0.99):7.2f} ms   longest {each[-1]:7.2f} ms")
    share = at(took, 0.5) / at(sampled.took, 0.5)
    print(f"p50 is {share:.2f} of it (at most {THRICE:.0f})")
    return int(share > THRICE)


def main() -> int:
    """Fill, ask both in turn, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--hybrid", action="store_true")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    said = texts(options.memories, options.data, chance)
    asked = questions(said, chance)
    if options.hybrid:
        return hybrid(said, asked)
    daemon = Daemon()
    try:
        began = time.perf_counter()
        fill(daemon.home, said)
        print(f"{len(said):,} memories filled in {time.perf_counter() - began:.0f} s", flush=True)
        lexicon = raw(daemon.home / "raw.db", said)
        began = time.perf_counter()
        daemon.start()
        ready = time.perf_counter() - began
        with memtrig.connect(home=str(daemon.home)) as memory:
            memory.search(asked[0])
            first = time.perf_counter() - began
            ours = timed(asked, memory.search)
            theirs = timed(asked, lambda question: lexicon.execute(_RAW, (_any(question),)).fetchall())
            fresh = findable(memory)
        pid = int((daemon.home / "state" / "daemon.lock").read_text())
        print(f"ready after {ready:.2f} s, first answer after {first:.2f} s; a save is found after {fresh:.2f} ms")
        print(f"the daemon has {resident(pid):.0f} MB in memory, {resident(pid, 'VmHWM'):.0f} at most")
    finally:
        daemon.remove()
    for who, took in (("memtrigd, through the client", ours), ("SQLite's bm25(), in this process", theirs)):
        print(f"  {who:34} p50 {at(took, 0.5):7.2f} ms   p99 {at(took, 0.99):7.2f} ms   longest {took[-1]:7.2f} ms")
    median, most = at(ours, 0.5) / at(theirs, 0.5), at(ours, 0.99) / at(theirs, 0.99)
    print(f"p50 is {median:.2f} of it (at most {THIRD:.2f}), p99 {most:.2f} (at most {FIFTH:.2f})")
    return int(median > THIRD or most > FIFTH)


def _any(question: str) -> str:
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(question.replace('"', "").split()))


_RAW = "SELECT rowid, bm25(found) FROM found WHERE found MATCH ? ORDER BY bm25(found) LIMIT 10"


if __name__ == "__main__":
    sys.exit(main())
