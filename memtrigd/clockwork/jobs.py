"""When a job is due: pure, so that sleep, restarts and clock changes can be tested without waiting."""

from collections.abc import Callable

from msgspec import Struct

from memtrigd.domain.moments import Micros


class Job(Struct, frozen=True):
    """Something that is done ``every`` so often. ``run`` starts it; it must bear being started once too often."""

    name: str
    every: Micros
    run: Callable[[Micros], None]


def due(now: Micros, last: Micros | None, every: Micros) -> bool:
    """Tell whether a job should start: never done, done long enough ago, or done in a future that was taken back."""
    return last is None or last > now or now - last >= every
