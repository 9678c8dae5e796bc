"""Cutting the power of a recording at many points, and judging what is left at each."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.crash.acts import Recording, again
from tests.crash.disk import lay
from tests.crash.judge import judge
from tests.crash.recorder import Mark


def cuts(recording: Recording, count: int, random: Random) -> Iterator[tuple[int, list[str]]]:
    """Cut at ``count`` points; yield each and what is wrong there.

    A half of them is anywhere, the other right after something was promised, when least of it may have been written.
    """
    steps, promises = recording.steps, recording.promises
    promised = [number + 1 for number, step in enumerate(steps) if isinstance(step, Mark)]
    anywhere = range(1, len(steps) + 1)
    points = sorted(random.choice(anywhere if number % 2 else promised) for number in range(count))
    disk, done, kept = again(recording), 0, 0
    for number, point in enumerate(points):
        for step in steps[done:point]:
            disk.take(step)
            kept = step.number if isinstance(step, Mark) else kept
        done, after = point, promises[min(kept + 1, len(promises) - 1)]
        with tempfile.TemporaryDirectory(prefix="mt-cut-", dir=memory()) as place:
            state = Path(place) / "state"
            lay(disk.cut(random), recording.root, state)
            yield point, judge(state, promises[kept], after, index=number % 10 == 0)


def memory() -> Path | None:
    """A file system in memory where the system has one: nothing here needs a real disk to sync."""
    place = Path("/dev/shm")
    return place if place.is_dir() else None
