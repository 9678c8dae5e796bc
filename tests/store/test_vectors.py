"""Vectors in a level's file: there as long as their memory is active, of one model, and then gone to the last byte."""

import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.store import reindex
from memtrigd.store.interface import Change
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.sqlite_writer import SqliteLevelWriter
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions
from tests.store.scrubbing import scrub

LEVEL = Level.INTERNAL
CHANGE = Change(op="save", actor="owner", session=None, at=1)
ERASE = Change(op="erase", actor="owner", session=None, at=2)
OLD, NEW = b"model-1.", b"model-2."
Save = Callable[..., Memory]


@pytest.fixture(name="writer")
def _writer(vault: Vault) -> SqliteLevelWriter:
    """The write handle of a level; each statement by itself."""
    return vault.writers()[LEVEL]


@pytest.fixture(name="save")
def _save(writer: SqliteLevelWriter, memory: Save) -> Save:
    """Saves a memory."""

    def run(**fields: object) -> Memory:
        row = memory(**fields)
        writer.add(row, ["word"], CHANGE)
        return row

    return run


def numbers(store: SqliteLevelReader, model: bytes) -> list[int]:
    """The documents that have no vectors of a model, in the order in which they'll get some."""
    return [number for number, _ in store.unembedded(model, 100)]


def kept(store: SqliteLevelReader, model: bytes) -> list[tuple[int, int, bytes]]:
    """All vectors of a model: document, passage, data."""
    return [(number, passage, data) for _, number, passage, data in store.vectors(model)]


def test_what_has_no_vectors_is_known(writer: SqliteLevelWriter, save: Save) -> None:
    """Active memories alone; the newest first, and before those that have vectors of another model."""
    first, waiting, third, fourth = save(), save(status=Status.PENDING), save(), save()
    assert writer.backlog(OLD) == writer.backlog(None) == 3 and numbers(writer, OLD) == [4, 3, 1]
    assert [row.id for _, row in writer.unembedded(OLD, 2)] == [fourth.id, third.id]
    assert writer.embed(3, OLD, [b"three"]) and writer.embed(1, NEW, [b"one"])
    assert numbers(writer, OLD) == [4, 1] and numbers(writer, NEW) == [4, 3]
    assert (writer.backlog(OLD), writer.backlog(NEW), writer.backlog(None)) == (2, 2, 1)
    assert [number for number, _ in writer.unembedded(OLD, 9, {4})] == [1]
    assert first.id != waiting.id and kept(writer, OLD) == [(3, 0, b"three")]


def test_vectors_of_two_models_are_never_there_of_one_memory(writer: SqliteLevelWriter, save: Save) -> None:
    """Those of another take their place, all of them; and of the same nothing is written twice."""
    save()
    assert writer.embed(1, OLD, [b"a", b"b", b"c"])
    assert not writer.embed(1, OLD, [b"again"])
    assert kept(writer, OLD) == [(1, 0, b"a"), (1, 1, b"b"), (1, 2, b"c")]
    assert writer.embed(1, NEW, [b"d"])
    assert kept(writer, OLD) == [] and kept(writer, NEW) == [(1, 0, b"d")]


def test_what_is_active_no_more_gets_none(writer: SqliteLevelWriter, save: Save) -> None:
    """A memory that went while it was embedded, or that never was there."""
    row = save()
    writer.amend(replace(row, status=Status.FORGOTTEN), CHANGE)
    assert not writer.embed(1, OLD, [b"a"]) and not writer.embed(9, OLD, [b"a"]) and kept(writer, OLD) == []


@pytest.mark.parametrize("model, vectors", [(b"", [b"a"]), (OLD, [])])
def test_no_model_and_no_vectors_are_a_fault(
    writer: SqliteLevelWriter, save: Save, model: bytes, vectors: list[bytes]
) -> None:
    """Either would be taken for a memory that has none."""
    save()
    with pytest.raises(ValueError, match="document 1"):
        writer.embed(1, model, vectors)


def test_vectors_go_with_what_they_were_made_of(writer: SqliteLevelWriter, save: Save) -> None:
    """Out of service, or of another entity: none are left, and it waits for new ones when it is in service."""
    row = save()
    writer.embed(1, OLD, [b"a"])
    writer.amend(replace(row, entity="Asha"), CHANGE, ["word", "asha"])
    assert kept(writer, OLD) == [] and numbers(writer, OLD) == [1]
    writer.embed(1, OLD, [b"b"])
    writer.amend(replace(row, entity="Asha", tags=("t",)), CHANGE)
    assert kept(writer, OLD) == [(1, 0, b"b")], "tags alone are no part of it"
    writer.amend(replace(row, entity="Asha", status=Status.SUPERSEDED), CHANGE)
    assert kept(writer, OLD) == [] and numbers(writer, OLD) == []


