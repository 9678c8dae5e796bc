"""A scrub leaves nothing of what was deleted, all of what was not, and lets others write between its steps."""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Status
from memtrigd.store import gaps, upkeep
from memtrigd.store.interface import Change, Hands
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions
from tests.store.scrubbing import scrub, traces
from tests.store.scrubbing import upkeep as upkeep_of

LEVEL = Level.INTERNAL
MARK = "zanzibar"
Make = Callable[..., Memory]


def change(op: str = "save") -> Change:
    """A change by the owner."""
    return Change(op=op, actor="owner", session=None, at=9)


class Life:
    """Memories that come, grow, go out of service and are erased, by chance; ``kept`` is what must be there."""

    def __init__(self, vault: Vault, chance: random.Random) -> None:
        self.vault = vault
        vault.writers()[LEVEL].connection.pragma("synchronous", "off")  # no power is cut here, and these are many
        self.write = Transactions(vault)
        self.chance = chance
        self.kept: dict[str, Memory] = {}
        self.erased = 0
        self.made = 0

    def save(self, marked: bool) -> None:
        """A commit of some memories, each with terms of its own; ``marked`` are those that will be erased."""
        rows = [self._memory(marked) for _ in range(self.chance.randrange(1, 9))]

        def run(hands: Hands) -> None:
            for row in rows:
                hands.writer.add(row, [*row.content.split(), "and", row.key], change())

        self.write.run_now(LEVEL, run)
        self.kept |= {row.id: row for row in rows}

    def edit(self) -> None:
        """Let some rows grow, which moves others to new pages, and some go out of the index."""
        rows = self.chance.sample(list(self.kept.values()), min(len(self.kept), 6))

        def run(hands: Hands) -> None:
            for row in rows:
                fresh = replace(row, context="long " * self.chance.randrange(200), seen_count=row.seen_count + 1)
                if self.chance.random() < 0.2:
                    fresh = replace(fresh, status=Status.FORGOTTEN)
                hands.writer.amend(fresh, change("amend"))
                self.kept[row.id] = fresh

        self.write.run_now(LEVEL, run)

    def erase(self) -> None:
        """Erase all that is marked."""
        rows = [row for row in self.kept.values() if MARK in row.content]

        def run(hands: Hands) -> None:
            for row in rows:
                hands.writer.erase(row.id, change("erase"))
                del self.kept[row.id]

        self.write.run_now(LEVEL, run)
        self.erased += len(rows)

    def live(self, turns: int) -> None:
        """Some turns of it, without an erase."""
        for _ in range(turns):
            self.save(marked=self.chance.random() < 0.5)
            self.edit()

    def all_there(self) -> None:
        """Every row that was not erased is as it was left, and the file is sound."""
        reader = self.vault.readers()[LEVEL]
        assert {key: reader.by_id(key) for key in self.kept} == self.kept
        assert self.vault.verify(LEVEL) == []

    def _memory(self, marked: bool) -> Memory:
        self.made += 1
        word = f"{MARK}{self.made:05}" if marked else f"pemba{self.made:05}"
        text = f"{word} " * self.chance.choice((1, 2, 9, 60, 400))
        fields = {"key": f"{word}-key", "content": text, "tags": (word,), "entity": word}
        now = {"created": self.made, "updated": self.made, "importance_at": self.made}
        return Memory(id=f"id-{self.made:05}", level=LEVEL, space="default", **fields, **now)


@pytest.fixture
def life(vault: Vault) -> Life:
    """A life in the vault, always the same."""
    return Life(vault, random.Random(7))


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**32), rounds=st.integers(1, 3))
@pytest.mark.slow
def test_whatever_happened_nothing_erased_is_left(seed: int, rounds: int) -> None:
    """Not in gaps, free pages, index or log, round after round; all else is as it was left, and sound."""
    with TemporaryDirectory() as home, Vault.open(Path(home) / "state") as vault:
        life = Life(vault, random.Random(seed))
        for _ in range(rounds):
            life.live(15)
            life.erase()
            scrub(vault)
            assert traces(Path(home) / "state", MARK) == []
        life.all_there()


