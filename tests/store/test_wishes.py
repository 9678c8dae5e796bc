"""What a level keeps of wishes and of lower memories: suppressions, masks taken back, ledgers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Scope, Subject, Suppression
from memtrigd.store import keys
from memtrigd.store.interface import Change, Ledger
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

LEVEL = Level.INTERNAL
FACT = Suppression("w-1", Scope.MEMORY, "default", 5, key="k", digest=b"\x00\xff", memory_id="m-1", reason="hurts")
PERSON = Suppression("w-2", Scope.ENTITY, "project", 5, entity="आशा")

Write = Callable[..., None]


@pytest.fixture
def write(transactions: Transactions) -> Write:
    """Commit one call of a writer's method."""

    def run(method: str, *arguments: object) -> None:
        transactions.run_now(LEVEL, lambda hands: getattr(hands.writer, method)(*arguments))

    return run


@pytest.fixture
def verify(vault: Vault) -> Callable[[], list[str]]:
    """The problems of the level's journal."""
    return lambda: vault.verify(LEVEL)


def test_suppressions_stand_until_lifted(
    write: Write, reader: SqliteLevelReader, change: Callable[..., Change]
) -> None:
    """Each comes back as it was, the newest first; one that was lifted is listed no more, and can't be lifted twice."""
    older = replace(FACT, id="w-0", at=4)
    for wish in (FACT, PERSON, older):
        write("suppress", wish, change("suppress"))
    assert reader.suppressions() == [PERSON, FACT, older]
    write("lift", "w-1", change("lift", at=9))
    assert reader.suppressions() == [PERSON, older]
    assert reader.connection.execute("SELECT lifted_at FROM suppression WHERE id = 'w-1'").fetchall() == [(9,)]
    for unknown in ("w-1", "w-9"):
        with pytest.raises(ValueError, match="no suppression"):
            write("lift", unknown, change("lift"))


def test_a_wish_is_found_by_what_it_covers(
    write: Write, reader: SqliteLevelReader, change: Callable[..., Change]
) -> None:
    """By key in its space, by any spelling of the entity, by text: the newest first, and not once it was lifted."""
    assert not reader.has_wishes()
    older = replace(FACT, id="w-0", at=4)
    for wish in (older, FACT, PERSON):
        write("suppress", wish, change("suppress"))
    key, elsewhere = Subject("k", "default", (), b""), Subject("k", "elsewhere", (), b"none")
    text, person = Subject("else", "elsewhere", (), b"\x00\xff"), Subject("else", "x", ("asha", " आशा "), b"none")
    found = [reader.wishes(each) for each in (key, elsewhere, text, person)]
    assert found == [[FACT, older], [], [FACT, older], [PERSON]]
    assert reader.wishes(Subject("k", "default", ("आशा",), b"none")) == [PERSON, FACT, older]
    for wish in (older, FACT):
        write("lift", wish.id, change("lift"))
    assert reader.wishes(key) == [] and reader.has_wishes()
    write("lift", "w-2", change("lift"))
    assert not reader.has_wishes()


def test_a_lifted_suppression_can_stand_again(
    write: Write, reader: SqliteLevelReader, verify: Callable[[], list[str]], change: Callable[..., Change]
) -> None:
    """As it was, journalled; one that stands can't be put up twice."""
    write("suppress", FACT, change("suppress"))
    write("lift", "w-1", change("lift"))
    write("reinstate", "w-1", change("undo"))
    assert reader.suppressions() == [FACT] and verify() == []
    with pytest.raises(ValueError, match="was lifted"):
        write("reinstate", "w-1", change("undo"))


