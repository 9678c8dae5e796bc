"""Indexes made anew from the rows: whatever is wrong with them, and wherever it is cut off."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from memtrig.homes import Home

from memtrigd.doctor.__main__ import _repaired as repaired
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.search.analyser import terms_of
from memtrigd.store.backup import backups_of, describe
from memtrigd.store.database import open_reader
from memtrigd.store.examination import examine, opening
from memtrigd.store.manifest import listing
from memtrigd.store.reindex import rebuild
from memtrigd.store.restore import set_aside
from tests.doctor.conftest import NOW, Findings, bad, on

INTERNAL = Level.INTERNAL
ROWS = ("memory", "archive", "version", "event", "audit", "suppression", "entry", "mask", "ledger")

EDITS = {
    "words": "DELETE FROM lexicon WHERE rowid = 2",
    "tags": "DELETE FROM tag WHERE number = 3; INSERT INTO tag VALUES ('forged', 1, 'm-internal-1', 2)",
    "length": "UPDATE document SET terms = terms + 1 WHERE number = 1",
    "figures": "UPDATE corpus SET documents = 9, terms = 1",
    "missing": "DELETE FROM document WHERE number = 4; DELETE FROM lexicon WHERE rowid = 4",
    "left over": "INSERT INTO lexicon (rowid, terms) VALUES (77, 'forged')",
    "unknown to itself": "DELETE FROM lexicon_docsize WHERE id = 5; UPDATE document SET terms = 9 WHERE number = 5",
    "torn": "UPDATE lexicon_data SET block = x'00' WHERE id > 10",
    "emptied": "DELETE FROM lexicon_data WHERE id > 10",
}


def rows(home: Home) -> dict[str, str]:
    """The digests of all rows that no index is."""
    with closing(open_reader(Path(home.state) / "internal.db")) as connection:
        digests = describe(connection, INTERNAL).digests
    return {table: digests[table] for table in ROWS}


def harm(home: Home, edit: str) -> None:
    """Edit the index of INTERNAL, its shadow tables too."""
    connection = apsw.Connection(str(Path(home.state) / "internal.db"))
    connection.execute("PRAGMA writable_schema = on")
    connection.execute(EDITS[edit])
    connection.close()


@pytest.mark.parametrize("edit", EDITS)
def test_whatever_is_wrong_with_an_index_is_mended_and_no_row_is_touched(
    home: Home, found: Findings, edit: str
) -> None:
    """A copy of before is kept, the journal still vouches, and a second repair finds nothing to do."""
    before = rows(home)
    harm(home, edit)
    (index,) = found("index")
    assert index.verdict == "fail"
    (finding,) = repaired(home, NOW)
    assert (finding.check, finding.verdict, finding.level) == ("repair", "ok", "INTERNAL")
    assert rows(home) == before
    assert [each for each in bad(found()) if each[0] in ("index", "audit", "integrity")] == []
    kept = [each.why for each in listing(backups_of(Path(home.state)))[0]]
    assert kept == ["repair"] or (set_aside(Path(home.state))[0][1] / "internal.db").exists()
    (again,) = repaired(home, NOW)
    assert "nothing was done" in again.says


def test_an_index_of_sqlite_is_made_anew(home: Home, found: Findings) -> None:
    """One that misses a row; its rows are all there."""
    connection = apsw.Connection(str(Path(home.state) / "internal.db"))
    ((page,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'memory_status'")
    size = connection.pragma("page_size")
    connection.close()
    with (Path(home.state) / "internal.db").open("r+b") as file:
        file.seek((page - 1) * size + 3)
        file.write((4).to_bytes(2, "big"))  # it says that it has one cell less
    (index,) = found("index")
    assert "memory_status" in index.says
    assert [each.verdict for each in repaired(home, NOW)] == ["ok"]
    assert [each for each in bad(found()) if each[0] in ("index", "audit", "integrity")] == []


def test_rows_that_are_damaged_are_not_repaired(home: Home, found: Findings) -> None:
    """Indexes of rows that nobody vouches for would only hide it."""
    on(home, "DROP TRIGGER audit_is_not_cut; DELETE FROM lexicon WHERE rowid = 2")
    (finding,) = repaired(home, NOW)
    assert "nothing was done" in finding.says
    assert ("integrity", "fail", "INTERNAL") in bad(found())


def test_a_home_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    """Repairing nothing makes nothing."""
    home = Home(*(str(tmp_path / "none" / part) for part in ("config", "state", "run")))
    assert repaired(home, NOW) == []
    assert not (tmp_path / "none").exists()


KILLED = """
import os, pathlib, shutil, signal, sys
import apsw
from memtrig.homes import Home
from memtrigd.doctor.__main__ import _repaired
whole, scratch, at = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
left = 0
WRITES = ("BEGIN IMM", "COMMIT", "INSERT", "UPDATE", "DELETE", "REINDEX", "REPLACE")
def watch(cursor, statement, bindings):
    global left
    if statement.lstrip().upper().startswith(WRITES):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return True
apsw.connection_hooks.append(lambda connection: connection.filename and setattr(connection, "exec_trace", watch))
for step in range(500):
    state = scratch / str(step)
    shutil.copytree(whole, state)
    child = os.fork()
    if not child:
        left = step
        _repaired(Home(str(scratch / "config"), str(state), str(scratch / "run")), at)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        print("done")
        break
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("edit", ["tags", "torn"])
def test_a_kill_at_any_statement_leaves_the_old_index_or_the_new_and_is_gone_on_with(
    home: Home, template: Path, edit: str
) -> None:
    """BR-011: the rows are there, each memory has its old entry or its new one, the copy of before is kept."""
    before = rows(home)
    for more in ("words", "figures") if edit == "tags" else ():
        harm(home, more)
    harm(home, edit)
    scratch = template.with_name(f"killed-{edit}")
    command = [sys.executable, "-c", KILLED, home.state, str(scratch), str(NOW)]
    done = subprocess.run(command, check=False, timeout=250, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr
    steps = sorted(scratch.iterdir(), key=lambda path: int(path.name))
    assert len(steps) > 8
    sound = []
    for state in steps:
        there = Home(home.config, str(state), home.run)
        assert rows(there) == before, state
        found = examine(state, INTERNAL, opening(state, live=True), terms_of)
        if edit == "torn":  # all of it at once: never an index that has some and lacks others
            assert bool(found.broken) == bool(found.index), state
        if not found.index:
            sound.append(state)
            assert listing(backups_of(state))[0] or set_aside(state), "the copy of before"
        assert [each.verdict for each in repaired(there, NOW + 1)] == ["ok"], state
        assert not examine(state, INTERNAL, opening(state, live=True), terms_of).index
        assert rows(there) == before, state
    assert sound and sound == steps[-len(sound) :]


def test_rows_of_which_no_index_can_be_made_are_told_and_left(home: Home) -> None:
    """Two in one slot, whose index hid that: the daemon goes on, and its writer is not held to have failed."""
    connection = apsw.Connection(str(Path(home.state) / "internal.db"))
    ((sql,),) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'memory_slot'").fetchall()
    connection.execute("DROP INDEX memory_slot; UPDATE memory SET key = 'k1' WHERE number = 1")
    connection.execute(sql.replace("UNIQUE ", "").replace("status = 'active'", "number < 0"))
    connection.execute("PRAGMA writable_schema = on")
    connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'memory_slot'", (sql,))
    connection.close()
    connection = apsw.Connection(str(Path(home.state) / "internal.db"))
    with pytest.raises(Refusal, match="No index can be made"):
        rebuild(connection, {"memory_slot"})
    assert not connection.in_transaction
    connection.close()
