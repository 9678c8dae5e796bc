"""What the owner asks about the journals and the levels that takes minutes: whoever verifies answers."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeAlias

from memtrig import wire

from memtrigd.serve.dispatch import Done, Reply
from memtrigd.serve.protocol import Connection

Told: TypeAlias = Callable[[Any], None]
Tell: TypeAlias = Callable[[wire.Notice], object]


class Audits(Protocol):
    """Verifies and proves, one at a time; ``told`` gets a result or an exception, ``tell`` how far it is.

    ``asker`` is whose it is: it ends when that is ``gone``.
    """

    def verify(self, request: wire.AuditVerify, asker: object, told: Told, tell: Tell) -> None:
        """Verify the journals."""

    def prove(self, request: wire.Prove, asker: object, told: Told, tell: Tell) -> None:
        """Prove the levels."""

    def gone(self, asker: object) -> None:
        """Hear that somebody does not wait any more."""


def ask(audits: Audits, request: wire.AuditVerify | wire.Prove, connection: Connection, done: Done) -> None:
    """Answer through ``done``, once. Raises Refusal ``bad_level``, ``bad_value`` or ``busy``."""
    told = partial(_reply, done)
    if isinstance(request, wire.Prove):
        audits.prove(request, connection, told, connection.notify)
    else:
        audits.verify(request, connection, told, connection.notify)


def _reply(done: Done, outcome: Any) -> None:
    done(Reply(error=outcome) if isinstance(outcome, Exception) else Reply(outcome))
