"""What there is to tell unasked: promises that are due, memories that soon end, proposals that wait for an answer."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from memtrig import wire
from msgspec import Struct

from memtrigd.domain import promises as rules
from memtrigd.domain.memory import Status
from memtrigd.domain.moments import to_iso
from memtrigd.serve.ending import ending
from memtrigd.serve.handlers import promises
from memtrigd.serve.turn import Turn

PROMISE_DUE: Final = "promise_due"
MEMORY_EXPIRING: Final = "memory_expiring"
PROPOSAL_WAITING: Final = "proposal_waiting"


class News(Struct, frozen=True):
    """A notice, and the things that it tells of: each is told once to each connection."""

    notice: wire.Notice
    things: frozenset[str]


def news(turn: Turn, topic: str) -> list[News]:
    """All that holds of a topic for a caller, the earliest first. Nothing in it hangs on levels above the caller's."""
    return sorted(_TOPICS[topic](turn), key=lambda each: (each.notice.at, each.notice.level, each.notice.id or ""))


def _promises_due(turn: Turn) -> Iterator[News]:
    for promise in promises.in_sight(turn):
        if promise.due is not None and rules.falls_due(promise, turn.now):
            yield _of_one(PROMISE_DUE, promise.level.name, promise.due, promise.id, str(promise.body["text"]))


def _memories_expiring(turn: Turn) -> Iterator[News]:
    for reader in turn.view.readers:
        for memory in ending(turn, reader):
            if memory.expires_at is not None:
                yield _of_one(MEMORY_EXPIRING, memory.level.name, memory.expires_at, memory.id)


def _proposals_waiting(turn: Turn) -> Iterator[News]:
    """One notice a level: for the owner about all that waits there, for an agent about its session's own."""
    view, session = turn.view, None if turn.actor.is_owner else turn.actor.session
    for reader in view.readers:
        rows = list(reader.select(view.spaces, [Status.PENDING.value], session=session))
        if rows:
            latest = to_iso(max(row.updated for row in rows))
            notice = wire.Notice(about=PROPOSAL_WAITING, level=reader.level.name, at=latest, count=len(rows))
            yield News(notice, frozenset(row.id for row in rows))


def _of_one(about: str, level: str, at: int, thing: str, text: str | None = None) -> News:
    return News(
        wire.Notice(about=about, level=level, at=to_iso(at), id=thing, text=text), frozenset((f"{thing} {at}",))
    )


_TOPICS: Final[Mapping[str, Callable[[Turn], Iterator[News]]]] = {
    PROMISE_DUE: _promises_due,
    MEMORY_EXPIRING: _memories_expiring,
    PROPOSAL_WAITING: _proposals_waiting,
}
TOPICS: Final[Collection[str]] = tuple(_TOPICS)
"""What can be subscribed to."""
