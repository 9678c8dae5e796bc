"""The journal of a level."""

from collections.abc import Callable

import apsw
import pytest
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store import audit
from memtrigd.store.interface import Change
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

Verify = Callable[..., list[str]]
LEVEL = Level.INTERNAL
UNGUARDED = "DROP TRIGGER IF EXISTS audit_is_not_edited; DROP TRIGGER IF EXISTS audit_is_not_cut"


@pytest.fixture
def journal(
    verify: Verify,
    vault: Vault,
    save: Callable[..., Memory],
    amend: Callable[..., None],
    transactions: Transactions,
    change: Callable[..., Change],
) -> apsw.Connection:
    """A journal of six rows about three memories and an event, and a handle of somebody behind the daemon's back."""
    transactions.run_now(LEVEL, lambda hands: hands.writer.note(change("session.raise", reason="to read the ledger")))
    rows = [save(content=f"secret {n}") for n in range(3)]
    amend(replace(rows[0], seen_count=2))
    amend(replace(rows[1], seen_count=2))
    connection = vault.writers()[LEVEL].connection
    connection.execute(UNGUARDED)
    return connection


@pytest.fixture
def verify(vault: Vault) -> Verify:
    """Verify the journal through handles of its own; ``known`` is the head that control.db keeps.

    Whoever edits the journal puts the triggers back that forbid it, or their lack would tell.
    """
    connection = vault.writers()[LEVEL].connection
    guards = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE name LIKE 'audit_is_not_%'")]

    def run(known: audit.Head | None = None) -> list[str]:
        if known is not None:
            vault.control_writer().keep_journal_end(LEVEL, known.seq, known.mac.hex())
        connection.execute(";".join([UNGUARDED, *guards]))
        problems = vault.verify(LEVEL)
        connection.execute(UNGUARDED)
        return problems

    return run


def test_a_journal_that_nobody_touched_is_sound(journal: apsw.Connection, verify: Verify) -> None:
    """No problem is reported, and the head that was kept is found."""
    assert verify() == []
    assert verify(audit.Head(0, b"")) == [] == verify(audit.head(journal))


@pytest.mark.parametrize("column", ["at", "op", "memory_id", "actor", "session", "digest", "version"])
def test_an_edit_is_found(journal: apsw.Connection, verify: Verify, column: str) -> None:
    """Whichever column of a row is changed, the row is named."""
    other = b"x" * 32 if column in ("digest", "version") else 77 if column == "at" else "id-0003"
    journal.execute(f"UPDATE audit SET {column} = ? WHERE seq = 2", (other,))
    assert any("Row 2 of the journal was altered" in problem for problem in verify())


def test_no_session_is_not_an_empty_one(
    journal: apsw.Connection, verify: Verify, transactions: Transactions, memory: Callable[..., Memory]
) -> None:
    """NULL and the empty text are different under the seal."""
    by_owner = Change(op="save", actor="owner", session=None, at=1)
    transactions.run_now(LEVEL, lambda hands: hands.writer.add(memory(), [], by_owner))
    assert verify() == []
    journal.execute("UPDATE audit SET session = '' WHERE seq = 7")
    assert verify() == ["Row 7 of the journal was altered, or the row before it was."]


def test_a_row_of_another_past_is_found(
    journal: apsw.Connection, verify: Verify, amend: Callable[..., None], vault: Vault
) -> None:
    """A row that was once truly sealed, kept from a history that was rolled back, does not fit before later rows."""
    (sealed_once,) = journal.execute("SELECT * FROM audit WHERE seq = 6")
    (told_once,) = journal.execute("SELECT * FROM version WHERE seq = 6")
    journal.execute("DELETE FROM audit WHERE seq = 6; DELETE FROM version WHERE seq = 6")
    row = vault.readers()[LEVEL].by_id("id-0002")
    for seen in (3, 4):
        amend(replace(row, seen_count=seen))
    assert verify() == []
    journal.execute("REPLACE INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", sealed_once)
    journal.execute("REPLACE INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?)", told_once)
    assert verify() == ["Row 7 of the journal was altered, or the row before it was."]


def test_a_cut_in_the_middle_is_found(journal: apsw.Connection, verify: Verify) -> None:
    """The missing rows are named, even if the later ones are numbered anew."""
    journal.execute("DELETE FROM audit WHERE seq = 4")
    assert verify()[0] == "Rows 4 to 4 of the journal are gone."
    journal.execute("UPDATE audit SET seq = 4 WHERE seq = 5")
    assert verify()[0] == "Row 4 of the journal was altered, or the row before it was."


def test_a_swap_is_found(journal: apsw.Connection, verify: Verify) -> None:
    """Two whole rows that change places no longer hang together."""
    journal.execute("UPDATE audit SET seq = CASE seq WHEN 2 THEN -3 ELSE -2 END WHERE seq IN (2, 3)")
    journal.execute("UPDATE audit SET seq = -seq WHERE seq < 0")
    assert len([problem for problem in verify() if "altered" in problem]) >= 2


def test_a_cut_at_the_end_is_found_against_a_kept_head(journal: apsw.Connection, verify: Verify) -> None:
    """Nothing in the file tells that newer rows were there; a head from elsewhere does."""
    head = audit.head(journal)
    journal.execute("DELETE FROM audit WHERE seq = 6; DELETE FROM version WHERE seq = 6")
    assert any("does not hold row 6" in problem for problem in verify(head))


