"""A verdict that lets growth pass would be worth nothing: each sort of it is found, and noise is not."""

import random
from pathlib import Path

import pytest

from tests.soak.graph import draw
from tests.soak.verdict import WARM, WINDOWS, Latency, Sample, judge

SECONDS = 600
IDLE = Sample(0, 100_000, 50, 12, 0, 0)


def run(*, grows: float = 0.0, leaks: float = 0.0, slows: float = 1.0) -> tuple[list[Sample], list[Latency]]:
    """Samples of a run that warms up and is noisy, and by its end has grown, leaked or slowed down by so much."""
    chance = random.Random(7)
    samples, latencies = [], []
    for second in range(SECONDS):
        part = max(0.0, second / SECONDS - WARM) / (1 - WARM)
        warm = min(1.0, second / (SECONDS * WARM))
        rss = int((80_000 + 20_000 * warm) * (1 + grows * part) + chance.gauss(0, 300))
        samples.append(Sample(second, rss, int(80 + chance.randrange(9) + leaks * part), 14, 1 << 20, 1 << 22))
        latencies += [
            Latency(second + chance.random(), chance.expovariate(500) * (1 + (slows - 1) * part)) for _ in range(20)
        ]
    return samples, latencies


def wrong(after: Sample = IDLE, **how: float) -> list[str]:
    """What is wrong with a run."""
    return judge(*run(**how), IDLE, after).wrong


def test_what_stays_as_it_was_once_warm_is_flat() -> None:
    """Warming up is no growth, and noise neither."""
    verdict = judge(*run(), IDLE, IDLE)
    assert verdict.wrong == [] and abs(verdict.growth) < 0.01
    assert len(verdict.windows) == WINDOWS and 0.8 < verdict.steeper < 1.25


@pytest.mark.parametrize(
    ("how", "says"),
    [({"grows": 0.08}, "memory grew"), ({"leaks": 30}, "descriptors grew"), ({"slows": 3.0}, "percentile rose")],
)
def test_growth_is_found(how: dict[str, float], says: str) -> None:
    """Of memory, of descriptors, of the time that a request takes."""
    (found,) = wrong(**how)
    assert says in found


@pytest.mark.parametrize("after", [IDLE._replace(descriptors=57), IDLE._replace(threads=13)])
def test_what_the_clients_leave_behind_is_found(after: Sample) -> None:
    """A descriptor more than SQLite keeps, or one thread."""
    (found,) = wrong(after)
    assert "left behind" in found


def test_a_probe_that_fell_silent_is_found() -> None:
    """A window without a request has no percentile that could be bad."""
    samples, latencies = run()
    early = [each for each in latencies if each.at < SECONDS * 0.7]
    assert any("windows" in each for each in judge(samples, early, IDLE, IDLE).wrong)


@pytest.mark.slow
def test_the_graph_is_a_picture(tmp_path: Path) -> None:
    """Whatever the run was like."""
    samples, latencies = run()
    draw(samples, judge(samples, latencies, IDLE, IDLE).windows, tmp_path / "soak.png")
    assert (tmp_path / "soak.png").read_bytes().startswith(b"\x89PNG")
