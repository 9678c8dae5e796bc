"""A daemon that is killed while it saves."""

import subprocess
import sys
from pathlib import Path

from memtrigd.domain.levels import Level
from memtrigd.store.vault import Vault

ENOUGH = 300
SAVES_FOR_EVER = """
import itertools, pathlib, sys, threading
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store.interface import Change
from memtrigd.store.vault import Vault
from memtrigd.store.writer import WriterLane

room = threading.Semaphore(32)

def acknowledge(outcomes):
    for _, outcome in outcomes:
        print(outcome, flush=True)
        room.release()

def save(n):
    level = Level(n % 2)
    made = Memory(id=f"{level.slug}-{n}", key=f"{n}", level=level, space="default", content="x" * (n % 500),
                  created=n, updated=n, importance_at=n)
    def run(hands):
        hands.writer.add(made, ["term"], Change(op="save", actor="agent", session=None, at=n))
        return made.id
    lane.submit(level, run, None)

lane = WriterLane(Vault.open(pathlib.Path(sys.argv[1])), acknowledge, sys.exit)
lane.start()
for n in itertools.count():
    room.acquire()
    save(n)
"""


def test_every_acknowledged_memory_survives_a_kill(state: Path) -> None:
    """After SIGKILL in the midst of commits all acknowledged rows are there, indexed, and the journals are sound."""
    command = [sys.executable, "-c", SAVES_FOR_EVER, str(state)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        acknowledged = [next(child.stdout) for _ in range(ENOUGH)]
        child.kill()
        acknowledged += child.stdout.readlines()
    with Vault.open(state) as vault:
        readers = vault.readers()
        found = {memory.id for reader in readers.values() for memory in reader.newest(["default"], None, None)}
        assert {line.strip() for line in acknowledged if line.endswith("\n")} <= found
        for level in (Level.PUBLIC, Level.INTERNAL):
            assert vault.verify(level) == []
            assert readers[level].corpus().documents == len(readers[level].postings("term")) > 0
            assert readers[level].connection.pragma("integrity_check") == "ok"