@pytest.mark.parametrize(("column", "value"), [("content", "forged"), ("status", "'rejected'"), ("seen_count", 9)])
def test_a_memory_edited_behind_the_daemons_back_is_found(
    journal: apsw.Connection, verify: Verify, column: str, value: object
) -> None:
    """The last digest of a memory vouches for its present state; the report names the id and no content."""
    value = value.strip("'") if isinstance(value, str) else value
    journal.execute(f"UPDATE memory SET {column} = ? WHERE id = 'id-0001'", (value,))
    assert verify() == ["Memory id-0001 is not as the journal left it."]


def test_a_salt_that_no_erase_destroyed_is_missed(journal: apsw.Connection, verify: Verify) -> None:
    """Without it the digests prove nothing, so to remove it is no way to forge a memory and its history."""
    journal.execute("UPDATE memory SET content = 'forged', salt = NULL; UPDATE version SET fields = '{}'")
    assert verify() == [f"Memory id-000{n} is not as the journal left it." for n in (1, 2, 3)]


def test_an_erased_memory_is_sound_without_its_salt(vault: Vault, journal: apsw.Connection, verify: Verify) -> None:
    """As long as the erase is the last that the journal tells of it."""
    change = Change(op="erase", actor="owner", session=None, at=9)
    Transactions(vault).run_now(LEVEL, lambda hands: hands.writer.erase("id-0003", change))
    assert verify() == []
    amend_without_salt = "INSERT INTO audit SELECT 9, at, 'save', memory_id, actor, session, digest, version, mac"
    journal.execute(f"{amend_without_salt} FROM audit WHERE seq = 7")
    assert "Memory id-0003 is not as the journal left it." in verify()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("memory_id", "id-0002"),
        ("at", 77),
        ("op", "x"),
        ("actor", "x"),
        ("session", None),
        ("reason", "x"),
        ("fields", "{}"),
    ],
)
def test_a_version_edited_behind_the_daemons_back_is_found(
    journal: apsw.Connection, verify: Verify, column: str, value: object
) -> None:
    """Whichever column is changed: the digest in the journal's row covers the version that tells of the change."""
    journal.execute(f"UPDATE version SET {column} = ? WHERE seq = 2", (value,))
    assert verify() == ["The version of row 2 is not as the journal left it."]


def test_versions_put_in_or_taken_out_by_hand_are_found(journal: apsw.Connection, verify: Verify) -> None:
    """A journal row without its version, and a version without a journal row."""
    journal.execute("UPDATE version SET seq = 99 WHERE seq = 5")
    assert verify() == ["The version of row 5 is not as the journal left it.", "Version 99 is not in the journal."]


@pytest.mark.parametrize(
    ("column", "value"),
    [("salt", None), ("at", 77), ("op", "x"), ("actor", "x"), ("session", None), ("reason", "x"), ("about", "x")],
)
def test_an_event_edited_behind_the_daemons_back_is_found(
    journal: apsw.Connection, verify: Verify, column: str, value: object
) -> None:
    """Why a session was raised is as safe from forgers as a memory is."""
    journal.execute(f"UPDATE event SET {column} = ?", (value,))
    assert verify() == ["The event of row 1 is not as the journal left it."]


def test_events_put_in_or_taken_out_by_hand_are_found(journal: apsw.Connection, verify: Verify) -> None:
    """A journal row without its event, and an event without a journal row."""
    journal.execute("UPDATE event SET seq = 99")
    assert verify() == ["The event of row 1 is not as the journal left it.", "Event 99 is not in the journal."]


def test_recall_stamps_are_outside_the_journal(journal: apsw.Connection, verify: Verify) -> None:
    """Reading a memory moves its stamps without a journal row, and is no edit."""
    journal.execute("UPDATE memory SET recall_count = 3, last_recalled = 9, importance = 0.5, importance_at = 9")
    assert verify() == []


def test_memories_put_in_or_taken_out_by_hand_are_found(journal: apsw.Connection, verify: Verify) -> None:
    """A memory without a journal row, and a journal row without its memory."""
    journal.execute("UPDATE memory SET id = 'id-forged' WHERE id = 'id-0003'")
    assert sorted(verify()) == [
        "Memory id-forged is not in the journal.",
        "Memory, suppression or entry id-0003 is in the journal and nowhere else.",
    ]


def test_without_the_key_nothing_fits(journal: apsw.Connection) -> None:
    """Another key vouches for no row: the journal can't be written anew by who lacks the key."""
    assert len(audit.verify(journal, b"k" * 32, LEVEL)) == 6 + 3 + 5 + 1


def test_the_same_text_has_different_digests(vault: Vault, save: Callable[..., Memory]) -> None:
    """Each memory is salted, so that equal contents can't be told from the journal."""
    save(id="a" * 8, content="same")
    save(id="b" * 8, content="same")
    digests = {d for (d,) in vault.readers()[LEVEL].connection.execute("SELECT digest FROM audit")}
    assert len(digests) == 2


def test_the_journal_refuses_edits_through_its_own_file(vault: Vault, save: Callable[..., Memory]) -> None:
    """Rows can't be changed or removed by mistake."""
    save()
    connection = vault.writers()[LEVEL].connection
    for statement in ("UPDATE audit SET at = 0", "DELETE FROM audit"):
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            connection.execute(statement)


def test_the_journal_holds_no_text(vault: Vault, save: Callable[..., Memory]) -> None:
    """Neither content, key, tags nor entity are in any row of it."""
    save(content="SECRET", key="SECRET", tags=("SECRET",), entity="SECRET")
    rows = vault.readers()[LEVEL].connection.execute("SELECT * FROM audit").fetchall()
    assert b"SECRET" not in repr(rows).encode()
