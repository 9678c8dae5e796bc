"""memtrigd, a process like any other, but by a clock that can be set: ``python -m tests.serve.late --home DIR``.

The file ``offset`` of its home has the microseconds that its clock is ahead of the system's.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memtrigd import __main__, daemon
from memtrigd.domain.moments import DAY, Micros
from tests.conftest import Daemon


class LateDaemon(Daemon):
    """A daemon whose days go by as fast as the test says."""

    program = "tests.serve.late"

    @property
    def ahead(self) -> Micros:
        """How far its clock is ahead."""
        return _offset(self.home)

    def pass_days(self, days: float) -> None:
        """Set its clock on, or back."""
        offset = self.ahead + round(days * DAY)
        (self.home / "fresh").write_text(str(offset))
        (self.home / "fresh").replace(self.home / "offset")


@contextmanager
def late_daemon() -> Iterator[LateDaemon]:
    """A running one with an empty store, which is gone afterwards."""
    daemon = LateDaemon()
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.remove()


def _offset(home: Path) -> Micros:
    try:
        return int((home / "offset").read_text())
    except FileNotFoundError:
        return 0


def main() -> None:
    """Run the daemon by the clock of its home."""
    home = Path(sys.argv[sys.argv.index("--home") + 1])
    daemon.now = lambda: time.time_ns() // 1000 + _offset(home)
    __main__.main()


if __name__ == "__main__":
    main()
