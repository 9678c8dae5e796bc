"""The indexes in memory: whatever happens to a level's file, they are what they would be if they were loaded now."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory, Source, Status
from memtrigd.search.analyser import memory_terms
from memtrigd.search.indexes import Indexes
from memtrigd.search.postings import LevelIndex
from memtrigd.store.database import open_reader, open_writer
from memtrigd.store.interface import Change
from memtrigd.store.schema import LEVELS
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.sqlite_writer import SqliteLevelWriter

LEVEL = Level.INTERNAL
MINUTE = 60_000_000
WORDS = ["tea", "tea tea coffee", "the merger", "咖啡 coffee", "घराचे", "user-name 38.101", "x"]


class File:
    """A level's file that is written and read."""

    def __init__(self, path: Path) -> None:
        self.writer = SqliteLevelWriter(open_writer(path, LEVELS[LEVEL]), LEVEL, b"key")
        self.reader = SqliteLevelReader(open_reader(path), LEVEL, b"key")
        self._made = 0

    def save(self, text: str, space: str = "default", **fields: object) -> None:
        """Save a memory."""
        self._made += 1
        n = self._made
        memory = Memory(f"id-{n}", f"key-{n}", LEVEL, space, text, n, n, n, **fields)  # type: ignore[arg-type]
        terms = memory_terms(memory.key, text, memory.entity, (), None)
        self._do(lambda: self.writer.add(memory, terms, _change("save")))

    def amend(self, which: int, **fields: object) -> None:
        """Change one of the memories that were saved, wherever it is now."""
        memory = self.writer.by_id(f"id-{which}")
        if memory is None or memory.erased:
            return
        new = replace(memory, **fields)
        terms = memory_terms(new.key, new.content, new.entity, new.tags, None)
        self._do(lambda: self.writer.amend(new, _change("amend"), terms))

    def erase(self, which: int) -> None:
        """Erase one of the memories."""
        self._do(lambda: self.writer.erase(f"id-{which}", _change("erase")))

    def archive(self) -> None:
        """Put away what is superseded: its number may be another memory's afterwards."""
        self._do(lambda: self.writer.archive(1 << 60))

    def _do(self, act: Callable[[], object]) -> None:
        with self.writer.connection:
            act()

    def close(self) -> None:
        """Close both handles."""
        self.reader.connection.close()
        self.writer.connection.close()


@pytest.fixture(name="file")
def _file(empty: Path, tmp_path: Path) -> Iterator[File]:
    """A level without memories."""
    shutil.copy(empty, tmp_path / "internal.db")
    file = File(tmp_path / "internal.db")
    yield file
    file.close()


def _change(op: str) -> Change:
    return Change(op=op, actor="agent:a", session="s", at=1)


def told(index: LevelIndex) -> dict[str, object]:
    """All that an index knows, but where in memory."""
    at = index.at
    named = {
        "space": [*at.spaces._numbers],
        "talk": [*at.talks._numbers],
        "entity": [*at.entities._numbers],
        "kind": [*at.kinds._numbers],
        "source": [*at.sources._numbers],
    }
    plain = ("key_hash", "id_hash", "created", "updated", "valid_from", "valid_to", "length")
    documents = {}
    for place in range(at.size):
        if at.alive[place]:
            number = int(at.number[place])
            assert at.places(at.number[place : place + 1]).tolist() == [place]
            documents[number] = [int(getattr(at, name)[place]) for name in plain]
            documents[number] += [named[name][getattr(at, name)[place]] for name in named]
            beside = (at.before[place], at.behind[place])
            documents[number] += [None if spot < 0 else int(at.number[spot]) for spot in beside]
    postings = {
        (int(term), int(at.number[place]), int(times))
        for part in index._parts
        for term, begin, end in zip(part.hashes, part.starts, part.starts[1:], strict=False)
        for place, times in zip(part.places[begin:end], part.times[begin:end], strict=True)
        if at.alive[place]
    }
    many, lengths = index.figures()
    figures = {name: (int(many[n]), int(lengths[n])) for n, name in enumerate(named["space"]) if many[n]}
    return {"documents": documents, "postings": postings, "figures": figures, "size": len(index)}


