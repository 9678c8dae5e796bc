"""The verdict over a soak's samples: whether memory, descriptors and latency stayed what they were once warm."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

WARM = 0.2
"""Part of the run that counts as warming up: caches fill, libraries load."""
GROWTH = 0.05
"""Part by which memory may grow after that."""
WINDOWS = 12
"""Windows that the rest is cut into; each has its own percentiles."""
STEEPER = 1.25
"""How much the last third of the windows' 99th percentiles may be over the first, by their medians."""
SLACK = 0.001
"""Seconds that they may be over it besides."""
COME_AND_GO = 8
"""Descriptors by which medians may differ: some clients come and go all the time."""

KEPT = 6
"""Descriptors that may be left: SQLite keeps one of a database for the next that opens it, as a backup does."""


class Sample(NamedTuple):
    """What was seen at one second."""

    at: float
    rss: int
    descriptors: int
    threads: int
    log_bytes: int
    """Of the write-ahead logs."""
    store_bytes: int
    """Of the databases themselves."""


class Latency(NamedTuple):
    """One request of a probe."""

    at: float
    seconds: float


class Window(NamedTuple):
    """A part of the run."""

    at: float
    p50: float
    p99: float
    requests: int


class Verdict(NamedTuple):
    """What was measured, and what is wrong with it."""

    growth: float
    windows: list[Window]
    steeper: float
    """The last third's median of the 99th percentiles by that of the first."""
    wrong: list[str]


def percentile(values: Sequence[float], part: float) -> float:
    """The value below which so large a part of some values is; the nearest of them."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def windows(latencies: Sequence[Latency], begin: float, end: float, number: int = WINDOWS) -> list[Window]:
    """Cut the latencies between two moments into windows of one length; those without any are left out."""
    length = (end - begin) / number
    cut: list[list[float]] = [[] for _ in range(number)]
    for each in latencies:
        if begin <= each.at < end:
            cut[min(number - 1, int((each.at - begin) / length))].append(each.seconds)
    return [
        Window(begin + place * length, percentile(seconds, 0.5), percentile(seconds, 0.99), len(seconds))
        for place, seconds in enumerate(cut)
        if seconds
    ]


def judge(samples: Sequence[Sample], latencies: Sequence[Latency], before: Sample, after: Sample) -> Verdict:
    """Judge a run; ``before`` is from before the clients came, ``after`` from when they were gone.

    Growth is the median memory of the last tenth by that of the first tenth after warming up.
    """
    end = samples[-1].at
    warm = [each for each in samples if each.at >= end * WARM]
    tenth = max(1, len(warm) // 10)
    first, last = warm[:tenth], warm[-tenth:]
    growth = _median(last, "rss") / _median(first, "rss") - 1
    descriptors = _median(last, "descriptors") - _median(first, "descriptors")
    found = windows(latencies, end * WARM, end)
    third = max(1, len(found) // 3)
    early = statistics.median(each.p99 for each in found[:third])
    late = statistics.median(each.p99 for each in found[-third:])
    wrong = []
    if growth >= GROWTH:
        wrong.append(f"memory grew by {growth:.1%}")
    if descriptors > COME_AND_GO:
        wrong.append(f"descriptors grew by {descriptors:.0f}")
    if after.descriptors > before.descriptors + KEPT or after.threads > before.threads:
        wrong.append(f"left behind: {before} before the clients, {after} after them")
    if late > early * STEEPER + SLACK:
        wrong.append(f"the 99th percentile rose from {early * 1000:.1f} to {late * 1000:.1f} ms")
    if len(found) < WINDOWS:
        wrong.append(f"only {len(found)} of {WINDOWS} windows have requests")
    return Verdict(growth, found, late / early, wrong)


def _median(samples: Sequence[Sample], what: str) -> float:
    return statistics.median(getattr(each, what) for each in samples)
