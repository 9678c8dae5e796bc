"""Which levels are not served, told in the log: those that the start found so, and those that are lost later on."""

from collections.abc import Callable, Mapping

import structlog

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level

log = structlog.get_logger()


class Losses:
    """Tells of each level once. ``unavailable`` grows while the daemon runs; ``way_back`` names a command, or None."""

    def __init__(self, unavailable: Mapping[Level, Refusal], way_back: Callable[[Level], str | None]) -> None:
        self._unavailable = unavailable
        self._way_back = way_back
        self._told: set[Level] = set()

    def tick(self) -> None:
        """Log what was not told yet, with the way back."""
        for level, refusal in sorted(dict(self._unavailable).items()):  # a lane may add to it meanwhile
            if level not in self._told:
                self._told.add(level)
                back = self._way_back(level)
                log.error("level_unavailable", classification=level.name, code=refusal.code, why=back)
