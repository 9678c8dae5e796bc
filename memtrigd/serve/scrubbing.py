"""What the owner asks about credentials that were kept: whoever finds them answers."""

from collections.abc import Callable
from typing import Any, Protocol

from memtrig import wire

from memtrigd.serve.dispatch import Done, Reply


class Scrubs(Protocol):
    """Finds credentials and takes them out, in a lane of its own; ``told`` gets a result or an exception."""

    def scrub(self, request: wire.SecretsScrub, told: Callable[[Any], None]) -> None:
        """Find them, and take them out unless it is a dry run."""


def ask(scrubs: Scrubs, request: wire.SecretsScrub, done: Done) -> None:
    """Answer through ``done``, once. Raises Refusal ``bad_level`` or ``busy``."""

    def told(outcome: Any) -> None:
        done(Reply(error=outcome) if isinstance(outcome, Exception) else Reply(outcome))

    scrubs.scrub(request, told)
