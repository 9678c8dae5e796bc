"""One function a message, and the table of them: which lane it runs in, and what is prepared before."""

from collections.abc import Callable
from datetime import tzinfo
from enum import Enum
from typing import Any

from memtrig import wire
from msgspec import Struct

from memtrigd.gate.policy import Actor
from memtrigd.serve.handlers import about, delete, get, listing, save, search
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
    wire.Delete: Operation(Lane.WRITE, delete.delete),
    wire.Get: Operation(Lane.INLINE, get.get),
    wire.GetStatus: Operation(Lane.READ, about.status),
    wire.List: Operation(Lane.READ, listing.listing),
    wire.Ping: Operation(Lane.INLINE, about.ping),
    wire.Save: Operation(Lane.WRITE, save.save, save.prepare),
    wire.Search: Operation(Lane.READ, search.search),
    wire.Whoami: Operation(Lane.INLINE, about.whoami),
}
