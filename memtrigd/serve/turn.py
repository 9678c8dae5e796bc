"""A turn: all that a handler may touch while it answers one request."""

from collections.abc import Callable
from datetime import tzinfo

from msgspec import Struct

from memtrigd.domain.moments import Micros
from memtrigd.gate.policy import Actor
from memtrigd.gate.view import View
from memtrigd.store.interface import Change


class Turn(Struct, frozen=True):
    """One request's surroundings. ``now`` is read once, so that a whole request happens at one moment."""

    view: View
    actor: Actor
    now: Micros
    new_id: Callable[[], str]
    zone: tzinfo

    def change(self, op: str, reason: str | None = None) -> Change:
        """Describe a change that this turn makes."""
        who = self.actor.agent or self.actor.kind
        return Change(op=op, actor=who, session=self.actor.session, at=self.now, reason=reason)