@pytest.mark.slow
def test_of_thousands_that_were_erased_no_copy_is_left(state: Path, vault: Vault, life: Life) -> None:
    """Nine of 1600 erased rows used to have one in a gap, with every deleted byte overwritten."""
    while life.made < 3600:
        life.live(20)
    life.erase()
    for _ in upkeep_of(vault)._fold():
        pass
    assert life.erased >= 1600 and gap_holds(state, MARK), "the test would see it"
    scrub(vault)
    assert traces(state, MARK) == []
    life.all_there()


def test_a_free_page_holds_nothing(state: Path, vault: Vault, life: Life) -> None:
    """SQLite overwrites pages that it frees, and what is freed within one: gaps are all there is to clear."""
    life.live(60)
    life.erase()
    scrub(vault)
    connection = vault.writers()[LEVEL].connection
    assert connection.pragma("freelist_count") > 3
    assert traces(state, MARK) == []


def test_what_the_cache_has_brings_nothing_back(state: Path, vault: Vault, life: Life) -> None:
    """Every page is in the writer's cache with its old gap when that is cleared in the file; then each is written."""
    life.live(60)
    life.erase()
    connection = vault.writers()[LEVEL].connection
    connection.pragma("integrity_check")
    scrub(vault)
    connection.execute("UPDATE memory SET recall_count = recall_count + 1")
    connection.execute("UPDATE version SET at = at + 1")
    connection.pragma("wal_checkpoint", "truncate")
    assert traces(state, MARK) == []


def test_a_merge_that_was_under_way_leaves_nothing(state: Path, vault: Vault, life: Life) -> None:
    """What FTS5 had put together of a part before something was erased of it is put together once more."""
    connection = vault.writers()[LEVEL].connection
    life.live(40)
    for pages in range(1, 12):
        life.live(3)
        connection.execute("INSERT INTO lexicon (lexicon, rank) VALUES ('merge', ?)", (-pages,))
        life.erase()
        scrub(vault)
        assert traces(state, MARK) == [], pages
    life.all_there()


