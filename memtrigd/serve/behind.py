"""What a connection needs of the daemon behind it."""

from typing import TYPE_CHECKING, Protocol

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.serve.dispatch import Caller, Done
from memtrigd.serve.heirs import Heir

if TYPE_CHECKING:
    from memtrigd.serve.protocol import Connection


class Service(Protocol):
    """What a connection needs of the daemon."""

    def take(self, caller: Caller, request: wire.Request, connection: "Connection", done: Done) -> None:
        """Answer one request through ``done``."""

    def missing(self, caller: Caller) -> tuple[Level, ...]:
        """The levels that a caller may see and whose file can't be used."""

    def lost(self, caller: Caller, connection: "Connection") -> None:
        """Hear that a connection is gone."""

    def fault(self, error: BaseException) -> Refusal:
        """Log a fault of our own and turn it into what the caller may know of it."""

    def lines(self, connection: "Connection") -> Heir | None:
        """Whoever goes on with a connection that speaks in lines instead of frames; None where that is no language."""
