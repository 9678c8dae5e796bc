"""Schema versions."""

from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Scope, Subject, Suppression
from memtrigd.store.database import create, open_writer
from memtrigd.store.interface import Change
from memtrigd.store.lexicon import prints
from memtrigd.store.migrations import migrate, version_of
from memtrigd.store.schema import LEVELS, Schema
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

NOW = LEVELS[Level.PUBLIC]


def _next(connection: apsw.Connection) -> None:
    connection.execute("ALTER TABLE mask ADD COLUMN reason TEXT")


NEXT = Schema(NOW.application_id, (*NOW.steps, _next))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of the present version."""
    create(tmp_path / "public.db", NOW)
    return tmp_path / "public.db"


def test_an_older_file_is_brought_up_to_date(path: Path) -> None:
    """Only the missing step runs, what was there stays, and a second opening does nothing."""
    connection = open_writer(path, NOW)
    connection.execute("INSERT INTO mask VALUES ('k', 'default', 'id', 1)")
    connection.close()
    for _ in range(2):
        connection = open_writer(path, NEXT)
        assert version_of(connection) == NOW.version + 1
        assert connection.execute("SELECT key, reason FROM mask").fetchall() == [("k", None)]
        connection.close()


def test_wishes_of_the_first_schema_are_looked_up_in_the_second(tmp_path: Path) -> None:
    """A wish about an entity, kept before names were folded in the file, covers that name in any spelling after."""
    path = tmp_path / "public.db"
    create(path, Schema(NOW.application_id, NOW.steps[:1]))
    connection = apsw.Connection(str(path))
    connection.execute(
        "INSERT INTO suppression (salt, id, scope, space, at, entity, digest)"
        " VALUES (x'00', 'w-1', 'entity', 'default', 1, 'ＡＳＨＡ', x'')"
    )
    connection.close()
    reader = SqliteLevelReader(open_writer(path, NOW), Level.PUBLIC, b"key")
    assert [wish.id for wish in reader.wishes(Subject("k", "default", ("asha",), b"none"))] == ["w-1"]
    assert reader.wishes(Subject("k", "default", ("vikram",), b"none")) == []
    reader.connection.close()


def test_a_file_of_the_first_schema_keeps_all_that_it_held(used: Path, tmp_path: Path) -> None:
    """Memories, wishes, answers and the journal, which still vouches for each; and it takes what is new."""
    level = Level.INTERNAL
    with Vault.open(used) as vault:
        transactions = Transactions(vault)
        wish = Suppression("w-1", Scope.MEMORY, "default", 1, "k", digest=b"x", memory_id="id-0002", reason="hush")
        change = Change(op="forget", actor="owner", session=None, at=2)
        transactions.run_now(level, lambda hands: hands.writer.suppress(wish, change))
        transactions.run_now(level, lambda hands: hands.writer.mask("k", Mask("low", 1, level, "default")))
        row = vault.readers()[level].active("k", "default")
    path = used / "internal.db"
    as_the_first_schema(path, tmp_path / "first.db", LEVELS[level])
    with Vault.open(used) as vault:
        reader, transactions = vault.readers()[level], Transactions(vault)
        assert version_of(vault.writers()[level].connection) == LEVELS[level].version
        assert vault.verify(level) == [] and vault.unavailable == {}
        assert row is not None and reader.active("k", "default") == row and reader.suppressions() == [wish]
        assert reader.wishes(Subject("k", "default", (), b"none")) == [wish] and len(reader.postings("k")) == 1
        assert [row[13:] for row in reader.indexed()] == [prints("k")]  # made of the full text that was there
        transactions.run_now(level, lambda hands: hands.writer.erase(row.id, replace(change, op="erase")))
        assert vault.verify(level) == [] and reader.masks("k", ["default"]) == [Mask("low", 1, level, "default")]


def as_the_first_schema(path: Path, first: Path, schema: Schema) -> None:
    """Put the rows of a level's file into one of the first schema, which had fewer columns, and that in its place."""
    create(first, Schema(schema.application_id, schema.steps[:1]))
    connection = apsw.Connection(str(first))
    connection.execute("ATTACH ? AS now", (str(path),))
    tables = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT IN ('lexicon', 'posting')"
    for (table,) in connection.execute(tables).fetchall():
        columns = ", ".join(name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))
        connection.execute(
            f"DELETE FROM main.{table}; INSERT INTO main.{table} ({columns}) SELECT {columns} FROM now.{table}"
        )
    connection.close()
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    first.replace(path)


def test_a_step_is_done_whole_or_not_at_all(path: Path) -> None:
    """A step that fails half-way leaves the older version as it was, and can be tried again."""

    def broken(connection: apsw.Connection) -> None:
        _next(connection)
        raise OSError("the power went")

    connection = open_writer(path, NOW)
    with pytest.raises(OSError, match="power"):
        migrate(connection, Schema(NOW.application_id, (*NOW.steps, broken)))
    assert version_of(connection) == NOW.version
    migrate(connection, NEXT)
    assert version_of(connection) == NEXT.version
    connection.close()


def test_a_newer_file_is_refused_and_left_alone(path: Path) -> None:
    """The message names both versions; not a byte of the file is changed."""
    open_writer(path, NEXT).close()
    before = path.read_bytes()
    with pytest.raises(Refusal) as refused:
        open_writer(path, NOW)
    assert refused.value.code == "level_unavailable"
    assert (
        refused.value.message
        == f"schema_newer: public.db has schema {NEXT.version}; this memtrigd knows {NOW.version}."
    )
    assert path.read_bytes() == before


def test_a_file_without_a_version_is_refused_and_left_alone(path: Path) -> None:
    """It has tables already, so no step could be taken; the message says what is odd about it."""
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 0)
    connection.close()
    before = path.read_bytes()
    with pytest.raises(Refusal, match=r"public\.db says of itself that it has schema 0"):
        open_writer(path, NOW)
    assert path.read_bytes() == before


def test_files_say_what_they_are(path: Path) -> None:
    """Each level has a mark of its own in the header of its file."""
    connection = open_writer(path, NOW)
    assert connection.pragma("application_id") == int.from_bytes(b"MTR0", "big")
    assert len({schema.application_id for schema in LEVELS.values()}) == len(Level)
    connection.close()
