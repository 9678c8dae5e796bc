"""``make fuzz``: rounds of hostile visits, each on a fresh daemon. ``--seed`` repeats a run, ``--only`` one visit."""

import argparse
import secrets
import sys
import threading
import time
from itertools import count

from tests.conftest import Daemon
from tests.fuzz.scripts import Script, script
from tests.fuzz.visit import visit
from tests.fuzz.watch import Watch

ROUND = 120.0
"""Seconds on one daemon: then it is looked at in peace, file by file."""
PEERS = 3
"""Visitors at a time."""


SHOWN = 3000
"""Characters of a visit that are printed of a finding; ``--only`` prints all of it."""


class Finding(Exception):
    """What does not hold, and the visits that were under way or just over."""

    def __init__(self, wrong: str, seed: int, scripts: list[Script]) -> None:
        super().__init__(wrong)
        told = [f"  --seed {seed} --only {each.number}  {str(each)[:SHOWN]}" for each in scripts]
        self.story = "\n".join([f"FOUND: {wrong}", "visits that were under way, as bytes:", *told])


class Round:
    """Some peers that visit one daemon, each after the other of its own visits, until the time is over."""

    def __init__(self, daemon: Daemon, seed: int, numbers: "count[int]", seconds: float, most: int) -> None:
        self.visits = 0
        self._watch = Watch(daemon)
        self._seed = seed
        self._numbers = numbers
        self._until = time.monotonic() + seconds
        self._most = most
        self._lock = threading.Lock()
        self._lately: list[Script] = []
        self.finding: Finding | None = None

    def run(self) -> str:
        """Visit; returns a line of figures. Raises Finding."""
        threads = [threading.Thread(target=self._peer) for _ in range(PEERS)]
        for thread in threads:
            thread.start()
        warm = time.monotonic() + (self._until - time.monotonic()) / 4
        while any(thread.is_alive() for thread in threads):
            if warm and time.monotonic() > warm:
                warm = 0.0
                self._watch.warm()
            self._note(self._watch.wrong_now())
            time.sleep(0.2)
        told = self._watch.figures() if self.finding is None else ""
        self._note(self._watch.wrong_at_last() if self.finding is None else None)
        if self.finding is not None:
            raise self.finding
        return told

    def _peer(self) -> None:
        while time.monotonic() < self._until and self.finding is None and self.visits < self._most:
            with self._lock:
                told = script(self._seed, next(self._numbers))
                self._lately = [*self._lately[1 - 4 * PEERS :], told]
            try:
                heard = visit(self._watch.daemon, told)
            except Exception as error:
                self._note(f"the visit itself: {error!r}", told)
                return
            with self._lock:
                self.visits += 1
                self._watch.note(told, heard)
            self._note(heard.wrong, told)

    def _note(self, wrong: str | None, told: Script | None = None) -> None:
        if wrong is not None and self.finding is None:
            self.finding = Finding(wrong, self._seed, [told] if told else list(self._lately))


def fuzz(seconds: float, seed: int, *, start: int = 0, most: int = sys.maxsize, say: bool = True) -> int:
    """Fuzz for so long, or with so many visits; returns how many there were. Raises Finding."""
    until, numbers, visits = time.monotonic() + seconds, count(start), 0
    while (left := until - time.monotonic()) > 0 and visits < most:
        daemon = Daemon()
        try:
            round_ = Round(daemon.start(), seed, numbers, min(left, ROUND), most)
            told = round_.run()
        finally:
            daemon.remove()
        visits += round_.visits
        if say:
            print(f"{visits} visits; {told}; sound", flush=True)
    return visits


def once(seed: int, number: int) -> str | None:
    """Repeat one visit of a run; returns what is wrong."""
    daemon = Daemon()
    try:
        watch = Watch(daemon.start())
        told = script(seed, number)
        heard = visit(daemon, told)
        watch.note(told, heard)
        print(told, heard, sep="\n")
        return heard.wrong or watch.wrong_now() or watch.wrong_at_last()
    finally:
        daemon.remove()


def main() -> int:
    """Run by the command line; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--start", type=int, default=0, help="the number of the first visit")
    parser.add_argument("--only", type=int, help="repeat the visit of this number")
    asked = parser.parse_args()
    print(f"--seed {asked.seed}", flush=True)
    if asked.only is not None:
        wrong = once(asked.seed, asked.only)
        print(f"FOUND: {wrong}" if wrong else "nothing found")
        return int(wrong is not None)
    try:
        visits = fuzz(asked.minutes * 60, asked.seed, start=asked.start)
    except Finding as finding:
        print(finding.story)
        return 1
    print(f"nothing found in {visits} visits")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
