"""The archive: what was superseded long ago is out of the way, and nothing of it is lost."""

from collections.abc import Callable
from itertools import count

from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.store.interface import Change, Hands
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

LEVEL = Level.INTERNAL


def old(transactions: Transactions, memory: Callable[..., Memory], change: Callable[[], Change]) -> Memory:
    """A memory that was superseded, and one in service beside it."""
    row, served = memory(key="tea", updated=5), memory(key="tea.now", updated=5)
    for each in (row, served):
        transactions.run_now(LEVEL, lambda hands, each=each: hands.writer.add(each, ["x"], change()))
    gone = replace(row, status=Status.SUPERSEDED)
    transactions.run_now(LEVEL, lambda hands: hands.writer.amend(gone, change()))
    return gone


def test_what_is_archived_is_told_as_ever(
    vault: Vault,
    transactions: Transactions,
    reader: SqliteLevelReader,
    memory: Callable[..., Memory],
    change: Callable[[], Change],
) -> None:
    """By its id, under its key, in the counts and with its versions; only superseded rows go, and only old ones."""
    gone = old(transactions, memory, change)
    steps = reader.versions(gone.id)
    assert transactions.run_now(LEVEL, lambda hands: hands.writer.archive(5)) == 0
    assert transactions.run_now(LEVEL, lambda hands: (hands.writer.archivable(6), hands.writer.archive(6))) == (1, 1)
    assert reader.by_id(gone.id) == gone and reader.told("tea", ["default"]) == [gone]
    assert reader.versions(gone.id) == steps and reader.counts() == {"active": 1, "superseded": 1}
    assert vault.verify(LEVEL) == []


def test_a_row_goes_to_the_archive_without_a_look_at_all_tags(
    vault: Vault, transactions: Transactions, memory: Callable[..., Memory], change: Callable[[], Change]
) -> None:
    """Nothing may refer to what leaves, and that is asked by index: 40 rows beside 4000 tags take few steps."""

    def fill(hands: Hands) -> None:
        for _ in range(400):
            hands.writer.add(memory(tags=tuple(f"t{tag}" for tag in range(10)), updated=9), [], change())
        for n in range(40):
            hands.writer.add(memory(key=f"old-{n}", status=Status.SUPERSEDED, updated=1), [], change())

    transactions.run_now(LEVEL, fill)
    ticks = count()
    vault.writers()[LEVEL].connection.set_progress_handler(lambda: bool(next(ticks) and False), 100)
    assert transactions.run_now(LEVEL, lambda hands: hands.writer.archive(5)) == 40
    assert next(ticks) < 200


def test_an_archived_row_can_come_back(
    vault: Vault,
    transactions: Transactions,
    reader: SqliteLevelReader,
    memory: Callable[..., Memory],
    change: Callable[[], Change],
) -> None:
    """An undo brings it into service again, findable, though another row has its number by now."""
    gone = old(transactions, memory, change)
    transactions.run_now(LEVEL, lambda hands: hands.writer.archive(6))
    transactions.run_now(LEVEL, lambda hands: hands.writer.add(memory(), ["y"], change()))
    back = replace(gone, status=Status.ACTIVE)
    transactions.run_now(LEVEL, lambda hands: hands.writer.amend(back, change(), ["sugar"]))
    assert reader.by_id(gone.id) == back and len(reader.postings("sugar")) == 1
    assert reader.counts() == {"active": 3} and vault.verify(LEVEL) == []