def test_the_journal_vouches_for_suppressions(
    write: Write,
    save: Callable[..., Memory],
    vault: Vault,
    verify: Callable[[], list[str]],
    change: Callable[..., Change],
) -> None:
    """Keeping and lifting are journalled; one that is lifted, moved, put in or taken out by hand is found."""
    save()
    write("suppress", FACT, change("suppress"))
    write("suppress", PERSON, change("suppress"))
    write("lift", "w-1", change("lift", at=9))
    assert verify() == []
    connection = vault.writers()[LEVEL].connection
    journalled = connection.execute("SELECT op, memory_id FROM audit WHERE seq > 1").fetchall()
    assert journalled == [("suppress", "w-1"), ("suppress", "w-2"), ("lift", "w-1")]
    connection.execute("UPDATE suppression SET lifted_at = 7 WHERE id = 'w-2'")
    assert verify() == ["Suppression w-2 is not as the journal left it."]
    connection.execute("UPDATE suppression SET id = 'w-3' WHERE id = 'w-2'")
    assert verify() == [
        "Memory, suppression or entry w-2 is in the journal and nowhere else.",
        "Suppression w-3 is not in the journal.",
    ]


def test_a_suppression_has_no_versions(
    write: Write, vault: Vault, verify: Callable[[], list[str]], change: Callable[..., Change]
) -> None:
    """One that is put in by hand under the number of its journal row is found."""
    write("suppress", FACT, change("suppress"))
    forged = "INSERT INTO version (seq, memory_id, at, op, actor, fields) VALUES (1, 'm-1', 1, 'save', 'owner', '{}')"
    vault.writers()[LEVEL].connection.execute(forged)
    assert verify() == ["Version 1 is not in the journal."]


def test_a_forgotten_text_is_known_by_a_key(state: Path) -> None:
    """Reader and writer of a level agree on its digest, after a restart too; each level and text has another."""
    with Vault.open(state) as vault:
        reader = vault.readers()[LEVEL]
        digest = reader.digest("it rains")
        assert vault.writers()[LEVEL].digest("it rains") == digest != reader.digest("it snows")
        assert len({each.digest("it rains") for each in vault.readers().values()}) == len(Level)
    with Vault.open(state) as again:
        assert again.readers()[LEVEL].digest("it rains") == digest


def test_no_key_shows_in_a_repr(state: Path, vault: Vault, reader: SqliteLevelReader) -> None:
    """What a log or a trace may print of a handle tells nothing of the key."""
    key = keys.load(state / "keys" / "internal.key")
    shown = " ".join(map(repr, (vault, reader, vault.writers(), vault.readers())))
    assert repr(key)[2:-1] not in shown and key.hex() not in shown


def test_taking_masks_back_shows_the_lower_copy_again(
    write: Write, reader: SqliteLevelReader, verify: Callable[[], list[str]], change: Callable[..., Change]
) -> None:
    """All masks on that memory go, in every space and under every key, and no other; the journal has it once."""
    for key, memory_id, space in (("k", "low", "default"), ("k", "low", "project"), ("k", "other", "default")):
        write("mask", key, Mask(memory_id, 1, LEVEL, space))
    write("unmask", "low", change("unforget", reason="back again"))
    assert [mask.memory_id for mask in reader.masks("k", ["default", "project"])] == ["other"]
    write("unmask", "low", change("unforget"))
    assert reader.journal_end()[0] == 1 and verify() == []
    assert reader.connection.execute("SELECT op, about, reason FROM event").fetchall() == [
        ("unforget", "low", "back again")
    ]


def test_a_ledger_is_the_last_that_was_kept(
    write: Write, reader: SqliteLevelReader, verify: Callable[[], list[str]]
) -> None:
    """One page for each lower memory, outside the journal."""
    assert reader.ledger("low") is None
    page = Ledger(memory_id="low", importance=0.25, importance_at=3)
    later = Ledger(memory_id="low", importance=0.5, importance_at=4, last_recalled=4, recall_count=2, deny_count=1)
    for each in (page, later):
        write("keep_ledger", each)
        assert reader.ledger("low") == each
    assert reader.ledger("other") is None
    assert reader.journal_end() == (0, "") and verify() == []
