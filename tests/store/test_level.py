"""Reads and writes of one level."""

import json
from collections.abc import Callable
from itertools import count, islice

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Kind, Memory, Status
from memtrigd.domain.shadowing import Mask
from memtrigd.store.interface import Change, Corpus, Hands, Remembered
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions
from tests.store.strategies import any_memory

serial = count()


@given(made=any_memory)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_memory_comes_back_as_it_was(
    transactions: Transactions, reader: SqliteLevelReader, change: Callable[[], Change], made: Memory
) -> None:
    """Each field of any memory survives the disk, in any script and at any extreme."""
    made = replace(made, id=f"{made.id}-{next(serial)}", key=f"{made.key}-{next(serial)}")
    transactions.run_now(made.level, lambda hands: hands.writer.add(made, ["a"], change()))
    assert reader.by_id(made.id) == made
    assert reader.active(made.key, made.space) == (made if made.status is Status.ACTIVE else None)
    assert reader.pending(made.key, made.space) == ([made] if made.status is Status.PENDING else [])
    ((first,),) = reader.connection.execute("SELECT fields FROM version WHERE memory_id = ?", (made.id,))
    assert json.loads(first)["content"] == made.content


def test_a_slot_is_of_one_key_and_one_space(save: Callable[..., Memory], reader: SqliteLevelReader) -> None:
    """The same key in another space is another slot; a key that nobody saved is empty."""
    here, there = save(key="k"), save(key="k", space="project")
    assert reader.active("k", "default") == here
    assert reader.active("k", "project") == there
    assert reader.active("other", "default") is None
    for status in (Status.PENDING, Status.FORGOTTEN):
        save(key="k", space=f"only {status}", status=status)
    assert reader.spaces() == ["default", "only forgotten", "only pending", "project"]


def test_a_slot_holds_one_active_row(save: Callable[..., Memory]) -> None:
    """A second active row for a slot is refused by the database itself."""
    save(key="k")
    with pytest.raises(Exception, match="UNIQUE"):
        save(key="k")


def test_proposals_wait_in_their_order(save: Callable[..., Memory], reader: SqliteLevelReader) -> None:
    """Any number of pending rows share a slot, the oldest first, beside the active one."""
    save(key="k")
    waiting = [save(key="k", status=Status.PENDING) for _ in range(3)]
    assert reader.pending("k", "default") == waiting


def test_the_newest_come_first_from_any_point(save: Callable[..., Memory], reader: SqliteLevelReader) -> None:
    """Rows of one microsecond are ordered by id; a page goes on strictly after the last row of the one before."""
    made = [save(updated=updated) for updated in (5, 9, 9, 7, 9)]
    expected = sorted(made, key=lambda m: (m.updated, m.id), reverse=True)
    listed, before = [], None
    while page := list(islice(reader.newest(["default"], None, before), 2)):
        listed += page
        before = page[-1].updated, page[-1].id
    assert listed == expected


def test_the_newest_are_of_the_spaces_and_the_tag_asked_for(
    save: Callable[..., Memory], amend: Callable[..., None], reader: SqliteLevelReader
) -> None:
    """A tag is matched whole, follows changes of the row, and only active rows of the given spaces are listed."""
    first = save(tags=("rain", "snow"))
    save(tags=("rain",), space="elsewhere")
    save(tags=("rain",), status=Status.PENDING)
    second = save(tags=("rain",))
    assert list(reader.newest(["default"], "rain", None)) == [second, first]
    assert list(reader.newest(["default"], "rai", None)) == []
    moved = replace(first, tags=("rain",), updated=99)
    amend(moved)
    assert list(reader.newest(["default"], "rain", None)) == [moved, second]
    assert list(reader.newest(["default"], "snow", None)) == []
    assert next(reader.newest(["default", "elsewhere"], None, (99, moved.id))).id == second.id


