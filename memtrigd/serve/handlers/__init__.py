"""One function a message, and the table of them: which lane it runs in, and what is prepared before."""

from collections.abc import Callable
from datetime import tzinfo
from enum import Enum
from typing import Any

from memtrig import wire
from msgspec import Struct

from memtrigd.gate.policy import Actor
from memtrigd.serve.handlers import (
    about,
    aliases,
    audit,
    bundles,
    delete,
    draft,
    expire,
    forget,
    get,
    guidance,
    imports,
    listing,
    mind,
    names,
    pin,
    promises,
    review,
    save,
    search,
    selfcheck,
    settle,
    told,
    undo,
    unforget,
    upkeep,
    week,
    wellness,
    whynot,
)
from memtrigd.serve.turn import Turn


class Lane(Enum):
    """Where a handler runs."""

    INLINE = "inline"
    """On the loop: microseconds, no scan."""
    READ = "read"
    """On the reader's thread."""
    SEARCH = "search"
    """On the searcher's thread, which alone has the indexes in memory."""
    SLOW = "slow"
    """On the walker's thread: walks through all that the caller sees, so that nobody's search waits behind it."""
    WRITE = "write"
    """On the writer's thread, inside a transaction of the caller's own level."""


class Operation(Struct, frozen=True):
    """How a message is answered. ``prepare`` turns the request into what ``run`` takes, with no store at hand."""

    lane: Lane
    run: Callable[[Turn, Any], wire.Result]
    prepare: Callable[[Any, Actor, tzinfo], Any] | None = None


OPERATIONS: dict[type[wire.Request], Operation] = {
    wire.AliasAdd: Operation(Lane.WRITE, aliases.add),
    wire.AliasList: Operation(Lane.READ, aliases.listing),
    wire.AliasRemove: Operation(Lane.WRITE, aliases.remove),
    wire.AuditShow: Operation(Lane.SLOW, audit.show),
    wire.BundleTake: Operation(Lane.WRITE, bundles.take, bundles.prepare),
    wire.Confirm: Operation(Lane.WRITE, settle.confirm),
    wire.Delete: Operation(Lane.WRITE, delete.delete),
    wire.Deny: Operation(Lane.WRITE, settle.deny),
    wire.Expire: Operation(Lane.WRITE, expire.expire),
    wire.Forget: Operation(Lane.WRITE, forget.forget),
    wire.Get: Operation(Lane.INLINE, get.get),
    wire.GetStatus: Operation(Lane.READ, about.status),
    wire.GuidanceCheck: Operation(Lane.SLOW, guidance.check),
    wire.GuidanceGet: Operation(Lane.SEARCH, guidance.get),
    wire.GuidanceHistory: Operation(Lane.READ, guidance.history),
    wire.GuidanceShow: Operation(Lane.READ, guidance.show),
    wire.History: Operation(Lane.READ, told.history),
    wire.Import: Operation(Lane.WRITE, imports.take, imports.prepare),
    wire.Init: Operation(Lane.READ, upkeep.init),
    wire.List: Operation(Lane.READ, listing.listing),
    wire.Names: Operation(Lane.SLOW, names.names),
    wire.Pin: Operation(Lane.WRITE, pin.pin),
    wire.Ping: Operation(Lane.INLINE, about.ping),
    wire.PromiseAdd: Operation(Lane.WRITE, promises.add),
    wire.PromiseCheck: Operation(Lane.READ, promises.check),
    wire.PromiseDone: Operation(Lane.WRITE, promises.done),
    wire.PromiseList: Operation(Lane.READ, promises.listing),
    wire.Recall: Operation(Lane.SLOW, mind.recall),
    wire.Recover: Operation(Lane.READ, upkeep.recover),
    wire.Reject: Operation(Lane.WRITE, settle.reject),
    wire.Review: Operation(Lane.SLOW, review.review),
    wire.Save: Operation(Lane.WRITE, save.save, draft.prepare),
    wire.Search: Operation(Lane.SEARCH, search.search),
    wire.Selfcheck: Operation(Lane.SLOW, selfcheck.selfcheck),
    wire.Stats: Operation(Lane.SLOW, mind.stats),
    wire.Suppressions: Operation(Lane.READ, forget.suppressions),
    wire.Undo: Operation(Lane.WRITE, undo.undo),
    wire.Unforget: Operation(Lane.WRITE, unforget.unforget),
    wire.Vacuum: Operation(Lane.WRITE, upkeep.vacuum),
    wire.Week: Operation(Lane.SLOW, week.week),
    wire.WellnessAdd: Operation(Lane.WRITE, wellness.add),
    wire.WellnessList: Operation(Lane.READ, wellness.listing),
    wire.Whoami: Operation(Lane.INLINE, about.whoami),
    wire.Why: Operation(Lane.READ, told.why),
    wire.WhyNot: Operation(Lane.READ, whynot.why_not),
}
