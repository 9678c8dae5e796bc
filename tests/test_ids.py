"""Ids: random, so that none tells how many there are or what else was made."""

import math
from collections import Counter

import pytest

from memtrigd.domain.levels import Level
from memtrigd.ids import RandomIds

DRAWS = 200


@pytest.mark.parametrize("mint", ["memory", "session", "token"])
def test_ids_do_not_count(mint: str) -> None:
    """No two are equal, their order is not that in which they were made, and each letter of one varies by itself."""
    ids = RandomIds()
    drawn = [getattr(ids, mint)(level) for _ in range(DRAWS) for level in Level]
    assert len(set(drawn)) == len(drawn)
    assert drawn != sorted(drawn)
    for place in range(1, len(drawn[0]) - 1):
        assert max(Counter(each[place] for each in drawn).values()) < DRAWS * len(Level) / 8


@pytest.mark.parametrize(("mint", "alphabet", "bits"), [("memory", 32, 80), ("session", 32, 80), ("token", 64, 256)])
def test_ids_cannot_be_guessed(mint: str, alphabet: int, bits: int) -> None:
    """An id is long enough to hold the bits that it promises."""
    drawn = getattr(RandomIds(), mint)(Level.PUBLIC)
    assert len(drawn.removeprefix(mint[0] if alphabet == 32 else "")) * math.log2(alphabet) >= bits
