"""What the owner asks about the journals and the levels that takes minutes: whoever verifies answers."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeAlias

from memtrig import wire

from memtrigd.serve.dispatch import Done, Reply

Told: TypeAlias = Callable[[Any], None]


class Audits(Protocol):
    """Verifies and proves, in a lane of its own; ``told`` gets a result or an exception."""

    def verify(self, request: wire.AuditVerify, told: Told) -> None:
        """Verify the journals."""

    def prove(self, request: wire.Prove, told: Told) -> None:
        """Prove the levels."""


def ask(audits: Audits, request: wire.AuditVerify | wire.Prove, done: Done) -> None:
    """Answer through ``done``, once. Raises Refusal ``bad_level`` or ``bad_value``."""
    told = partial(_reply, done)
    if isinstance(request, wire.Prove):
        audits.prove(request, told)
    else:
        audits.verify(request, told)


def _reply(done: Done, outcome: Any) -> None:
    done(Reply(error=outcome) if isinstance(outcome, Exception) else Reply(outcome))
