"""``python -m memtrigd.doctor``: what memtrigctl has done where no daemon answers. It says the result as msgpack.

The result, or an error as the wire has it, goes to standard output. Exit code 0 for a result, 1 for an error.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
from memtrig import homes, wire
from memtrig.homes import Home

import memtrigd
from memtrigd.clockwork.ways_back import copy_of
from memtrigd.doctor import repair
from memtrigd.doctor.control_back import control_back
from memtrigd.doctor.examination import examined
from memtrigd.doctor.findings import fail
from memtrigd.doctor.repair import Surgery, Work
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.search.analyser import terms_of
from memtrigd.store import backup
from memtrigd.store.database import open_reader
from memtrigd.store.examination import Examined, examine
from memtrigd.store.queueing import Job
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions


def main() -> None:
    """Do what the command line says on a home whose daemon is stopped."""
    parser = argparse.ArgumentParser(prog="python -m memtrigd.doctor", description="What needs no daemon.")
    parser.add_argument("act", choices=("examine", "repair", "control"))
    parser.add_argument("name", nargs="?", help="the backup whose control.db is to come back; unsaid, the newest")
    parser.add_argument("--home", metavar="DIR")
    arguments = parser.parse_args()
    os.umask(0o077)
    try:
        home = homes.find(arguments.home)
        if arguments.act == "control":
            manifest, aside = control_back(Path(home.state), arguments.name)
            restored = msgspec.to_builtins(wire.Restored(backup=copy_of(manifest)))
            _say({**restored, "control": True, "aside": aside})
        else:
            mended = _repaired(home, _now()) if arguments.act == "repair" else []
            found = examined(home, _now(), None)
            _say(wire.Diagnosis(findings=[*mended, *found.findings], server=found.server, protocol=found.protocol))
    except Refusal as refusal:
        _say(wire.Error(code=refusal.code, message=refusal.message, hint=refusal.hint, retryable=refusal.retryable))
        sys.exit(1)


def _repaired(home: Home, now: Micros) -> list[wire.Finding]:
    """Mend the indexes alone with the files. A store that is not there is none to be made here."""
    state = Path(home.state)
    if not state.is_dir():
        return []
    try:
        vault = Vault.open(state)
    except Refusal as refusal:
        return [fail("repair", refusal.message, refusal.hint)]
    with vault:
        transactions = Transactions(vault)

        def write(level: Level, work: Work) -> object:
            connection = vault.writers()[level].connection
            outcome = transactions.outside(Job(lambda _: work(connection), lambda _: None, level, alone=True))
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        def note(name: str, value: str | None) -> None:
            rows = vault.control_writer()
            rows.drop_setting(name) if value is None else rows.set_setting(name, value)

        def back_up(levels: list[Level]) -> tuple[str, list[Level]]:
            try:
                made = backup.take(state, at=now, why="repair", server=memtrigd.__version__, levels=levels)
            except Refusal as refusal:
                if refusal.code != "level_unavailable":
                    raise
                return "", levels
            return f"backup {made.name}", [level for level in levels if level not in made.levels]

        sick = dict[Level, Examined]()
        for level in vault.writers():
            found = examine(state, level, open_reader, terms_of)
            if found.mendable:
                sick[level] = found
        return repair.repaired(Surgery(state, write, note, back_up), sick, now, lambda: None)


def _now() -> Micros:
    return time.time_ns() // 1000


def _say(message: msgspec.Struct | dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.msgpack.encode(message))


if __name__ == "__main__":
    main()