@pytest.mark.parametrize("tag", [None, "rain"])
def test_a_page_costs_a_page(vault: Vault, transactions: Transactions, change: Callable[[], Change], tag: str) -> None:
    """The first row of a thousand takes SQLite a few steps, not a sort of all."""

    def fill(hands: Hands) -> None:
        for n in range(1000):
            row = {"id": f"{n:04}", "key": f"{n}", "level": Level.PUBLIC, "space": "default", "content": "x"}
            made = Memory(**row, created=n, updated=n, importance_at=n, tags=("rain",))
            hands.writer.add(made, ["x"], change())

    transactions.run_now(Level.PUBLIC, fill)
    reader = vault.readers()[Level.PUBLIC]
    ticks = count()
    reader.connection.set_progress_handler(lambda: bool(next(ticks) and False), 100)
    assert next(reader.newest(["default"], tag, None)).id == "0999"
    assert next(ticks) < 5


def test_a_facet_is_an_entity_and_a_kind(save: Callable[..., Memory], reader: SqliteLevelReader) -> None:
    """Its active rows are listed, the newest first, no more than asked for."""
    likes = [save(entity="Asha", kind=Kind.PREFERENCE) for _ in range(3)]
    save(entity="Asha", kind=Kind.EVENT)
    save(entity="Asha", kind=Kind.PREFERENCE, space="elsewhere")
    assert reader.facet(["Asha"], "preference", ["default"], 2) == [likes[2], likes[1]]


def test_the_index_counts_terms(save: Callable[..., Memory], reader: SqliteLevelReader) -> None:
    """Postings tell how often a term stands in each active memory; lengths and totals count repeats."""
    save(["rain", "rain", "c++"])
    save(["rain"])
    save(["rain"], status=Status.PENDING)
    documents = dict(reader.postings("rain"))
    assert sorted(documents.values()) == [1, 2]
    assert sorted(row[12] for row in reader.indexed()) == [1, 3]
    assert reader.corpus() == Corpus(2, 4)
    assert [reader.document(number).id for number in documents] == ["id-0001", "id-0002"]
    assert reader.postings("snow") == [] and reader.document(99) is None


def test_what_stops_being_active_leaves_the_index(
    save: Callable[..., Memory], amend: Callable[..., None], reader: SqliteLevelReader
) -> None:
    """A retired row has no postings, length or tag; a promoted one enters with its terms; the totals follow."""
    row, waiting = save(["rain", "old"], tags=("t",)), save(["ignored"], key="w", status=Status.PENDING)
    amend(replace(row, status=Status.FORGOTTEN))
    assert (reader.postings("rain"), reader.corpus()) == ([], Corpus(0, 0))
    assert list(reader.newest(["default"], "t", None)) == []
    amend(replace(waiting, status=Status.ACTIVE), ["rain"])
    assert (len(reader.postings("rain")), reader.corpus()) == (1, Corpus(1, 1))
    assert reader.postings("ignored") == []
    assert reader.counts() == {"active": 1, "forgotten": 1}


def test_a_row_that_stays_active_keeps_its_entry_or_gets_a_new_one(
    save: Callable[..., Memory], amend: Callable[..., None], reader: SqliteLevelReader
) -> None:
    """Without terms the index is untouched; with terms the entry is replaced."""
    row = save(["rain"])
    amend(replace(row, seen_count=2))
    assert len(reader.postings("rain")) == 1
    amend(replace(row, tags=("t",)), ["snow", "snow"])
    assert (reader.postings("rain"), reader.corpus()) == ([], Corpus(1, 2))


def test_each_change_appends_a_version(
    save: Callable[..., Memory], amend: Callable[..., None], reader: SqliteLevelReader
) -> None:
    """The first holds what was said, later ones only what changed; nothing is overwritten."""
    row = save(content="it rains", tags=("t",))
    amend(replace(row, seen_count=2), op="seen")
    amend(replace(row, seen_count=2, status=Status.FORGOTTEN, reason="deleted", tags=()), op="delete")
    sql = "SELECT op, fields FROM version WHERE memory_id = ? ORDER BY seq"
    versions = [(op, json.loads(delta)) for op, delta in reader.connection.execute(sql, (row.id,))]
    assert [op for op, _ in versions] == ["save", "seen", "delete"]
    assert versions[0][1] | {"content": "it rains", "tags": ["t"]} == versions[0][1]
    assert versions[1][1] == {"seen_count": 2}
    assert versions[2][1] == {"status": "forgotten", "reason": "deleted", "tags": []}


