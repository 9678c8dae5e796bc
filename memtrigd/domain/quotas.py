"""Quotas: how much an agent may keep at a level, and how often it may save there. None unless the owner sets one.

A name is what an agent says of itself, so quotas are for agents that run wild, not for those that lie.
"""

from typing import Final

from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros

MINUTE: Final[Micros] = 60_000_000
MOST: Final = 1_000_000_000_000
"""A limit may be so large: what is reckoned with it stays a number."""


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """What an agent may have at each level: active and waiting memories, bytes of their contents, saves a minute."""

    memories: int | None = None
    bytes: int | None = None
    saves_per_minute: int | None = None


class Quota(Limits, frozen=True, forbid_unknown_fields=True):
    """``[quota]``: the limits of every agent, and in ``[quota.agents.NAME]`` those of one, in their place."""

    agents: dict[str, Limits] = {}

    def of(self, agent: str | None) -> Limits:
        """The limits of an agent; those without a name share one."""
        own = self.agents.get(agent or "", Limits())
        return Limits(
            self.memories if own.memories is None else own.memories,
            self.bytes if own.bytes is None else own.bytes,
            self.saves_per_minute if own.saves_per_minute is None else own.saves_per_minute,
        )

    def check(self) -> None:
        """Raise ValueError for a limit that is none."""
        for limits in (self, *self.agents.values()):
            for name in ("memories", "bytes", "saves_per_minute"):
                value = getattr(limits, name)
                if value is not None and not 1 <= value <= MOST:
                    raise ValueError(f"{name} under [quota] can be 1 to {MOST}, or left out")


class Pace(Struct):
    """How often was lately saved: a minute's saves may come at once, and come back evenly."""

    left: float
    at: Micros

    def take(self, a_minute: int, now: Micros, level: Level) -> None:
        """Count a save. Raises Refusal ``quota``, retryable, with the seconds after which one is free."""
        self.left = min(a_minute, self.left + max(0, now - self.at) * a_minute / MINUTE)
        self.at = now
        if self.left < 1:
            wait = (1 - self.left) * MINUTE / a_minute / 1_000_000
            raise Refusal(
                "quota",
                f"This agent may save {a_minute:,} times a minute at {level.name}.",
                f"Try again in {wait:.1f} seconds.",
                retryable=True,
            )
        self.left -= 1


def fits(limits: Limits, memories: int, size: int) -> bool:
    """Tell whether so many memories with so many bytes are within the limits."""
    return (limits.memories is None or memories <= limits.memories) and (limits.bytes is None or size <= limits.bytes)


def over(limits: Limits, level: Level) -> Refusal:
    """The refusal of what would be over the limits."""
    known = ((limits.memories, "memories"), (limits.bytes, "bytes"))
    allowed = " and ".join(f"{limit:,} {what}" for limit, what in known if limit is not None)
    return Refusal(
        "quota",
        f"This agent may keep {allowed} at {level.name}, and this would be more.",
        "Delete or forget what is not needed; the owner sets the quota, in memtrigd.toml under [quota].",
    )
