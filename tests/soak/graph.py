"""A soak as a picture."""

from collections.abc import Sequence
from pathlib import Path

from tests.soak.verdict import WARM, Sample, Window


def draw(samples: Sequence[Sample], windows: Sequence[Window], file: Path) -> None:
    """Draw memory, descriptors and threads, the files, and the latencies of a run, one above the other."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    minutes = [each.at / 60 for each in samples]
    figure, (memory, counts, files, latency) = pyplot.subplots(4, 1, figsize=(9, 10), sharex=True, layout="constrained")
    memory.plot(minutes, [each.rss / 1024 for each in samples], label="resident memory")
    memory.set_ylabel("MiB")
    counts.plot(minutes, [each.descriptors for each in samples], label="descriptors")
    counts.plot(minutes, [each.threads for each in samples], label="threads")
    files.plot(minutes, [each.log_bytes / 2**20 for each in samples], label="write-ahead logs")
    files.plot(minutes, [each.store_bytes / 2**20 for each in samples], label="databases")
    files.set_ylabel("MiB")
    middle = [each.at / 60 for each in windows]
    latency.plot(middle, [each.p50 * 1000 for each in windows], "o-", label="p50 of a window")
    latency.plot(middle, [each.p99 * 1000 for each in windows], "o-", label="p99 of a window")
    latency.set_ylabel("ms")
    latency.set_xlabel("minutes")
    for each in (memory, counts, files, latency):
        each.set_ylim(bottom=0)
        each.axvspan(0, minutes[-1] * WARM, color="0.93")
        each.legend(loc="lower right")
        each.grid(alpha=0.3)
    memory.set_title("memtrigd under 32 clients (grey: warming up)")
    figure.savefig(file, dpi=110)
    pyplot.close(figure)
