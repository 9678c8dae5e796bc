"""A turn: all that a handler may touch while it answers one request."""

from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path
from typing import Protocol

from memtrig import wire
from msgspec import Struct

from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.domain.moments import Micros
from memtrigd.domain.trust import Hearing, Speaker
from memtrigd.gate.policy import Actor
from memtrigd.gate.view import View
from memtrigd.search.indexes import Indexes
from memtrigd.search.question import Meant
from memtrigd.store.interface import Change


class Ear(Protocol):
    """What sessions heard from the user and were told by us: in memory only."""

    def attests(self, session: str | None, quote: str) -> bool:
        """Tell whether the user stated the quoted words in the session."""

    def holds(self, session: str | None, quote: str) -> bool:
        """Tell whether the user said the quoted words in the session, as a statement or not."""

    def tell(self, session: str | None, memory_id: str) -> None:
        """Note that a session was served a memory."""

    def was_told(self, session: str | None, memory_id: str) -> bool:
        """Tell whether the session was lately served a memory."""


class Guides(Protocol):
    """What the owner has agents told about the use of their memory."""

    def shown(self, agent: str | None) -> wire.GuidanceShown:
        """What is in force for an agent, or with none for those that have no file of their own."""

    def path(self, agent: str | None) -> Path:
        """The file for all agents, or for one. Raises Refusal ``bad_value`` for a name that no file can have."""

    def problems(self, text: str | None, agent: str | None) -> list[str]:
        """What keeps a text, or without one the file as it is, from being guidance."""

    def versions(self, agent: str | None) -> list[wire.GuidanceVersion]:
        """The versions of a file, the newest first."""

    def files(self) -> list[wire.GuidanceFile]:
        """Every file there is, and what is wrong with it."""


class Turn(Struct, frozen=True):
    """One request's surroundings. ``now`` is read once, so that a whole request happens at one moment."""

    view: View
    actor: Actor
    now: Micros
    new_id: Callable[[], str]
    zone: tzinfo
    ear: Ear
    recalled: Callable[[Level, str, Micros], None]
    guides: Guides
    indexes: Indexes
    """For what runs in the lane of searches, and nothing else."""
    meaning: Meant | None = None
    """What the question means that is asked, where a model could tell in time."""
    warming: bool = False
    """Whether a model will be able to, later."""

    def speaker(self, quote: str | None) -> Speaker:
        """Who speaks, and whether the words that are quoted were heard from the user in this session.

        In one that read what strangers wrote no quote counts: the words may be theirs, and so may be the wish.
        """
        if self.actor.untrusted:
            return Speaker(self.actor.agent, Hearing.UNATTENDED, untrusted=True, session=self.actor.session)
        attested = quote is not None and self.ear.attests(self.actor.session, quote)
        heard = attested or (quote is not None and self.ear.holds(self.actor.session, quote))
        return Speaker(self.actor.agent, self.actor.hearing, attested, self.actor.is_owner, heard)

    def was_told(self, memory: Memory) -> bool:
        """Tell whether this session was lately served a memory."""
        return self.ear.was_told(self.actor.session, memory.id)

    def recall(self, memory: Memory) -> None:
        """Note that an agent asked for a memory and got it: it will be stamped behind the answer."""
        if not self.actor.is_owner:
            self.ear.tell(self.actor.session, memory.id)
            self.recalled(self.view.level, memory.id, self.now)

    def change(self, op: str, reason: str | None = None) -> Change:
        """Describe a change that this turn makes."""
        who = self.actor.agent or self.actor.kind
        return Change(op=op, actor=who, session=self.actor.session, at=self.now, reason=reason)