def test_a_row_can_not_become_another_memory(save: Callable[..., Memory], amend: Callable[..., None]) -> None:
    """Content, key and space of a row are for ever, and only rows that exist can be amended."""
    row = save()
    for changed in ({"content": "else"}, {"key": "else"}, {"space": "else"}, {"id": "else"}):
        with pytest.raises(ValueError, match="memory"):
            amend(replace(row, **changed))


def test_a_file_takes_only_what_is_of_its_level(
    transactions: Transactions, memory: Callable[..., Memory], change: Callable[[], Change]
) -> None:
    """A memory or mask of another level is refused even if everything above had failed."""
    high = memory(level=Level.RESTRICTED)
    with pytest.raises(ValueError, match="PUBLIC takes nothing of RESTRICTED"):
        transactions.run_now(Level.PUBLIC, lambda hands: hands.writer.add(high, [], change()))
    with pytest.raises(ValueError, match="PUBLIC takes nothing of RESTRICTED"):
        mask = Mask("id", 1, Level.RESTRICTED, "default")
        transactions.run_now(Level.PUBLIC, lambda hands: hands.writer.mask("k", mask))


def test_masks_are_of_a_key_and_a_space_and_only_grow(transactions: Transactions, reader: SqliteLevelReader) -> None:
    """A second delete after the copy was said again hides that too; a mask never shrinks."""
    for seen in (1, 3, 2):
        mask = Mask("low-1", seen, Level.INTERNAL, "default")
        transactions.run_now(Level.INTERNAL, lambda hands, mask=mask: hands.writer.mask("k", mask))
    assert reader.masks("k", ["default", "other"]) == [Mask("low-1", 3, Level.INTERNAL, "default")]
    assert reader.masks("k", ["other"]) == [] and reader.masks("else", ["default"]) == []


def test_an_answer_is_remembered_for_its_session(transactions: Transactions, reader: SqliteLevelReader) -> None:
    """The owner, who has no session, shares no key with anybody; a key can't be given a second answer."""
    for session in ("s-1", None):
        answer = Remembered(b"digest", f"to {session}".encode())
        keep = lambda hands, s=session, a=answer: hands.writer.remember(s, "i-1", a, "id-1", 5)  # noqa: E731
        transactions.run_now(Level.INTERNAL, keep)
        with pytest.raises(Exception, match="UNIQUE"):
            transactions.run_now(Level.INTERNAL, keep)
    assert reader.remembered("s-1", "i-1") == Remembered(b"digest", b"to s-1")
    assert reader.remembered(None, "i-1") == Remembered(b"digest", b"to None")
    assert reader.remembered("s-2", "i-1") is None


def test_old_answers_are_dropped(transactions: Transactions, reader: SqliteLevelReader) -> None:
    """Those given before the moment go, the others stay."""
    for at in (5, 6):
        keep = lambda hands, at=at: hands.writer.remember("s", f"i-{at}", Remembered(b"d", b"r"), None, at)  # noqa: E731
        transactions.run_now(Level.INTERNAL, keep)
    assert transactions.run_now(Level.INTERNAL, lambda hands: hands.writer.forget_answers(6)) == 1
    assert reader.remembered("s", "i-5") is None and reader.remembered("s", "i-6") is not None


def test_the_journal_tells_where_it_ends(save: Callable[..., Memory], reader: SqliteLevelReader) -> None:
    """The number of its newest row and that row's seal, which every row changes."""
    assert reader.journal_end() == (0, "")
    save()
    first = reader.journal_end()
    save()
    assert (first[0], reader.journal_end()[0]) == (1, 2)
    assert first[1] != reader.journal_end()[1]


def test_a_read_handle_can_not_write(reader: SqliteLevelReader) -> None:
    """Not even by a statement that nobody should have written."""
    with pytest.raises(Exception, match="readonly"):
        reader.connection.execute("DELETE FROM memory")
