"""Entries beside the memories: kept, looked up, vouched for by the journal."""

import apsw
import pytest
from msgspec.structs import replace

from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.levels import Level
from memtrigd.store.interface import Change, Hands
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

LEVEL = Level.INTERNAL
ENTRY = Entry(
    id="p-1",
    sort=Sort.PROMISE,
    level=LEVEL,
    space="default",
    created=1,
    updated=1,
    session="s-1",
    name="दवा",
    due=5,
    body={"text": "फोन करीन", "hours": 7.5, "done": None, "kept": True},
)


def keep(transactions: Transactions, *entries: Entry, op: str = "promise") -> None:
    """Keep entries, each in a step of its own."""

    def run(hands: Hands) -> None:
        assert hands.writer is not None
        for entry in entries:
            hands.writer.keep(entry, Change(op=op, actor="owner", session=None, at=entry.updated))

    transactions.run_now(LEVEL, run)


def test_an_entry_comes_back_as_it_was_kept(transactions: Transactions, reader: SqliteLevelReader) -> None:
    """With every field, whatever its body holds."""
    keep(transactions, ENTRY)
    assert reader.entry("p-1") == ENTRY and reader.entries(Sort.PROMISE) == [ENTRY]
    assert reader.entry("p-2") is None and reader.entries(Sort.WELLNESS) == []


def test_a_closed_entry_is_kept_but_not_among_the_open(transactions: Transactions, reader: SqliteLevelReader) -> None:
    """It is there for whoever asks for all of them, by its sort, its name or its session."""
    closed = replace(ENTRY, closed=3, updated=3)
    keep(transactions, ENTRY, closed)
    assert reader.entries(Sort.PROMISE) == [] == reader.entries(Sort.PROMISE, name="दवा")
    assert [closed] == reader.entries(Sort.PROMISE, closed=True, name="दवा") == reader.session_entries("s-1")


def test_an_entry_of_another_level_is_refused(transactions: Transactions) -> None:
    """The file takes nothing of a higher or lower level."""
    with pytest.raises(ValueError, match="takes nothing of RESTRICTED"):
        keep(transactions, replace(ENTRY, level=Level.RESTRICTED))


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        ("UPDATE entry SET due = 9", "Entry p-1 is not as the journal left it."),
        ("UPDATE entry SET body = '{}'", "Entry p-1 is not as the journal left it."),
        ("DELETE FROM entry", "Memory, suppression or entry p-1 is in the journal and nowhere else."),
        ("UPDATE entry SET id = 'p-9'", "Entry p-9 is not in the journal."),
    ],
)
def test_the_journal_misses_what_was_done_to_an_entry(
    vault: Vault, transactions: Transactions, edit: str, problem: str
) -> None:
    """An edit, a removal and an insertion behind the daemon's back are each found."""
    keep(transactions, ENTRY, replace(ENTRY, updated=2, due=6))
    assert vault.verify(LEVEL) == []
    connection: apsw.Connection = vault.writers()[LEVEL].connection
    connection.execute(edit)
    assert problem in vault.verify(LEVEL)