def test_no_number_comes_twice(writer: SqliteLevelWriter, save: Save) -> None:
    """Who has read up to one reads what came after it, even if the newest were deleted meanwhile."""
    row = save()
    writer.embed(1, OLD, [b"a", b"b"])
    (*_, (until, *_)) = writer.vectors(OLD)
    writer.amend(replace(row, status=Status.FORGOTTEN), CHANGE)
    save()
    writer.embed(2, OLD, [b"c"])
    assert [row[1:] for row in writer.vectors(OLD, until)] == [(2, 0, b"c")]
    assert [row[1:] for row in writer.vectors_of(OLD, [1, 2], until + 1)] == [(2, 0, b"c")]
    assert list(writer.vectors_of(OLD, [1, 2], until)) == list(writer.vectors_of(NEW, [2], until + 1)) == []


def test_an_erase_leaves_no_byte_of_a_vector(
    state: Path, vault: Vault, transactions: Transactions, memory: Callable[..., Memory]
) -> None:
    """Neither in the file nor in its log, of 300 that lie between others and moved from page to page meanwhile."""
    chance = random.Random(7)
    rows = [memory(content=f"text {n}") for n in range(900)]
    data = [[chance.randbytes(388) for _ in range(1 + n % 3)] for n in range(900)]
    for row in rows:
        transactions.run_now(LEVEL, lambda hands, row=row: hands.writer.add(row, ["word"], CHANGE))
    for n in chance.sample(range(900), 900):
        transactions.run_now(LEVEL, lambda hands, n=n: hands.writer.embed(n + 1, OLD, data[n]))
    for n in range(0, 900, 3):
        transactions.run_now(LEVEL, lambda hands, n=n: hands.writer.erase(rows[n].id, ERASE))
    held = b"".join(path.read_bytes() for path in state.glob("internal.db*"))
    assert any(part[4:36] in held for n in range(0, 900, 3) for part in data[n]), "the test would see them"
    scrub(vault)
    held = b"".join(path.read_bytes() for path in state.glob("internal.db*"))
    gone = [part for n in range(0, 900, 3) for part in data[n]]
    assert [part for part in gone for at in range(0, 388 - 32, 32) if part[at : at + 32] in held] == []
    assert all(part in held for n in range(1, 900, 3) for part in data[n])
    assert vault.verify(LEVEL) == []


@pytest.fixture(name="embedded")
def _embedded(writer: SqliteLevelWriter, save: Save) -> Iterator[SqliteLevelWriter]:
    """A level with three memories, each with two vectors."""
    for number in (1, 2, 3):
        save(content=f"text {number}")
        writer.embed(number, OLD, [struct.pack("<fb", 0.5, number), struct.pack("<fb", 0.5, -number)])
    yield writer


@pytest.mark.parametrize(
    "damage, told",
    [
        ("UPDATE document SET model = x'' WHERE number = 2", "Memory number 2 does not have the vectors"),
        ("DELETE FROM vector WHERE number = 2", "Memory number 2 does not have the vectors"),
        ("UPDATE vector SET model = x'00' WHERE number = 2 AND passage = 1", "Memory number 2 does not have"),
        ("UPDATE vector SET data = x'0000003f' WHERE number = 2", "A vector of memory number 2 is none"),
        ("UPDATE vector SET data = x'0000003f0101' WHERE seq = 3", "A vector of memory number 2 is none"),
        ("UPDATE vector SET data = x'0000807f01' WHERE seq = 4", "A vector of memory number 2 is none"),
        ("UPDATE vector SET number = 9 WHERE number = 2", "a vector of memory number 9, which is not active"),
    ],
)
def test_vectors_that_are_not_their_memorys_are_found_and_mended(
    embedded: SqliteLevelWriter, vault: Vault, damage: str, told: str
) -> None:
    """Verification tells of them; made anew, the index has no vector that belongs to none, and knows who lacks one."""

    def words(_: Memory) -> list[str]:
        return ["word"]

    assert vault.verify(LEVEL, terms_of=words) == []
    embedded.connection.execute(f"PRAGMA foreign_keys = OFF; {damage}")
    found = vault.verify(LEVEL, terms_of=words)
    assert any(told in problem for problem in found), found
    reindex.renew(embedded.connection, LEVEL, [2, 9], words, 1.0)
    reindex.total(embedded.connection)
    assert vault.verify(LEVEL, terms_of=words) == []
    assert {1, 3} <= {number for number, *_ in kept(embedded, OLD)}


def test_an_index_made_anew_keeps_the_vectors(embedded: SqliteLevelWriter, state: Path) -> None:
    """They are made of texts, which no index touches, and to make them anew takes hours."""
    before = list(embedded.vectors(OLD))
    prepared = reindex.prepare(state, LEVEL, lambda _: ["word"], lambda: None)
    reindex.replace(embedded.connection, LEVEL, prepared, lambda _: ["word"])
    assert list(embedded.vectors(OLD)) == before and embedded.backlog(OLD) == 0
