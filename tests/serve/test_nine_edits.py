"""Nine edits at rest, each made with SQLite on the files of a daemon that was stopped, and each found when it is back.

Whoever makes them covers their tracks as far as that goes without the key of the journal: triggers are put back, and
what belongs to a row goes with it.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from memtrig import wire

from memtrigd.domain.levels import Level
from tests.conftest import Daemon
from tests.talk import agent, dial

pytestmark = pytest.mark.slow

GUARDS = {
    "audit_is_not_edited": "BEFORE UPDATE ON audit",
    "audit_is_not_cut": "BEFORE DELETE ON audit",
}
SAVED = 6
"""Memories at INTERNAL; the last one after ``before`` was copied."""
Edit = Callable[[Path], None]


@pytest.fixture(name="home", scope="module")
def _home() -> Iterator[Daemon]:
    """A daemon that saved something at two levels, was copied (``before``), saved once more, and was stopped."""
    daemon = Daemon().start()
    try:
        for level in ("internal", "confidential"):
            with agent(daemon, level) as line:
                for number in range(SAVED - 1):
                    line.ask(wire.Save(key=f"k{number}", content=f"text number {number}", tags=["kept"]), wire.Saved)
        daemon.stop()
        shutil.copytree(daemon.home / "state", daemon.home / "before")
        daemon.start()
        with agent(daemon) as line:
            line.ask(wire.Save(key="last", content="the last text"), wire.Saved)
        daemon.stop()
        shutil.copytree(daemon.home / "state", daemon.home / "sound")
        yield daemon
    finally:
        daemon.remove()


def on(state: Path, statements: str, level: str = "internal") -> None:
    """Run statements on a level's file, with the journal's guards off meanwhile."""
    connection = apsw.Connection(str(state / f"{level}.db"))
    rows = connection.execute("SELECT sql FROM sqlite_schema WHERE name IN ('audit_is_not_edited', 'audit_is_not_cut')")
    guards = [sql for (sql,) in rows]
    connection.execute(";".join(f"DROP TRIGGER {name}" for name in GUARDS))
    connection.execute(statements)
    connection.execute(";".join(guards))
    connection.close()


def change_a_row(state: Path) -> None:
    """The text of a memory, of its version and in the index."""
    on(
        state,
        "UPDATE memory SET content = 'text number 7' WHERE key = 'k1';"
        "UPDATE version SET fields = replace(fields, 'number 1', 'number 7') WHERE seq = 2;",
    )


def delete_a_row(state: Path) -> None:
    """A memory with all that belongs to it, but its rows in the journal."""
    on(state, TAKEN_OUT.format(number=2))


def reorder(state: Path) -> None:
    """Two rows of the journal, and the versions that they vouch for."""
    swapped = "SET seq = CASE seq WHEN 2 THEN -3 ELSE -2 END WHERE seq IN (2, 3)"
    for table in ("audit", "version"):
        on(state, f"UPDATE {table} {swapped}; UPDATE {table} SET seq = -seq WHERE seq < 0")


def insert_a_row(state: Path) -> None:
    """A memory that nobody saved, with a row of the journal that looks like the others."""
    columns = "salt, key, space, content, created, updated, importance_at, kind, source, status, tags, emotion_tags,"
    columns += " attested, core, pinned, importance, recall_count, seen_count, deny_count"
    values = columns.replace("key", "'forged'")
    on(
        state,
        f"INSERT INTO memory (id, {columns}) SELECT 'mforged', {values} FROM memory WHERE key = 'k1';"
        "INSERT INTO document (number, terms) SELECT number, 3 FROM memory WHERE id = 'mforged';"
        "INSERT INTO lexicon (rowid, terms) SELECT number, 'text number 1' FROM memory WHERE id = 'mforged';"
        "INSERT INTO tag SELECT 'kept', updated, id, number FROM memory WHERE id = 'mforged';"
        "UPDATE corpus SET documents = documents + 1, terms = terms + 3;"
        "INSERT INTO version SELECT 7, 'mforged', at, op, actor, session, reason, fields FROM version WHERE seq = 2;"
        "INSERT INTO audit SELECT 7, at, op, 'mforged', actor, session, digest, version, mac FROM audit WHERE seq = 2;",
    )


def truncate_the_chain(state: Path) -> None:
    """The newest row of the journal and all that it told of: what is left hangs together."""
    on(state, TAKEN_OUT.format(number=6) + "DELETE FROM version WHERE seq = 6; DELETE FROM audit WHERE seq = 6;")


def swap_two_files(state: Path) -> None:
    """Two levels."""
    exchange(state, "internal.db", "confidential.db")


def swap_two_files_and_their_marks(state: Path) -> None:
    """Two levels, each with the mark of the other and the key of the other."""
    exchange(state, "internal.db", "confidential.db")
    exchange(state, "keys/internal.key", "keys/confidential.key")
    for level in (Level.INTERNAL, Level.CONFIDENTIAL):
        on(state, f"PRAGMA application_id = {0x4D545230 + level}", level.slug)


def roll_one_level_back(state: Path) -> None:
    """The file as it was before the last save, which the daemon wrote itself."""
    shutil.copy2(state.parent / "before" / "internal.db", state / "internal.db")


def change_the_schema(state: Path) -> None:
    """A trigger that changes what is said from now on."""
    on(
        state,
        "CREATE TRIGGER liar AFTER INSERT ON version BEGIN"
        " UPDATE memory SET content = 'no' WHERE id = new.memory_id; END;",
    )


def drop_a_guard(state: Path) -> None:
    """The trigger that forbids to cut the journal."""
    on(state, "SELECT 1")
    connection = apsw.Connection(str(state / "internal.db"))
    connection.execute("DROP TRIGGER audit_is_not_cut")
    connection.close()


def edit_an_index(state: Path) -> None:
    """The words of a memory in the full-text index: as many others in their place, so that it is not found."""
    on(
        state,
        "DELETE FROM lexicon WHERE rowid = 2;"
        "INSERT INTO lexicon (rowid, terms) SELECT 2, trim(replace(hex(zeroblob(terms)), '00', 'zebra ')) FROM document"
        " WHERE number = 2;",
    )


def edit_an_index_of_tags(state: Path) -> None:
    """A tag under which a memory is listed."""
    on(state, "DELETE FROM tag WHERE number = 2")


def edit_an_index_of_the_table(state: Path) -> None:
    """A page of the tree by which keys are looked up: by its bytes, for no statement can do that."""
    path = state / "internal.db"
    connection = apsw.Connection(str(path))
    ((page,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'memory_slot'")
    size = connection.pragma("page_size")
    connection.close()
    data = bytearray(path.read_bytes())
    found = data.index(b"default" + b"k1", (page - 1) * size, page * size)
    data[found + 8 : found + 9] = b"0"
    path.write_bytes(data)


TAKEN_OUT = (
    "UPDATE corpus SET documents = documents - 1,"
    " terms = terms - (SELECT terms FROM document WHERE number = {number});"
    "DELETE FROM document WHERE number = {number}; DELETE FROM lexicon WHERE rowid = {number};"
    "DELETE FROM tag WHERE number = {number}; DELETE FROM memory WHERE number = {number};"
)
FOUND: dict[Edit, str] = {
    change_a_row: "is not as the journal left it",
    delete_a_row: "is in the journal and nowhere else",
    reorder: "of the journal was altered",
    insert_a_row: "Row 7 of the journal was altered",
    truncate_the_chain: "does not hold row 6 as it was when its head was kept",
    swap_two_files: "it is the database of another program, purpose or level",
    swap_two_files_and_their_marks: "when its head was kept",
    roll_one_level_back: "does not hold row 6 as it was when its head was kept",
    change_the_schema: "The trigger liar is none that memtrigd makes",
    drop_a_guard: "The trigger audit_is_not_cut is gone",
    edit_an_index: "is not found by its own words",
    edit_an_index_of_tags: "is not found by its tags",
    edit_an_index_of_the_table: "The structure of the file is damaged",
}


def verified(home: Daemon, *heads: str) -> wire.Audited:
    """What the daemon says of the files that are there."""
    home.start()
    try:
        with dial(home, "control") as line:
            return line.ask(wire.AuditVerify(heads=list(heads)), wire.Audited)
    finally:
        home.stop()


def lay(home: Daemon) -> Path:
    """Put the sound files back."""
    shutil.rmtree(home.home / "state")
    shutil.copytree(home.home / "sound", home.home / "state")
    return home.home / "state"


def exchange(state: Path, one: str, other: str) -> None:
    """Two files change their names."""
    (state / one).rename(state / "meanwhile")
    (state / other).rename(state / one)
    (state / "meanwhile").rename(state / other)


def test_what_nobody_edited_is_sound(home: Daemon) -> None:
    """Stopping, copying and starting anew are no edits."""
    lay(home)
    audited = verified(home)
    assert [each.problems for each in audited.audits] == [[]] * 4
    assert audited.control == []


@pytest.mark.parametrize("edit", FOUND, ids=lambda edit: edit.__name__)
def test_an_edit_at_rest_is_found(home: Daemon, edit: Edit) -> None:
    """It is named at the level whose file was edited, by what is wrong with it and without a word of any memory."""
    edit(lay(home))
    audited = verified(home)
    problems = {each.level: each.problems for each in audited.audits if each.problems}
    assert "INTERNAL" in problems
    assert set(problems) <= {"INTERNAL", *(["CONFIDENTIAL"] if "swap" in edit.__name__ else [])}
    assert any(FOUND[edit] in problem for problem in problems["INTERNAL"]), problems
    assert "text" not in repr(problems)


def test_all_files_of_an_older_day_are_found_by_an_end_that_was_kept_elsewhere(home: Daemon) -> None:
    """Nothing in the files tells that they were rolled back together; the end that the daemon printed later does."""
    lay(home)
    (head,) = [each.head for each in verified(home).audits if each.level == "INTERNAL"]
    assert head is not None
    shutil.rmtree(home.home / "state")
    shutil.copytree(home.home / "before", home.home / "state")
    assert [each.problems for each in verified(home).audits] == [[]] * 4
    assert [each.level for each in verified(home, head).audits if each.problems] == ["INTERNAL"]