def test_others_write_and_erase_between_two_steps(
    state: Path, vault: Vault, life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was erased before the first step is gone after the last, whatever was saved and deleted meanwhile."""
    monkeypatch.setattr(upkeep, "MERGED", 2)
    monkeypatch.setattr(upkeep, "WALKED", gaps.PIECE)
    while life.made < 800:
        life.live(20)
    life.erase()
    steps = 0
    for steps, _ in enumerate(upkeep_of(vault).scrub(), 1):
        if steps % 2:
            life.save(marked=False)
        else:
            life.edit()
    assert steps > 8 and traces(state, MARK) == []
    life.all_there()


def test_a_scrub_that_was_cut_off_is_finished_by_another(state: Path, vault: Vault, life: Life) -> None:
    """After any of its steps."""
    life.live(60)
    for cut in range(1, 9):
        life.live(4)
        life.erase()
        with closing(upkeep_of(vault).scrub()) as steps:
            for _, _ in zip(range(cut), steps, strict=False):
                pass
        scrub(vault)
        assert traces(state, MARK) == []
    life.all_there()


def test_nothing_to_scrub_takes_one_step(vault: Vault, life: Life) -> None:
    """So who erases what was in no index need not wait for it."""
    life.live(4)
    scrub(vault)
    assert scrub(vault) == 1


def test_a_file_of_too_many_pages_is_written_anew(
    state: Path, vault: Vault, life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a page's first byte no longer tells what it is, nothing is written into pages."""
    monkeypatch.setattr(gaps, "MOST_PAGES", 1)
    monkeypatch.setattr(gaps, "clear", lambda *_: pytest.fail("cleared"))
    life.live(60)
    life.erase()
    scrub(vault)
    assert traces(state, MARK) == []
    life.all_there()


def test_a_reader_of_an_old_state_makes_a_scrub_wait(vault: Vault, life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others write while it waits; then it is told that the log has the text, and the same works after the reader."""
    monkeypatch.setattr(upkeep, "PATIENCE", 0.05)
    life.live(1)
    slow = vault.readers()[LEVEL]
    with slow.snapshot():
        slow.counts()
        life.live(1)
        before = life.made
        with pytest.raises(Refusal) as refused:
            for _ in upkeep_of(vault).scrub():
                life.save(marked=False)
    assert (refused.value.code, refused.value.retryable) == ("store_locked", True) and life.made > before
    scrub(vault)


def test_the_locks_of_the_file_stay(state: Path, vault: Vault, life: Life) -> None:
    """Closing a descriptor of a file drops what locks its process has on it, unless SQLite does it."""
    life.live(20)
    life.erase()
    scrub(vault)
    asked = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)"
    asking = subprocess.run(
        [sys.executable, "-c", asked, str(state / "internal.db")], capture_output=True, text=True, check=False
    )
    assert "BlockingIOError" in asking.stderr


# -- pages --------------------------------------------------------------------------------------------------------


def dirty(path: Path) -> Iterator[bytes]:
    """What the gaps of a file hold."""
    data = path.read_bytes()
    for place, length in gaps.in_piece(data, 0, gaps.page_size(data)):
        yield data[place : place + length]


def gap_holds(state: Path, word: str) -> bool:
    """Whether a gap of the level's file has a word."""
    return any(word.encode() in each for each in dirty(state / "internal.db"))


@pytest.mark.parametrize("size", [512, 4096, 65536])
def test_gaps_of_pages_of_any_size_are_found(tmp_path: Path, size: int) -> None:
    """Also on the first page, behind the header, and in trees with inner pages; what is used is never one."""
    path = tmp_path / "a.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("page_size", size)
        connection.pragma("secure_delete", False)
        connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, v TEXT UNIQUE)")
        connection.execute(f"CREATE TABLE {MARK} (a)")
        connection.execute(f"DROP TABLE {MARK}")
        rows = [(n, f"{n * 7919 % 100003} {'x' * (n % 97)}") for n in range(9 * size // 16)]
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.executemany("UPDATE t SET v = v || ? WHERE n = ?", (("y" * 99, n) for n, _ in rows[::3]))
        connection.execute("COMMIT")
        before = connection.execute("SELECT * FROM t").fetchall()
    data = bytearray(path.read_bytes())
    found = list(gaps.in_piece(bytes(data), 0, size))
    assert len(found) > 5 and gaps.page_size(data) == size
    for place, length in found:
        data[place : place + length] = bytes(length)
    assert list(gaps.in_piece(bytes(data), 0, size)) == []
    path.write_bytes(data)
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.pragma("integrity_check") == "ok"
        assert connection.execute("SELECT * FROM t").fetchall() == before


@given(
    page=st.binary(min_size=512, max_size=512), kind=st.sampled_from([0, 2, 5, 10, 13, 255]), cells=st.integers(0, 9)
)
def test_a_page_of_any_bytes_has_no_gap_outside_of_it(page: bytes, kind: int, cells: int) -> None:
    """Nor one in which a cell begins: such a page is damaged, and what is in it may be all that is left of a row."""
    page = bytes((kind, 0, 0, 0, cells)) + page[5:]
    for place, length in gaps.in_piece(page, 512, 512):
        begin = place - 512
        pointers = [int.from_bytes(page[at : at + 2], "big") for at in range(begin - 2 * cells, begin, 2)]
        assert 8 <= begin < begin + length <= 512 and all(each >= begin + length for each in pointers)


def test_a_page_whose_header_lies_is_left_as_it_is(state: Path, vault: Vault, life: Life) -> None:
    """Damage is not made worse: its rows can still be read, or brought back."""
    life.live(20)
    scrub(vault)
    root = vault.writers()[LEVEL].connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'corpus'")
    place = (int(str(root.fetchall()[0][0])) - 1) * 4096
    path = state / "internal.db"
    with path.open("r+b") as file:
        file.seek(place + 5)
        file.write(b"\x10\x00")  # as if the cells began at the end of the page
        file.seek(place)
        page = file.read(4096)
    assert list(gaps.in_piece(page, place, 4096)) == []
    with suppress(Refusal):
        scrub(vault)
    assert path.read_bytes()[place : place + 4096] == page
