"""The classification levels and the one question that is asked of them."""

from enum import IntEnum

from memtrigd.domain.errors import Refusal


class Level(IntEnum):
    """A classification. The order of the values is the order of the lattice: a chain of four."""

    PUBLIC = 0
    INTERNAL = 1
    CONFIDENTIAL = 2
    RESTRICTED = 3

    @property
    def slug(self) -> str:
        """The lower-case name, as it stands in file and socket names."""
        return self.name.lower()

    def and_below(self) -> tuple["Level", ...]:
        """The levels that a session at this one may read, the highest (this one) first."""
        return _AND_BELOW[self]


_AND_BELOW = {level: tuple(Level(n) for n in range(level, -1, -1)) for level in Level}
DEFAULT_LEVEL = Level.INTERNAL
"""What holds wherever nobody chose: a leak from PUBLIC can't be taken back, and RESTRICTED would be useless."""


def can_flow_to(source: Level, target: Level) -> bool:
    """Tell whether text of level ``source`` may reach a place of level ``target``: only upwards or sideways."""
    return target >= source


def parse_level(text: str) -> Level:
    """Read a level's name in any case. Raises Refusal ``bad_level`` and lists the four."""
    try:
        return Level[text.strip().upper()]
    except KeyError:
        raise Refusal(
            "bad_level",
            f"There is no level {text[:40]!r}.",
            "The levels are public, internal, confidential and restricted.",
        ) from None
