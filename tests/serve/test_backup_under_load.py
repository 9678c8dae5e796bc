"""A backup that is made while agents write, and what a restore makes of it: the state at one moment, row by row."""

import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from memtrig import wire

from memtrigd.store.manifest import open_copy
from tests.conftest import Daemon
from tests.talk import Line, agent, dial

pytestmark = pytest.mark.slow

FIRST = 40
"""Writes of each agent before the backup is asked for."""
PATIENCE = 60
"""Seconds for that; it takes a part of one on an idle machine."""
JOURNALS = {"audit", "event"}
"""The tables in which a restore leaves a row of its own."""


class Writer(threading.Thread):
    """An agent that writes without a pause: ``sent`` and ``acked`` count its steps, each of which is seen in ``steps``.

    One above another agent also denies what that one said, which its own level keeps in its ledger.
    """

    def __init__(self, line: Line, name: str, below: list[str]) -> None:
        super().__init__(daemon=True)
        self._line = line
        self._name = name
        self._below = below
        self.over = threading.Event()
        self.sent = self.acked = 0

    def text(self, step: int) -> str:
        """What it says in a step."""
        return f"{self._name} said the {step}th thing"

    def run(self) -> None:
        """Save, and deny something below, in turn."""
        while not self.over.is_set():
            step = self.sent
            self.sent += 1
            self._line.ask(wire.Save(key=f"{self._name}-{step}", content=self.text(step)), wire.Saved)
            if step < len(self._below):
                assert self._line.exchange(wire.Deny(id=self._below[step])).result
            self.acked += 1

    def reach(self, steps: int) -> None:
        """Wait until it has so many steps behind it."""
        until = time.monotonic() + PATIENCE
        while self.acked < steps:
            assert self.is_alive() and time.monotonic() < until
            time.sleep(0.01)


def rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of a database, the shadows of its index apart."""
    with closing(open_copy(path)) as copy:
        of_ours = "schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
        named = f"SELECT name FROM pragma_table_list WHERE {of_ours}"
        tables = [str(name) for (name,) in copy.execute(named)]
        return {table: list(copy.execute(f'SELECT * FROM "{table}"')) for table in tables}


def test_it_goes_back_to_exactly_the_state_of_its_moment(daemon: Daemon) -> None:
    """All that was acknowledged before it was asked for, nothing that was said after the answer, and no gap between.

    The restored files hold row for row what the backup does, ledgers and answers for retries among it; but for the
    journal's own row about the restore.
    """
    state = daemon.home / "state"
    with dial(daemon, "control") as control, agent(daemon) as low, agent(daemon, "confidential") as high:
        said = [low.ask(wire.Save(key=f"low-{n}", content=f"the {n}th old thing"), wire.Saved).id for n in range(100)]
        writers = {"internal": Writer(low, "asha", []), "confidential": Writer(high, "ravi", said)}
        for writer in writers.values():
            writer.start()
            writer.reach(FIRST)
        before = {level: writer.acked for level, writer in writers.items()}
        backup = control.ask(wire.BackupNow(), wire.BackedUp).backup
        after = {level: writer.sent for level, writer in writers.items()}
        for level, writer in writers.items():
            writer.reach(after[level] + FIRST)
        for writer in writers.values():
            writer.over.set()
            writer.join(30)
        control.ask(wire.Restore(name=backup.name), wire.Restored)
    with dial(daemon, "control") as control:
        assert [each.problems for each in control.ask(wire.AuditVerify(), wire.Audited).audits] == [[]] * 4
    assert daemon.stop() == 0
    for level, writer in writers.items():
        kept, back = rows(state / "backups" / backup.name / f"{level}.db"), rows(state / f"{level}.db")
        assert kept.keys() == back.keys()
        for table in kept.keys() - JOURNALS:
            assert back[table] == kept[table], table
        for table in JOURNALS:
            assert back[table][:-1] == kept[table]
        known = _texts(state / f"{level}.db", writer)
        assert known == [writer.text(step) for step in range(len(known))], "a gap, or another text"
        assert before[level] <= len(known) <= after[level]
    denied = {row[0] for row in rows(state / "confidential.db")["ledger"]}
    count = len(_texts(state / "confidential.db", writers["confidential"]))
    assert denied in (set(said[:count]), set(said[: count - 1]))


def _texts(path: Path, writer: Writer) -> list[str]:
    """What is kept of an agent's saves, in their order."""
    with closing(open_copy(path)) as copy:
        found = copy.execute(
            "SELECT content FROM memory WHERE content LIKE ? ORDER BY number", (writer.text(0).replace("0th", "%"),)
        )
        return [str(content) for (content,) in found]
