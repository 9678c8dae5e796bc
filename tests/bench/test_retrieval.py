"""The figures of the benchmark of search are those of the textbooks."""

from math import log2

import pytest

from tests.bench.retrieval import mean, measured


def test_each_figure_is_what_its_definition_says() -> None:
    """Of two answers one comes second and one twelfth: worked out by hand."""
    ranked = [f"d{place}" for place in range(1, 31)]
    found = measured(ranked, ["d2", "d12"])
    assert found == pytest.approx({
        "R@1": 0, "R@5": 0.5, "R@10": 0.5, "R@20": 1, "H@10": 1, "MRR": 0.5,
        "nDCG@10": (1 / log2(3)) / (1 + 1 / log2(3)),
    })  # fmt: skip


def test_what_is_not_found_counts_as_nothing() -> None:
    """No hit, and an answer beyond the hundredth place, are both nought in every figure."""
    late = [f"d{place}" for place in range(101)]
    assert set(measured([], ["d1"]).values()) == set(measured(late, ["d100"]).values()) == {0}
    assert mean([]) == {}
    assert mean([measured(["d1"], ["d1"]), measured([], ["d1"])])["MRR"] == 50
