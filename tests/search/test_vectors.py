"""Vectors in memory: how near each document is, and that they are what they would be if they were loaded now."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.search import vectors
from memtrigd.search.indexes import Indexes
from memtrigd.search.passages import mark, packed, passage
from memtrigd.search.postings import LevelIndex
from memtrigd.search.vectors import LevelVectors
from memtrigd.store.interface_vectors import Vector
from tests.embedding import DIM, model, parts, vector
from tests.search.shelves import shelf
from tests.search.test_indexes import MOVES, File

ONE, OTHER = model(), model("another")
FLOATS = st.lists(st.floats(-1, 1, width=32), min_size=8, max_size=8).filter(lambda parts: max(map(abs, parts)) > 1e-3)


def near(held: LevelVectors, index: LevelIndex, question: str) -> list[float]:
    """How near each document is to a question, in the order of their numbers."""
    found = held.cosines(vector(question), index.at)
    return [round(float(each), 3) for each in found[np.argsort(index.at.number)]]


def rows(*texts: str) -> list[Vector]:
    """The vectors of texts, which are documents 1, 2 and so on."""
    pieces = [(n, at, part) for n, text in enumerate(texts, start=1) for at, part in enumerate(parts(text))]
    return [Vector(seq, n, at, packed(vector(part))) for seq, (n, at, part) in enumerate(pieces, start=1)]


def test_a_document_is_as_near_as_its_nearest_passage() -> None:
    """Wherever in a long text it is; and of what has no vector yet nothing is known."""
    long = " ".join(["sand"] * 100) + " espresso " * 40
    index = shelf(Level.INTERNAL, ["sand", long, "coffee", "sand"])
    found = near(LevelVectors(b"m", DIM, rows("sand", long, "coffee")), index, "tea")
    assert found[1] > 0.9 and found[2] == pytest.approx(1.0, abs=0.005)
    assert abs(found[0]) < 0.4 and np.isnan(found[3])


@given(one=FLOATS, other=FLOATS)
def test_a_cosine_hardly_moves_in_steps(one: list[float], other: list[float]) -> None:
    """Kept in whole steps a vector is a quarter as large, and as near to any other as it was."""
    first, second = (np.array(each, "<f4") / np.linalg.norm(np.array(each, "<f4")) for each in (one, other))
    held = LevelVectors(b"m", 8, [Vector(1, 1, 0, packed(first.tobytes()))])
    (found,) = held.cosines(second.tobytes(), shelf(Level.INTERNAL, ["x"]).at)
    assert found == pytest.approx(float(first @ second), abs=0.02)


@pytest.mark.skipif(vectors.PRODUCTS is None, reason="without numkong there is one way only")
def test_products_are_the_same_with_and_without_numkong(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit: whole numbers, so a score does not tell what is installed."""
    chance = np.random.default_rng(5)
    held = chance.integers(-127, 128, (5000, 384), np.int8)
    asked = chance.integers(-127, 128, 384, np.int8)
    with_it = vectors._products(asked, held)
    monkeypatch.setattr(vectors, "PRODUCTS", None)
    assert (vectors._products(asked, held) == with_it).all()
    assert (with_it == held.astype(np.int64) @ asked.astype(np.int64)).all()


def test_a_vector_of_another_size_is_none_of_the_models() -> None:
    """It is left out, even if it is the first, and a question of another size is a fault."""
    index, wrong = shelf(Level.INTERNAL, ["x", "y"]), Vector(2, 2, 0, b"\0" * 9)
    for found in ([*rows("coffee"), wrong], [wrong, *rows("coffee")]):
        held = LevelVectors(b"m", DIM, found)
        assert np.isnan(near(held, index, "tea")[1]) and len(held) == 1 and held.until == 2
    with pytest.raises(ValueError, match="one model"):
        held.cosines(b"\0" * 8, index.at)


@pytest.mark.parametrize("scale", [np.nan, np.inf, -1.0, 0.0, 1e30])
def test_a_vector_of_no_scale_is_left_out(scale: float) -> None:
    """A bit that flipped in the file makes nothing the nearest of all."""
    index, (one, *_) = shelf(Level.INTERNAL, ["x", "y"]), rows("coffee")
    bad = Vector(2, 2, 0, np.float32(scale).tobytes() + one.data[4:])
    held = LevelVectors(b"m", DIM, [one, bad])
    assert len(held) == 1 and np.isnan(near(held, index, "tea")[1])


