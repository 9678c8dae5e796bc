"""How near in meaning documents are: what length does to it."""

import numpy as np
import pytest

from memtrigd.domain.levels import Level
from memtrigd.search.meaning import UNRELATED, Nearness, by_chance
from memtrigd.search.passages import mark, packed
from memtrigd.search.question import Meant
from memtrigd.search.vectors import LevelVectors
from memtrigd.store.interface_vectors import Vector
from tests.embedding import DIM, model, vector
from tests.search.shelves import shelf


def test_a_long_text_is_no_nearer_for_being_long() -> None:
    """Of two texts whose best passage is the same the one of many counts less, by what chance gives so many."""
    known = model()
    index = shelf(Level.INTERNAL, ["tea", "tea and much else"])
    texts = [(1, 0, "tea"), *((2, part, "tea" if part == 7 else "sand") for part in range(30))]
    rows = [Vector(seq, number, part, packed(vector(text))) for seq, (number, part, text) in enumerate(texts, start=1)]
    held = LevelVectors(mark(known), DIM, rows)
    assert held.passages(index.at).tolist() == [1, 30]
    short, long = Nearness(Meant(vector("tea"), known), {Level.INTERNAL: held}).scores(index)
    assert short - long == pytest.approx(by_chance(30))


def test_as_many_unrelated_texts_reach_the_floor_whatever_their_length() -> None:
    """Drawn by chance: about one in a thousand, of one passage and of fifty."""
    chance = np.random.default_rng(7)
    floor = 3.0902  # what one in a thousand of a normal distribution reaches
    for passages in (1, 50):
        best = chance.normal(size=(40_000, passages)).max(axis=1) - by_chance(passages)
        assert UNRELATED / 2 < (best >= floor).mean() < UNRELATED * 2
    assert by_chance(1) == 0
