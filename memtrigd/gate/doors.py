"""Doors: the sockets that the daemon answers at. The door is known at accept and can't be talked over."""

from enum import Enum

from msgspec import Struct

from memtrigd.domain.levels import Level


class DoorKind(Enum):
    """What sort of caller stands at the door."""

    LEVEL = "level"
    """An agent on the socket of one level."""
    HANDED = "fd"
    """An agent on a descriptor that a host got from ``session.open`` and handed over."""
    CONTROL = "control"
    """The owner, or the policy layer of a host."""
    HOOK = "hook"
    """A hook of a host: may feed and fetch, never choose a level."""


class Door(Struct, frozen=True):
    """One door; ``level`` is set for the four level sockets only."""

    kind: DoorKind
    level: Level | None = None

    @property
    def name(self) -> str:
        """The name under which a service manager passes the descriptor: level-public … restricted, control, hook."""
        return f"level-{self.level.slug}" if self.level is not None else self.kind.value


CONTROL = Door(DoorKind.CONTROL)
HOOK = Door(DoorKind.HOOK)
HANDED = Door(DoorKind.HANDED)
LEVEL_DOORS = {level: Door(DoorKind.LEVEL, level) for level in Level}
SOCKET_DOORS = (*LEVEL_DOORS.values(), CONTROL, HOOK)
