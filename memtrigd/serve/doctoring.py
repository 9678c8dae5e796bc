"""What the owner asks about the health of the daemon and its files: whoever examines them answers."""

import os
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from memtrig import wire

from memtrigd.serve.dispatch import Done, Reply

Told: TypeAlias = Callable[[Any], None]


class Ward(Protocol):
    """Examines and mends, in a lane of its own; ``told`` gets a result or an exception."""

    def doctor(self, request: wire.Doctor, pid: int, told: Told) -> None:
        """Examine everything, and mend indexes if that is asked for; ``pid`` is the daemon's."""


def ask(ward: Ward, request: wire.Doctor, done: Done) -> None:
    """Answer through ``done``, once."""

    def told(outcome: Any) -> None:
        done(Reply(error=outcome) if isinstance(outcome, Exception) else Reply(outcome))

    ward.doctor(request, os.getpid(), told)