@pytest.mark.parametrize("bad", [b"", b"\0" * 16, np.array([np.nan, 1], "<f4").tobytes()])
def test_what_is_no_vector_is_not_kept(bad: bytes) -> None:
    """Nothing, all zeros, or no numbers."""
    with pytest.raises(ValueError, match="no numbers"):
        packed(bad)


def test_what_goes_is_zeroed_and_at_last_cleared_away() -> None:
    """The memory of the daemon does not keep what an erase took, and does not grow with what comes and goes."""
    texts = [f"word{n} coffee" for n in range(100)]
    held, index = LevelVectors(b"m", DIM, rows(*texts)), shelf(Level.INTERNAL, texts)
    before = near(held, index, "coffee")
    held.drop(np.arange(1, 11))
    assert not held._steps[:10].any() and len(held) == 90
    held.drop(np.arange(11, 51))
    assert len(held) == held._size == 50 and not held._steps[50:].any()
    after = near(held, index, "coffee")
    assert np.isnan(after[:50]).all() and after[50:] == before[50:]


def test_vectors_follow_documents_to_other_places() -> None:
    """What an index clears away moves all that stays, and what was known of their places counts no more."""
    texts = [f"word{n} coffee" for n in range(40)]
    held, index = LevelVectors(b"m", DIM, rows(*texts)), shelf(Level.INTERNAL, texts)
    before = near(held, index, "coffee")
    index.change([f"id-{n}" for n in range(1, 21)], ())
    assert index.at.size == 20
    assert near(held, index, "coffee") == before[20:]


class Embedding(Struct):
    """Gives vectors to what has none, as the daemon does in the background."""

    file: File

    def some(self, name: str) -> None:
        """To the next three memories."""
        made = model(name)
        with self.file.writer.connection:
            for number, memory in self.file.writer.unembedded(mark(made), 3):
                found = [packed(vector(part, name)) for part in parts(passage(memory))]
                self.file.writer.embed(number, mark(made), found)


@settings(deadline=None, max_examples=40)
@given(
    moves=st.lists(
        st.one_of(
            *[MOVES.map(lambda moves: moves[:3])] * 2,
            st.sampled_from([[("embed", "made-up")]] * 3 + [[("embed", "another")]]),
            st.sampled_from([[("ask", "made-up")], [("ask", "another")]]),
        ),
        max_size=30,
    )
)
def test_vectors_that_follow_are_those_that_are_loaded(empty: Path, moves: list[list[tuple[object, ...]]]) -> None:
    """After any history of saves, changes, erasures and embedding by two models, asked any number of times between.

    What another model has embedded since may still be known by the vectors of the first: they are of the same text.
    """
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        shutil.copy(empty, Path(place) / "internal.db")
        file, followed = File(Path(place) / "internal.db"), Indexes()
        try:
            for what, *rest in (move for some in moves for move in some):
                if what == "follow":
                    followed.follow(file.reader)
                elif what == "ask":
                    _told(followed, file, model(str(rest[0])))
                elif what == "embed":
                    Embedding(file).some(str(rest[0]))
                else:
                    named = rest.pop() if rest and isinstance(rest[-1], dict) else {}
                    getattr(file, str(what))(*rest, **named)
            for which, other in ((ONE, OTHER), (OTHER, ONE)):
                told, loaded = _told(followed, file, which), _told(Indexes(), file, which)
                newer = {number for _, number, *_ in file.reader.vectors(mark(other))}
                assert {number: near for number, near in told.items() if number not in newer} == loaded
        finally:
            file.close()


def _told(indexes: Indexes, file: File, which: object) -> dict[int, float]:
    """How near to a question each document is that has a vector of a model, by its number."""
    assert isinstance(which, type(ONE))
    with file.reader.snapshot():
        index = indexes.follow(file.reader)
        held = indexes.vectors(file.reader, which)
    found = held.cosines(vector("tea with the merger", which.name), index.at)
    here = index.at.alive & ~np.isnan(found)
    return dict(zip(index.at.number[here].tolist(), found[here].tolist(), strict=True))
