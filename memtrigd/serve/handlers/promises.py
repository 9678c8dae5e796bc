"""promise: what the user was promised, until when, and whether it was kept."""

from collections.abc import Iterator
from typing import Final

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain import promises as rules
from memtrigd.domain.claim import MAX_NOTE, name, text
from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.errors import Refusal
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.serve.turn import Turn

MAX_LIMIT: Final = 500


def add(turn: Turn, request: wire.PromiseAdd) -> wire.Promised:
    """Keep a promise at the caller's own level."""
    promise = Entry(
        id=turn.new_id(),
        sort=Sort.PROMISE,
        level=turn.view.level,
        space=turn.view.own_space,
        created=turn.now,
        updated=turn.now,
        agent=turn.actor.agent,
        session=turn.actor.session,
        due=None if request.deadline is None else rules.deadline(request.deadline, turn.zone),
        body={
            "text": text(request.text, "text", MAX_NOTE),
            "entity": None if request.entity is None else name(request.entity, "entity"),
        },
    )
    turn.view.writer.keep(promise, turn.change("promise"))
    return wire.Promised(promise=shown(promise, turn.now))


def done(turn: Turn, request: wire.PromiseDone) -> wire.Promised:
    """Close a promise, or open it again. One of a lower level is closed for readers of this level and above alone."""
    promise = _find(turn, name(request.id, "id"))
    if (promise.closed is not None) is not request.undone:
        return wire.Promised(promise=shown(promise, turn.now))
    closed = None if request.undone else turn.now
    if promise.level is turn.view.level:
        own = turn.view.writer.entry(promise.id)
        assert own is not None  # it was found there
        kept = replace(own, closed=closed, updated=turn.now)
        turn.view.writer.keep(kept, turn.change("promise_undone" if request.undone else "promise_done"))
        return wire.Promised(promise=shown(kept, turn.now))
    _close_below(turn, promise, closed)
    return wire.Promised(promise=shown(replace(promise, closed=closed), turn.now))


def listing(turn: Turn, request: wire.PromiseList) -> wire.Promises:
    """List the promises in sight, the next due first."""
    if not 1 <= request.limit <= MAX_LIMIT:
        raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_LIMIT} promises.")
    found = list(in_sight(turn, done=request.all))
    return _told(turn, found, found, request.limit)


def check(turn: Turn, request: wire.PromiseCheck) -> wire.Promises:
    """List the promises that are due by now, or within some hours."""
    by = turn.now + rules.look_ahead(request.within_hours)
    found = list(in_sight(turn))
    return _told(turn, [promise for promise in found if rules.falls_due(promise, by)], found, MAX_LIMIT)


def in_sight(turn: Turn, *, done: bool = False) -> Iterator[Entry]:
    """The promises that the caller sees, as they stand for them; those that were kept too if ``done``."""
    closings = _closings(turn)
    for reader in turn.view.readers:
        for promise in reader.entries(Sort.PROMISE, closed=done):
            closed = promise.closed if promise.closed is not None else closings.get(promise.id)
            if promise.space in turn.view.spaces and (done or closed is None) and not promise.body.get("withdrawn"):
                yield replace(promise, closed=closed)


def shown(promise: Entry, now: Micros) -> wire.Promise:
    """Write a promise as readers see it."""
    entity = promise.body.get("entity")
    return wire.Promise(
        id=promise.id,
        text=str(promise.body["text"]),
        level=promise.level.name,
        status=rules.status(promise, now),
        created=to_iso(promise.created),
        deadline=None if promise.due is None else to_iso(promise.due),
        done_at=None if promise.closed is None else to_iso(promise.closed),
        entity=str(entity) if entity is not None else None,
        agent=promise.agent,
        session=promise.session,
    )


def _told(turn: Turn, found: list[Entry], every: list[Entry], limit: int) -> wire.Promises:
    ordered = rules.in_order(found)
    return wire.Promises(
        promises=[shown(promise, turn.now) for promise in ordered[:limit]],
        more=max(0, len(ordered) - limit),
        unfulfilled=sum(rules.falls_due(promise, turn.now) for promise in every),
    )


def _find(turn: Turn, promise_id: str) -> Entry:
    found = next((promise for promise in in_sight(turn, done=True) if promise.id == promise_id), None)
    if found is None:
        raise Refusal(
            "not_found", f"No such promise is visible at {turn.view.level.name}.", "`promise list` has the ids."
        )
    return found


def _closings(turn: Turn) -> dict[str, Micros]:
    """When promises of lower levels were closed for readers of the levels in sight."""
    return {
        closing.name: closing.closed or closing.updated
        for reader in turn.view.readers
        for closing in reader.entries(Sort.CLOSING)
        if closing.name is not None
    }


def _close_below(turn: Turn, promise: Entry, closed: Micros | None) -> None:
    """Note at the caller's own level that a lower promise was kept, or take that back."""
    store = turn.view.writer
    earlier = next(iter(store.entries(Sort.CLOSING, name=promise.id)), None)
    if closed is None:
        if earlier is not None:
            store.keep(replace(earlier, closed=turn.now, updated=turn.now), turn.change("promise_undone"))
        return
    closing = Entry(
        id=turn.new_id(),
        sort=Sort.CLOSING,
        level=turn.view.level,
        space=promise.space,
        created=turn.now,
        updated=turn.now,
        agent=turn.actor.agent,
        session=turn.actor.session,
        name=promise.id,
    )
    store.keep(closing, turn.change("promise_done"))