TEXTS = st.sampled_from(WORDS)
WHICH = st.integers(1, 12)
MOVES = st.lists(
    st.one_of(
        st.tuples(
            st.just("save"),
            TEXTS,
            st.fixed_dictionaries(
                {"session": st.sampled_from([None, "s-1", "s-2"]), "entity": st.sampled_from([None, "Asha", "Vikram"])},
                optional={
                    "valid_from": st.integers(1, 9).map(lambda n: n * 25 * MINUTE),
                    "space": st.sampled_from(["default", "ours"]),
                    "status": st.just(Status.PENDING),
                },
            ),
        ),
        st.tuples(st.just("amend"), WHICH, st.fixed_dictionaries({"status": st.sampled_from(list(Status))})),
        st.tuples(st.just("amend"), WHICH, st.fixed_dictionaries({"entity": st.just("Mira"), "tags": st.just(("t",))})),
        st.tuples(st.just("amend"), WHICH, st.fixed_dictionaries({"source": st.just(Source.STATED)})),
        st.tuples(st.just("erase"), WHICH),
        st.tuples(st.just("archive")),
        st.tuples(st.just("follow")),
    ),
    max_size=40,
)


@settings(deadline=None, max_examples=60)
@given(moves=MOVES)
def test_an_index_that_follows_is_one_that_is_loaded(empty: Path, moves: list[tuple[object, ...]]) -> None:
    """After any history of saves, changes of state, erasures and archiving, looked at any number of times between."""
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        path = Path(place) / "internal.db"
        shutil.copy(empty, path)
        file, followed = File(path), Indexes()
        try:
            for what, *rest in moves:
                if what == "follow":
                    followed.follow(file.reader)
                    continue
                named = rest.pop() if rest and isinstance(rest[-1], dict) else {}
                getattr(file, str(what))(*rest, **named)
            assert told(followed.follow(file.reader)) == told(Indexes().follow(file.reader))
        finally:
            file.close()


def test_neighbours_follow(file: File) -> None:
    """Who comes between two is next to both, and when they go the two are neighbours again."""
    indexes = Indexes()
    for minute in (1, 5, 3):
        file.save("tea", session="s-1", valid_from=minute * MINUTE)
        indexes.follow(file.reader)
    at = indexes.follow(file.reader).at
    behind = {int(n): int(at.number[spot]) if spot >= 0 else None for n, spot in zip(at.number, at.behind, strict=True)}
    assert behind == {1: 3, 3: 2, 2: None}
    file.amend(3, status=Status.FORGOTTEN)
    at = indexes.follow(file.reader).at
    (first,) = at.places(at.number[:1])
    assert at.number[at.behind[first]] == 2
    assert told(indexes.follow(file.reader)) == told(Indexes().follow(file.reader))


def test_many_changes_are_put_together(file: File) -> None:
    """A hundred saves that are looked at one by one leave few parts, and the dead do not stay for ever."""
    indexes = Indexes()
    for n in range(100):
        file.save(f"tea number {n}")
        index = indexes.follow(file.reader)
    assert len(index._parts) < 6
    for n in range(1, 80):
        file.amend(n, status=Status.FORGOTTEN)
        index = indexes.follow(file.reader)
    assert index.at.size < 40 and len(index) == 21
    assert told(index) == told(Indexes().follow(file.reader))


def test_a_number_that_another_memory_got_is_that_memorys(file: File) -> None:
    """The newest row is put away unseen, and its number given anew: the index has the new one alone."""
    file.save("tea")
    file.save("coffee")
    indexes = Indexes()
    indexes.follow(file.reader)
    file.amend(2, status=Status.SUPERSEDED)
    file.archive()
    file.save("milk")
    index = indexes.follow(file.reader)
    assert index.at.number[index.at.alive].tolist() == [1, 2]
    assert told(index) == told(Indexes().follow(file.reader))


def test_another_file_in_its_place_is_loaded_anew(file: File, empty: Path, tmp_path: Path) -> None:
    """A restored file has a journal of its own, shorter or with other seals: nothing of the old one stays."""
    file.save("tea")
    file.save("coffee")
    indexes = Indexes()
    assert len(indexes.follow(file.reader)) == 2
    for saved in (["milk"], ["milk", "water", "wine"]):
        path = tmp_path / f"other-{len(saved)}.db"
        shutil.copy(empty, path)
        other = File(path)
        for text in saved:
            other.save(text)
        assert told(indexes.follow(other.reader)) == told(Indexes().follow(other.reader))
        other.close()
        indexes.follow(file.reader)


def test_a_level_that_can_not_be_read_is_told_to_who_asks(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is not half-changed: the next time it is loaded as a whole."""
    file.save("tea")
    indexes = Indexes()
    indexes.follow(file.reader)
    file.save("coffee")

    def broken(ids: object = None) -> Iterator[object]:
        raise apsw.IOError("read")

    with monkeypatch.context() as patch:
        patch.setattr(file.reader, "indexed", broken)
        with pytest.raises(apsw.IOError):
            indexes.follow(file.reader)
    assert len(indexes.follow(file.reader)) == 2
