"""``make soak``: 32 clients of all kinds on one daemon for 20 minutes; ends with a verdict, samples and a graph."""

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import memtrig
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.mcp.raw import wired
from tests.soak.graph import draw
from tests.soak.verdict import Latency, Sample, Verdict, judge
from tests.talk import dial, figures

KINDS = {"probe": 2, "blocking": 10, "asyncio": 8, "pump": 6, "hook": 2, "context": 2, "ctl": 2}
"""How many clients of each kind there are: 32."""
DIES = "blocking"
"""The kind whose process is killed with all its clients in the middle of their work, every DEATH seconds."""
DEATH = 30.0
LATE = 3
"""Hooks that may give up in a run: on a busy machine a process may start too late."""
FILLED = 2000
"""Memories that are there before the clients come."""


class Soak:
    """One run: the daemon, the processes of clients, and what was sampled."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.samples: list[Sample] = []
        self.latencies: list[Latency] = []
        self.faults: list[str] = []
        self.late = 0
        """Hooks that gave up, since the daemon did not answer within their second."""
        self._began = time.monotonic()
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self._lives = 0

    def run(self, seconds: float) -> Verdict:
        """Let the clients work for so long, and judge."""
        self._fill()
        before = self._sample()
        self._began = time.monotonic()
        for kind in KINDS:
            self._start(kind)
        death = DEATH
        while (now := self._now()) < seconds:
            self.samples.append(self._sample())
            if now > death:
                death += DEATH
                self._processes[DIES].kill()
                self._start(DIES)
            time.sleep(max(0.0, len(self.samples) - self._now()))
        for process in self._processes.values():
            process.communicate("")
        verdict = judge(self.samples, self.latencies, before, self._settled(before))
        return verdict._replace(wrong=[*self.faults[:10], *verdict.wrong, *self._signs()])

    def _fill(self) -> None:
        """Make a store of some size, and let everything be loaded that is loaded once."""
        with memtrig.connect(agent="filler", home=str(self.daemon.home)) as memory:
            for number in range(FILLED):
                memory.save(f"filled {number}", f"It is known that number {number} likes tea at {number % 24} o'clock.")
        with wired(self.daemon) as first, dial(self.daemon, "control") as owner:
            first.ask("tools/list")
            owner.socket.settimeout(120)
            owner.ask(wire.BackupNow(), wire.BackedUp)
        time.sleep(1)

    def _start(self, kind: str) -> None:
        self._lives += 1
        name = f"{kind}-{self._lives if kind != DIES else 0}"
        command = [sys.executable, "-m", "tests.soak.work", kind, str(KINDS[kind]), str(self.daemon.home), name]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._processes[kind] = process
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()

    def _listen(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("FAULT"):
                self.faults.append(line.strip())
            elif line.startswith("LATE"):
                self.late += 1
            else:
                self.latencies.append(Latency(self._now(), float(line.split()[1])))

    def _now(self) -> float:
        return time.monotonic() - self._began

    def _sample(self) -> Sample:
        seen = figures(self.daemon.pid)
        state = self.daemon.home / "state"
        log, store = (sum(each.stat().st_size for each in state.glob(f"*.db{end}")) for end in ("-wal", ""))
        return Sample(self._now(), seen["rss"], seen["descriptors"], seen["threads"], log, store)

    def _settled(self, before: Sample) -> Sample:
        deadline = time.monotonic() + 10
        while (now := self._sample()).descriptors > before.descriptors and time.monotonic() < deadline:
            time.sleep(0.1)
        return now

    def _signs(self) -> list[str]:
        """What the log has that it should not have."""
        late = [f"{self.late} hooks were not answered in time"] if self.late > LATE else []
        return late + [f"{sign} in the log" for sign in ('"fault"', "Traceback") if sign in self.daemon.log]


def main() -> int:
    """Run by the command line; 1 where the verdict is bad."""
    parser = argparse.ArgumentParser(prog="tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--json", type=Path, default=Path("build/soak.json"))
    parser.add_argument("--graph", type=Path, default=Path("docs/soak.png"))
    asked = parser.parse_args()
    daemon = Daemon()
    try:
        soak = Soak(daemon.start())
        verdict = soak.run(asked.minutes * 60)
        code = daemon.stop()
    finally:
        daemon.remove()
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    told = {"samples": [each._asdict() for each in soak.samples], "verdict": verdict._asdict()}
    told["verdict"]["windows"] = [each._asdict() for each in verdict.windows]
    asked.json.write_text(json.dumps(told, indent=1))
    draw(soak.samples, verdict.windows, asked.graph)
    _say(soak, verdict)
    return int(bool(verdict.wrong) or code != 0)


def _say(soak: Soak, verdict: Verdict) -> None:
    for each in verdict.windows:
        print(f"{each.at / 60:5.1f} min  p50 {each.p50 * 1000:6.2f} ms  p99 {each.p99 * 1000:6.2f} ms  {each.requests}")
    first, last = soak.samples[0], soak.samples[-1]
    print(f"memory {first.rss >> 10} → {last.rss >> 10} MiB, {verdict.growth:+.1%} since warm")
    print(f"descriptors {min(s.descriptors for s in soak.samples)} to {max(s.descriptors for s in soak.samples)}")
    print(f"logs at most {max(s.log_bytes for s in soak.samples) >> 20} MiB")
    print(f"databases {first.store_bytes >> 20} → {last.store_bytes >> 20} MiB")
    print(f"{soak.late} hooks late")
    print(f"p99 of the last third by the first: {verdict.steeper:.2f}")
    print("\n".join(f"BAD: {each}" for each in verdict.wrong) or "all flat")


if __name__ == "__main__":
    raise SystemExit(main())
