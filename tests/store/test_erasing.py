"""Erasing: after it not a byte of the text is left in the file, its index or its log, and the journal is sound."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status, canonical
from memtrigd.domain.shadowing import Mask
from memtrigd.domain.suppression import Scope, Subject, Suppression
from memtrigd.store.interface import Change, Hands, Remembered
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions
from tests.store.scrubbing import scrub, traces

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
    store.add(row, [word, "aloud", f"stem{word}"], step("save", f"because {word}"))
    store.amend(replace(row, seen_count=2), step("seen", f"again {word}"))
    gone = replace(row, seen_count=2, status=Status.FORGOTTEN)
    digest = store.digest(canonical(row.content))
    wish = Suppression("w-1", Scope.MEMORY, "default", 7, row.key, row.entity, digest, row.id, f"hush {word}")
    store.amend(gone, step("forget", f"hush {word}"))
    store.suppress(wish, step("suppress"))
    store.note(step("hide_below", f"hidden {word}"), about=row.id)
    store.lift("w-1", step("lift"))
    store.note(step("lift", f"said again: {word}"), about="w-1")
    for copy in ("low-1", "low-2"):
        store.mask(row.key, Mask(copy, 1, LEVEL, "default"))
    store.remember("s-1", "k-1", Remembered(b"d", f"saved {row.id} {word}".encode()), None, 8)
    store.remember("s-1", "k-2", Remembered(b"d", word.encode()), row.id, 8)


@pytest.mark.parametrize("word", ["Zanzibar", "桑給巴爾島嶼", "झांझीबारची"])
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
    transactions.run_now(LEVEL, lambda hands: hands.writer.add(before, ["other"], step("save")))
    transactions.run_now(LEVEL, lambda hands: leave_traces(hands, row, word))
    if archived:
        superseded = replace(row, seen_count=2, status=Status.SUPERSEDED)
        transactions.run_now(LEVEL, lambda hands: hands.writer.amend(superseded, step("undo")))
        assert transactions.run_now(LEVEL, lambda hands: hands.writer.archive(60)) == 1
    assert any(traces(state, word)), "the test would see it"
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(row.id, ERASE))
    scrub(vault)
    assert traces(state, word) == []
    assert vault.verify(LEVEL) == []
    left = vault.readers()[LEVEL].by_id(row.id)
    assert left is not None and (left.status, left.reason, left.content) == (Status.FORGOTTEN, "erased", "")


def test_what_replaced_an_erased_memory_stays(
    state: Path, vault: Vault, transactions: Transactions, reader: SqliteLevelReader, memory: Callable[..., Memory]
) -> None:
    """An erase of the older text of a key takes that text, not the newer one, and its place in the line is kept."""
    old = memory(key="home", content="zanzibar", status=Status.SUPERSEDED, superseded_by="id-0002")
    new = memory(key="home", content="pemba", supersedes=old.id)
    for row in (old, new):
        transactions.run_now(LEVEL, lambda hands, row=row: hands.writer.add(row, [row.content], step("save")))
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(old.id, ERASE))
    scrub(vault)
    assert traces(state, "zanzibar") == [] and reader.active("home", "default") == new
    left = reader.by_id(old.id)
    assert left is not None and left.superseded_by == new.id and reader.told("home", ["default"]) == [new]


def test_an_active_memory_leaves_the_index(
    state: Path, vault: Vault, transactions: Transactions, memory: Callable[..., Memory]
) -> None:
    """The terms of a memory that was in service are gone from the full-text index, and its figures with them."""
    row, other = memory(content="zanzibar"), memory(content="pemba")
    for each in (row, other):
        transactions.run_now(LEVEL, lambda hands, each=each: hands.writer.add(each, [each.content], step("save")))
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(row.id, ERASE))
    scrub(vault)
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


ROW = ["Memory id-0001 is not as the journal left it."]
STEPS = [f"The version of row {seq} is not as the journal left it." for seq in (1, 3)]
EVENT = ["The event of row 2 is not as the journal left it."]


@pytest.mark.parametrize(
    ("edit", "problems"),
    [
        ("UPDATE memory SET content = 'forged'", ROW),
        ("UPDATE memory SET quote = 'forged'", ROW),
        ("UPDATE memory SET key = 'forged'", ROW),
        ("UPDATE memory SET status = 'active'", ROW),
        ("UPDATE memory SET salt = x'00'", [*ROW, *STEPS]),
        ("""UPDATE version SET fields = '{"content": "forged"}'""", STEPS),
        ("UPDATE version SET reason = 'forged'", STEPS),
        ("UPDATE version SET actor = 'forged'", STEPS),
        ("DELETE FROM version", STEPS),
        ("UPDATE event SET reason = 'forged'", EVENT),
        ("UPDATE event SET actor = 'forged'", EVENT),
        ("UPDATE event SET about = 'id-0009'", EVENT),
        ("DELETE FROM event", EVENT),
    ],
)
def test_what_is_put_back_into_an_erased_life_is_found(
    vault: Vault, transactions: Transactions, memory: Callable[..., Memory], edit: str, problems: list[str]
) -> None:
    """Without a salt there is still one thing that its row, its versions and its events can say: nothing."""
    row = memory()
    transactions.run_now(LEVEL, lambda hands: hands.writer.add(row, ["x"], step("save")))
    transactions.run_now(LEVEL, lambda hands: hands.writer.note(step("hide_below", "x"), about=row.id))
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(row.id, ERASE))
    connection: apsw.Connection = vault.writers()[LEVEL].connection
    connection.execute(edit)
    assert vault.verify(LEVEL) == problems


def test_an_erase_can_be_said_again(
    vault: Vault, transactions: Transactions, reader: SqliteLevelReader, memory: Callable[..., Memory]
) -> None:
    """A verb that was interrupted is done anew: nothing changes, and no wish refuses the empty text."""
    row = memory()
    transactions.run_now(LEVEL, lambda hands: hands.writer.add(row, ["x"], step("save")))
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(row.id, ERASE))
    end = reader.journal_end()
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(row.id, ERASE))
    assert reader.journal_end() == end and vault.verify(LEVEL) == []
    assert reader.wishes(Subject("k", "default", (), reader.digest(""), b"")) == []


def test_an_erased_memory_tells_when_and_never_what(
    transactions: Transactions, reader: SqliteLevelReader, memory: Callable[..., Memory]
) -> None:
    """Its life is there step by step, the erase too; none of it can be put back."""
    row = memory()
    transactions.run_now(LEVEL, lambda hands: hands.writer.add(row, ["x"], step("save", "why")))
    transactions.run_now(LEVEL, lambda hands: hands.writer.erase(row.id, replace(ERASE, reason="told not")))
    told = reader.versions(row.id)
    assert [(each.change.op, each.change.reason, each.fields) for each in told] == [
        ("save", None, {}),
        ("erase", None, {}),
    ]
    assert [reader.before(each) for each in told] == [None, None]
    with pytest.raises(ValueError, match="was erased"):
        transactions.run_now(LEVEL, lambda hands: hands.writer.amend(reader.by_id(row.id), step("undo")))


def test_an_erase_above_a_memory_takes_its_traces_there(
    state: Path, vault: Vault, transactions: Transactions, reader: SqliteLevelReader
) -> None:
    """The wish on a lower memory names it no more and still refuses its key and text; its masks still hide it."""
    text = reader.digest("a text")
    wish = Suppression("w-1", Scope.MEMORY, "default", 5, "zanzibar", None, text, "low-1", "zanzibar")

    def forget_below(hands: Hands) -> None:
        hands.writer.suppress(wish, step("suppress"))
        hands.writer.note(step("deny_below", "zanzibar"), about="low-1")
        for space, key in (("default", "zanzibar"), ("default", "zanzibar2"), ("mine", "zanzibar")):
            hands.writer.mask(key, Mask("low-1", 2, LEVEL, space))

    transactions.run_now(LEVEL, forget_below)
    for _ in range(2):
        transactions.run_now(LEVEL, lambda hands: hands.writer.erase("low-1", replace(ERASE, reason="zanzibar")))
    scrub(vault)
    assert traces(state, "zanzibar") == [] and vault.verify(LEVEL) == []
    key = reader.key_digest("default", "zanzibar")
    for subject in (Subject("zanzibar", "default", (), b"none", key), Subject("else", "mine", (), text)):
        assert [each.id for each in reader.wishes(subject)] == ["w-1"]
    assert reader.masks("zanzibar", ["default", "mine"]) == [
        Mask("low-1", 2, LEVEL, "default"),
        Mask("low-1", 2, LEVEL, "mine"),
    ]
    assert reader.masks("zanzibar", ["elsewhere"]) == [] == reader.masks("pemba", ["default"])
