"""One function a message, and the table of them: which lane it runs in, and what is prepared before."""

from collections.abc import Callable
from datetime import tzinfo
from enum import Enum
from typing import Any

from memtrig import wire
from msgspec import Struct

from memtrigd.gate.policy import Actor
from memtrigd.serve.handlers import about, delete, draft, forget, get, listing, mind, save, search, settle, told, undo
from memtrigd.serve.turn import Turn


class Lane(Enum):
    """Where a handler runs."""

    INLINE = "inline"
    """On the loop: microseconds, no scan."""
    READ = "read"
    """On the reader's thread."""
    WRITE = "write"
    """On the writer's thread, inside a transaction of the caller's own level."""


class Operation(Struct, frozen=True):
    """How a message is answered. ``prepare`` turns the request into what ``run`` takes, with no store at hand."""

    lane: Lane
    run: Callable[[Turn, Any], wire.Result]
    prepare: Callable[[Any, Actor, tzinfo], Any] | None = None


OPERATIONS: dict[type[wire.Request], Operation] = {
    wire.Confirm: Operation(Lane.WRITE, settle.confirm),
    wire.Delete: Operation(Lane.WRITE, delete.delete),
    wire.Deny: Operation(Lane.WRITE, settle.deny),
    wire.Forget: Operation(Lane.WRITE, forget.forget),
    wire.Get: Operation(Lane.INLINE, get.get),
    wire.GetStatus: Operation(Lane.READ, about.status),
    wire.History: Operation(Lane.READ, told.history),
    wire.List: Operation(Lane.READ, listing.listing),
    wire.Ping: Operation(Lane.INLINE, about.ping),
    wire.Recall: Operation(Lane.READ, mind.recall),
    wire.Reject: Operation(Lane.WRITE, settle.reject),
    wire.Review: Operation(Lane.READ, mind.review),
    wire.Save: Operation(Lane.WRITE, save.save, draft.prepare),
    wire.Search: Operation(Lane.READ, search.search),
    wire.Stats: Operation(Lane.READ, mind.stats),
    wire.Suppressions: Operation(Lane.READ, forget.suppressions),
    wire.Undo: Operation(Lane.WRITE, undo.undo),
    wire.Unforget: Operation(Lane.WRITE, forget.unforget),
    wire.Whoami: Operation(Lane.INLINE, about.whoami),
    wire.Why: Operation(Lane.READ, told.why),
}
