"""promise: what the user was promised, until when, and whether it was kept."""

from collections.abc import Iterator
from typing import Final

from memtrig import wire
from msgspec.structs import replace

from memtrigd.domain import promises as rules
from memtrigd.domain.claim import MAX_NOTE, name, text
from memtrigd.domain.entries import Entry, Sort
from memtrigd.domain.errors import Refusal
from memtrigd.domain.memory import canonical
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.serve.entries import Body, made, within_a_reply
from memtrigd.serve.turn import Turn

MAX_LIMIT: Final = 500


def add(turn: Turn, request: wire.PromiseAdd) -> wire.Promised:
    """Keep a promise at the caller's own level, or find it there. Raises ``bad_value``, ``bad_time``, ``too_large``.

    Several agents hear the same promise: it is one as long as it is open, of the same words and until the same time.
    """
    body: Body = {
        "text": text(request.text, "text", MAX_NOTE),
        "entity": None if request.entity is None else name(request.entity, "entity"),
    }
    due = None if request.deadline is None else rules.deadline(request.deadline, turn.zone)
    store = turn.view.writer
    words = store.digest(canonical(str(body["text"]))).hex()
    known = next((each for each in store.entries(Sort.PROMISE, name=words) if _is_same(each, body, due, turn)), None)
    if known is not None:
        return wire.Promised(promise=shown(known, turn.now))
    promise = made(turn, Sort.PROMISE, body, due=due, name=words)
    turn.view.writer.keep(promise, turn.change("promise"))
    return wire.Promised(promise=shown(promise, turn.now))


def _is_same(promise: Entry, body: Body, due: Micros | None, turn: Turn) -> bool:
    """Tell whether an open promise of the same words is what is promised again, which may leave out until when."""
    of = promise.body["entity"] == body["entity"] and promise.space == turn.view.own_space
    return of and due in (None, promise.due)


def done(turn: Turn, request: wire.PromiseDone) -> wire.Promised:
    """Close a promise, or open it again. One of a lower level is closed for readers of this level and above alone.

    Raises ``not_found``, and ``not_yours`` for opening what only a lower level has closed.
    """
    promise = _find(turn, name(request.id, "id"))
    if (promise.closed is not None) is not request.undone:
        return wire.Promised(promise=shown(promise, turn.now))
    if promise.level is turn.view.level:
        _settle(turn, promise.id, undone=request.undone)
    elif request.undone:
        _reopen_above(turn, promise)
    else:
        closing = made(turn, Sort.CLOSING, {"done_by": turn.actor.session}, name=promise.id, space=promise.space)
        turn.view.writer.keep(closing, turn.change("promise_done"))
    return wire.Promised(promise=shown(_find(turn, promise.id), turn.now))


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
            seen = _seen(promise, closings.get(promise.id))
            if turn.view.sees(promise.space) and (done or seen.closed is None) and not _is_withdrawn(promise):
                yield seen


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
    told = within_a_reply(shown(promise, turn.now) for promise in rules.in_order(found)[:limit])
    return wire.Promises(
        promises=told,
        more=len(found) - len(told),
        unfulfilled=sum(rules.falls_due(promise, turn.now) for promise in every),
    )


def _find(turn: Turn, promise_id: str) -> Entry:
    """A promise in sight as it stands for the caller. What was taken back only the owner finds."""
    found = next(filter(None, (reader.entry(promise_id) for reader in turn.view.readers)), None)
    hidden = found is None or not turn.view.sees(found.space) or (_is_withdrawn(found) and not turn.actor.is_owner)
    if found is None or found.sort is not Sort.PROMISE or hidden:
        raise Refusal(
            "not_found", f"No such promise is visible at {turn.view.level.name}.", "`promise list` has the ids."
        )
    return _seen(found, _closings(turn, promise_id).get(promise_id))


def _seen(promise: Entry, closed_above: Micros | None) -> Entry:
    """A promise as it stands for readers of a level that has closed it for them, if one has."""
    return promise if promise.closed is not None else replace(promise, closed=closed_above)


def _is_withdrawn(promise: Entry) -> bool:
    """Tell whether it was taken back by an undo: neither open nor kept."""
    return bool(promise.body.get("withdrawn"))


def _closings(turn: Turn, promise_id: str | None = None) -> dict[str, Micros]:
    """When promises of lower levels, or one of them, were closed for readers of the levels in sight."""
    return {
        closing.name: closing.created
        for reader in turn.view.readers
        for closing in reader.entries(Sort.CLOSING, name=promise_id)
        if closing.name is not None
    }


def _settle(turn: Turn, promise_id: str, *, undone: bool) -> None:
    """Close a promise of the caller's own level, or open it again, and keep which session did it."""
    own = turn.view.writer.entry(promise_id)
    assert own is not None  # it was found there
    body = {**own.body, "done_by": None if undone else turn.actor.session, "withdrawn": None}
    kept = replace(own, closed=None if undone else turn.now, updated=turn.now, body=body)
    turn.view.writer.keep(kept, turn.change("promise_undone" if undone else "promise_done"))


def _reopen_above(turn: Turn, promise: Entry) -> None:
    """Take back that the caller's own level closed a lower promise. One may still be closed below."""
    store = turn.view.writer
    closings = store.entries(Sort.CLOSING, name=promise.id)
    if not closings:
        raise Refusal(
            "not_yours",
            f"This promise was closed below {turn.view.level.name}, and nothing up here can open it there.",
            "A session of that level can, or the owner.",
        )
    for closing in closings:
        store.keep(replace(closing, closed=turn.now, updated=turn.now), turn.change("promise_undone"))
