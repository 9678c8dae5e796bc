"""What the owner asks about folders as a source: whoever follows them answers."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from memtrig import wire

from memtrigd.serve.dispatch import Done, Reply

Told: TypeAlias = Callable[[Any], None]
Asked: TypeAlias = wire.WatchAdd | wire.WatchList | wire.WatchRemove | wire.WatchConfirm


class Folders(Protocol):
    """Follows folders, on a thread of its own; ``told`` gets a result or an exception."""

    def add(self, request: wire.WatchAdd, told: Told) -> None:
        """Take up what a folder says, and follow it."""

    def list(self, told: Told) -> None:
        """Tell which folders are followed, and how they are."""

    def remove(self, request: wire.WatchRemove, told: Told) -> None:
        """Follow a folder no more."""

    def confirm(self, request: wire.WatchConfirm, told: Told) -> None:
        """Let memories close that are held."""


def ask(folders: Folders, request: Asked, done: Done) -> None:
    """Answer through ``done``, once. Raises Refusal for what is wrong with the request itself."""

    def told(outcome: Any) -> None:
        done(Reply(error=outcome) if isinstance(outcome, Exception) else Reply(outcome))

    match request:
        case wire.WatchAdd():
            folders.add(request, told)
        case wire.WatchList():
            folders.list(told)
        case wire.WatchRemove():
            folders.remove(request, told)
        case wire.WatchConfirm():
            folders.confirm(request, told)
