"""The life of a memory: its versions, what it was at each, and the stamps that are none."""

from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.store.history import state_at
from memtrigd.store.interface import Change, Version
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Hands, Transactions
from tests.store.strategies import any_memory

STAMPS = ("importance", "importance_at", "last_recalled", "recall_count")
serial = count()


def _said(memory: Memory) -> dict[str, object]:
    return {field: value for field, value in asdict(memory).items() if field not in STAMPS}


def _stamped(memory: Memory, other: Memory) -> Memory:
    return replace(memory, **{field: getattr(other, field) for field in STAMPS})


@given(states=st.lists(any_memory, min_size=1, max_size=5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_memory_can_be_seen_as_it_was(
    transactions: Transactions, reader: SqliteLevelReader, change: Callable[..., Change], states: list[Memory]
) -> None:
    """Folding the versions up to any one gives each field as it was then, in any script and at any extreme."""
    first = replace(states[0], id=f"{states[0].id}-{next(serial)}", key=f"k-{next(serial)}")
    same = {"id": first.id, "key": first.key, "space": first.space, "content": first.content}
    life = [replace(state, **same) for state in states]

    def live(hands: Hands) -> None:
        hands.writer.add(life[0], ["x"], change())
        for n, state in enumerate(life[1:]):
            hands.writer.amend(state, change("amend", at=n), ["x"])

    transactions.run_now(Level.INTERNAL, live)
    versions = reader.versions(first.id)
    assert [state_at(versions[:n], Level.INTERNAL) for n in range(1, len(versions) + 1)] == life
    assert reader.by_id(first.id) == life[-1]


@given(steps=st.lists(st.tuples(st.booleans(), any_memory), max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@pytest.mark.slow
def test_stamps_are_no_part_of_what_was(
    transactions: Transactions,
    reader: SqliteLevelReader,
    memory: Callable[..., Memory],
    change: Callable[..., Change],
    steps: list[tuple[bool, Memory]],
) -> None:
    """However recalls fall between the changes, there is a version for each change, and it tells all but the stamps."""
    row = memory()
    said, end = [row], row

    def live(hands: Hands) -> None:
        nonlocal end
        hands.writer.add(row, ["x"], change())
        for is_stamp, other in steps:
            if is_stamp:
                end = _stamped(end, other)
                hands.writer.stamp(end)
            else:
                end = replace(end, status=other.status, tags=other.tags, quote=other.quote, core=other.core)
                hands.writer.amend(end, change("amend"), ["x"])
                said.append(end)

    transactions.run_now(Level.INTERNAL, live)
    versions = reader.versions(row.id)
    was = [state_at(versions[:n], Level.INTERNAL) for n in range(1, len(versions) + 1)]
    assert list(map(_said, was)) == list(map(_said, said))
    assert reader.by_id(row.id) == end


def test_a_life_without_its_beginning_is_refused() -> None:
    """A state is never made up from later changes alone, nor from none."""
    later = Version(
        seq=2, memory_id="m", change=Change(op="seen", actor="a", session=None, at=1), fields={"core": True}
    )
    for versions in ([], [later]):
        with pytest.raises(ValueError, match="first version"):
            state_at(versions, Level.INTERNAL)


def test_versions_tell_who_did_what_and_why(
    transactions: Transactions, save: Callable[..., Memory], reader: SqliteLevelReader
) -> None:
    """Each step has its change as it was given, and the fields that it changed as a memory has them."""
    row = save(tags=("t",))
    by_owner = Change(op="forget", actor="owner", session=None, at=7, reason="asked for")
    gone = replace(row, status=Status.FORGOTTEN, reason="asked for", tags=())
    transactions.run_now(Level.INTERNAL, lambda hands: hands.writer.amend(gone, by_owner))
    first, second = reader.versions(row.id)
    assert (first.change.op, first.change.actor, first.change.session) == ("save", "agent:claude", "s-1")
    assert first.fields["content"] == row.content and first.fields["tags"] == ("t",) and "quote" not in first.fields
    fields = {"status": Status.FORGOTTEN, "reason": "asked for", "tags": ()}
    assert second == Version(seq=first.seq + 1, memory_id=row.id, change=by_owner, fields=fields)
    assert type(second.fields["status"]) is Status
    assert reader.versions("nobody") == []


def test_a_session_tells_all_it_did(
    transactions: Transactions, save: Callable[..., Memory], amend: Callable[..., None], reader: SqliteLevelReader
) -> None:
    """Its versions of every memory, the newest first, and nobody else's."""
    one, two = save(), save()
    by_other = Change(op="seen", actor="agent:other", session="s-2", at=1)
    transactions.run_now(Level.INTERNAL, lambda hands: hands.writer.amend(replace(one, seen_count=2), by_other))
    amend(replace(one, seen_count=3))
    assert [(v.memory_id, v.change.op) for v in reader.session_versions("s-1")] == [
        (one.id, "amend"),
        (two.id, "save"),
        (one.id, "save"),
    ]
    assert [v.fields for v in reader.session_versions("s-2")] == [{"seen_count": 2}]
    assert reader.session_versions("s-3") == []


def test_a_stamp_moves_nothing_but_stamps(
    vault: Vault, transactions: Transactions, save: Callable[..., Memory], reader: SqliteLevelReader
) -> None:
    """What else differs in the memory that is handed in, such as its count of sayings, is left as it was."""
    row = save(tags=("t",))
    end = reader.journal_end()
    stamps = {"importance": 0.5, "importance_at": 9, "last_recalled": 9, "recall_count": 4}
    other = replace(row, seen_count=7, tags=(), status=Status.REJECTED, updated=99, **stamps)
    transactions.run_now(Level.INTERNAL, lambda hands: hands.writer.stamp(other))
    assert reader.by_id(row.id) == replace(row, **stamps)
    assert reader.journal_end() == end and len(reader.versions(row.id)) == 1
    assert vault.verify(Level.INTERNAL) == []


def test_only_own_rows_are_stamped(transactions: Transactions, memory: Callable[..., Memory]) -> None:
    """A memory of another level, or one that is not here, is refused."""
    with pytest.raises(ValueError, match="takes nothing of PUBLIC"):
        transactions.run_now(Level.INTERNAL, lambda hands: hands.writer.stamp(memory(level=Level.PUBLIC)))
    with pytest.raises(ValueError, match="no memory"):
        transactions.run_now(Level.INTERNAL, lambda hands: hands.writer.stamp(memory()))
