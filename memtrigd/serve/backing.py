"""What the owner asks about backups: whoever makes them answers, and a memory that was found goes back by dispatch."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeAlias

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.gate import policy
from memtrigd.serve.dispatch import Caller, Dispatcher, Done, Reply
from memtrigd.serve.handlers import Lane, Operation
from memtrigd.serve.handlers.putting_back import PutBack, put_back

Told: TypeAlias = Callable[[Any], None]
Asked: TypeAlias = (
    wire.BackupNow | wire.BackupList | wire.BackupVerify | wire.Restore | wire.ImportBegin | wire.ImportEnd
)


class Backups(Protocol):
    """Makes backups and restores them, in a lane of its own; ``told`` gets a result or an exception."""

    def now(self, request: wire.BackupNow, told: Told) -> None:
        """Back up every level, or one."""

    def before_import(self, request: wire.ImportBegin, told: Told) -> None:
        """Back up a level to which the owner is about to import."""

    def after_import(self, request: wire.ImportEnd, told: Told) -> None:
        """Note the end of an import."""

    def list(self, request: wire.BackupList, told: Told) -> None:
        """Tell which backups there are."""

    def verify(self, request: wire.BackupVerify, told: Told) -> None:
        """Read a backup through."""

    def memory(self, request: wire.Restore, told: Told) -> None:
        """Find a memory in a backup: ``told`` gets the backup and the memory."""

    def restore(self, request: wire.Restore, told: Told) -> None:
        """Put levels back, by a restart."""


def ask(backups: Backups, dispatcher: Dispatcher, caller: Caller, request: Asked, done: Done) -> None:
    """Answer through ``done``, once. Raises Refusal ``bad_level``."""
    reply = partial(_reply, done)
    match request:
        case wire.BackupNow():
            backups.now(request, reply)
        case wire.ImportBegin():
            backups.before_import(request, reply)
        case wire.ImportEnd():
            backups.after_import(request, reply)
        case wire.BackupList():
            backups.list(request, reply)
        case wire.BackupVerify():
            backups.verify(request, reply)
        case wire.Restore(memory=None):
            backups.restore(request, reply)
        case wire.Restore():

            def found(outcome: Any) -> None:
                if isinstance(outcome, Exception):
                    reply(outcome)
                else:
                    _put_back(
                        dispatcher,
                        caller,
                        request,
                        PutBack(copy=outcome[0], memory=outcome[1], dry_run=request.dry_run),
                        reply,
                    )

            backups.memory(request, found)


def _put_back(dispatcher: Dispatcher, caller: Caller, request: wire.Restore, found: PutBack, reply: Told) -> None:
    """Write what was found at its own level, as the owner does."""
    try:
        leave = policy.as_owner(caller.door, found.memory.level)
        leave = replace(leave, missing=dispatcher.missing(leave.reads))
        dispatcher.queue(Operation(Lane.WRITE, put_back), leave, request, found, reply)
    except Refusal as refusal:
        reply(refusal)


def _reply(done: Done, outcome: Any) -> None:
    done(Reply(error=outcome) if isinstance(outcome, Exception) else Reply(outcome))
