"""Erasing: after it not a byte of the text is left in the file, its index or its log, and the journal is sound."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status, canonical
from memtrigd.domain.suppression import Scope, Subject, Suppression
from memtrigd.store.interface import Change, Hands, Remembered
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.upkeep import SqliteUpkeep
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

LEVEL = Level.INTERNAL
ERASE = Change(op="erase", actor="owner", session=None, at=99)


def step(op: str, reason: str | None = None) -> Change:
    """A change by an agent's session."""
    return Change(op=op, actor="cook", session="s-1", at=50, reason=reason)


def everywhere(word: str) -> dict[str, object]:
    """A memory's fields with a word in each that can hold one."""
    return {
        "key": f"key-{word}",
        "content": f"says {word} aloud",
        "entity": f"e-{word}",
        "tags": (f"t-{word}",),
        "emotion_tags": (f"f-{word}",),
        "sentiment": f"s-{word}",
        "context": f"c-{word}",
        "quote": f"q-{word}",
        "reason": f"r-{word}",
    }


def leave_traces(hands: Hands, row: Memory, word: str) -> None:
    """Do to a memory all that leaves its words somewhere: versions, wishes, masks, events, answers."""
    store = hands.writer
    assert store is not None
    store.add(row, [word, "aloud"], step("save", f"because {word}"))
    store.amend(replace(row, seen_count=2), step("seen", f"again {word}"))
    gone = replace(row, seen_count=2, status=Status.FORGOTTEN)
    digest = store.digest(canonical(row.content))
    wish = Suppression("w-1", Scope.MEMORY, "default", 7, row.key, row.entity, digest, row.id, f"hush {word}")
    store.amend(gone, step("forget", f"hush {word}"))
    store.suppress(wish, step("suppress"))
    store.note(step("hide_below", f"hidden {word}"), about=row.id)
    store.remember("s-1", "k-1", Remembered(b"d", f"saved {row.id} {word}".encode()), None, 8)
    store.remember("s-1", "k-2", Remembered(b"d", word.encode()), row.id, 8)


@pytest.mark.parametrize("word", ["zanzibar", "桑給巴爾島嶼", "झांझीबारची"])
@pytest.mark.parametrize("archived", [False, True])
def test_not_a_byte_of_it_is_left(
    state: Path,
    vault: Vault,
    transactions: Transactions,
    memory: Callable[..., Memory],
    word: str,
    archived: bool,
) -> None:
    """Not in the database, the log or its index, in no encoding, in any script; and the journal stays sound."""
    before, row = memory(), memory(**everywhere(word))
    connection = vault.writers()[LEVEL].connection
    transactions.run_now(LEVEL, lambda hands: hands.writer.add(before, ["other"], step("save")))
    transactions.run_now(LEVEL, lambda hands: leave_traces(hands, row, word))
    if archived:
        superseded = replace(row, seen_count=2, status=Status.SUPERSEDED)
        transactions.run_now(LEVEL, lambda hands: hands.writer.amend(superseded, step("undo")))
        assert transactions.run_now(LEVEL, lambda hands: hands.writer.archive(60)) == 1
    assert any(traces(state, word)), "the test would see it"
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(row.id, ERASE))
    SqliteUpkeep(connection, LEVEL).scrub()
    assert traces(state, word) == []
    assert vault.verify(LEVEL) == []
    left = vault.readers()[LEVEL].by_id(row.id)
    assert left is not None and (left.status, left.reason, left.content) == (Status.FORGOTTEN, "erased", "")


def test_an_active_memory_leaves_the_index(
    state: Path, vault: Vault, transactions: Transactions, memory: Callable[..., Memory]
) -> None:
    """The terms of a memory that was in service are gone from the full-text index, and its figures with them."""
    row, other = memory(content="zanzibar"), memory(content="pemba")
    for each in (row, other):
        transactions.run_now(LEVEL, lambda hands, each=each: hands.writer.add(each, [each.content], step("save")))
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(row.id, ERASE))
    SqliteUpkeep(vault.writers()[LEVEL].connection, LEVEL).scrub()
    reader = vault.readers()[LEVEL]
    assert reader.postings("zanzibar") == [] and len(reader.postings("pemba")) == 1
    assert reader.corpus().documents == 1 and traces(state, "zanzibar") == []


def test_neither_key_nor_text_is_learnt_again(
    transactions: Transactions, reader: SqliteLevelReader, memory: Callable[..., Memory]
) -> None:
    """What is left refuses both, names neither, and is listed nowhere."""
    row = memory(key="asha.illness", content="She is ill.")
    transactions.run_now(LEVEL, lambda hands: hands.writer.add(row, ["ill"], step("save")))
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(row.id, ERASE))
    text, key = reader.digest(canonical("she is ill")), reader.key_digest("default", "asha.illness")
    nothing = reader.digest("else"), reader.key_digest("default", "else")
    assert reader.wishes(Subject("asha.illness", "default", (), nothing[0], key))
    assert reader.wishes(Subject("else", "default", (), text, nothing[1]))
    assert not reader.wishes(Subject("else", "default", (), *nothing))
    assert reader.suppressions() == [] and reader.has_wishes()


def test_words_put_back_into_an_erased_row_are_found(
    vault: Vault, transactions: Transactions, memory: Callable[..., Memory]
) -> None:
    """Without a salt a row can say nothing, so one that says something is no erased one."""
    row = memory()
    transactions.run_now(LEVEL, lambda hands: hands.writer.add(row, ["x"], step("save")))
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(row.id, ERASE))
    connection: apsw.Connection = vault.writers()[LEVEL].connection
    connection.execute("UPDATE memory SET content = 'forged'")
    assert vault.verify(LEVEL) == [f"Memory {row.id} is not as the journal left it."]


def traces(state: Path, word: str) -> list[str]:
    """The files of the level that hold a word, or what the index makes of it."""
    spelt = [form.encode(code) for form in (word, word.upper()) for code in ("utf-8", "utf-16-le")]
    files = [state / f"internal.db{end}" for end in ("", "-wal", "-shm")]
    return [file.name for file in files if file.exists() and any(each in file.read_bytes() for each in spelt)]
