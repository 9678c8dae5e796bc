"""Subscriptions: which connection wants to be told of what, and what it was told already."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from memtrig import wire
from msgspec import Struct, field

from memtrigd.domain.errors import Refusal
from memtrigd.gate.doors import DoorKind
from memtrigd.serve import faults
from memtrigd.serve.dispatch import Caller, Dispatcher, Done, Reply
from memtrigd.serve.notices import PROPOSAL_WAITING, TOPICS, News, news
from memtrigd.serve.protocol import Connection
from memtrigd.serve.turn import Turn

AT_ONCE: Final = 100
"""Notices of one look: the rest is told in the next, if the peer has read these."""


class Want(Struct, eq=False):
    """One connection's subscription. ``told`` has for each topic the things that it knows of and that still hold."""

    caller: Caller
    topics: frozenset[str]
    told: dict[str, frozenset[str]] = field(default_factory=dict)

    def untold(self, topic: str, found: Iterable[News]) -> list[News]:
        """Those of what holds that tell of something new."""
        return [each for each in found if not each.things <= self.told.get(topic, frozenset())]


class Subscriptions:
    """On the loop's thread; looks are reads in their lane, one after the other, so that other reads come in between.

    Nothing is queued for a peer that does not read: what it could not be told it is told in a later look, if it still
    holds. The level of a session is looked up at each look, and a look sees no more than a request would.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._wants: dict[Connection, Want] = {}
        self._due: dict[Connection, frozenset[str]] = {}
        self._looking = False

    def subscribe(self, caller: Caller, request: wire.Subscribe, connection: Connection, done: Done) -> None:
        """Let a connection be told of some topics, in place of those before. What holds already is told at once.

        Raises Refusal ``bad_value`` for a topic that there is not.
        """
        unknown = [topic for topic in request.to if topic not in TOPICS]
        if unknown:
            raise Refusal("bad_value", "There is a topic that there is no notice about.", f"Name {', '.join(TOPICS)}.")
        self._dispatcher.leave(caller, request)
        topics = frozenset(request.to)
        if topics:
            self._wants.setdefault(connection, Want(caller, topics)).topics = topics
        else:
            self.drop(connection)
        done(Reply(wire.Subscribed(to=[topic for topic in TOPICS if topic in topics])))
        self._look([connection], topics)

    def drop(self, connection: Connection) -> None:
        """Forget a connection: it is gone, or wants nothing any more."""
        self._wants.pop(connection, None)
        self._due.pop(connection, None)

    def tick(self) -> None:
        """Look for everybody: time alone makes promises due."""
        self._look(list(self._wants), frozenset(TOPICS))

    def proposed(self, by: Caller) -> None:
        """Look for those who are told of a proposal just made: the owner, and the session that made it."""
        concerned = [
            connection
            for connection, want in self._wants.items()
            if want.caller.door.kind is DoorKind.CONTROL or want.caller.session == by.session
        ]
        self._look(concerned, frozenset((PROPOSAL_WAITING,)))

    def _look(self, connections: Iterable[Connection], topics: frozenset[str]) -> None:
        for connection in connections:
            if connection in self._wants and topics & self._wants[connection].topics:
                self._due[connection] = self._due.get(connection, frozenset()) | topics
        if not self._looking:
            self._next()

    def _next(self) -> None:
        """Begin the look that is due the longest."""
        self._looking = False
        while self._due and not self._looking:
            connection = next(iter(self._due))
            want, asked = self._wants[connection], self._due.pop(connection)
            topics = [topic for topic in TOPICS if topic in asked & want.topics]
            self._looking = True
            try:
                self._dispatcher.look(want.caller, _finding(topics), self._found(connection, want))
            except Refusal:  # the session was ended, and its connection is about to go
                self._looking = False

    def _found(self, connection: Connection, want: Want) -> Callable[[Any], None]:
        def done(outcome: Any) -> None:
            if isinstance(outcome, Exception):  # the next tick looks again
                if not isinstance(outcome, Refusal):
                    faults.record(outcome)
            elif self._wants.get(connection) is want and _tell(connection, want, outcome):
                self._due[connection] = frozenset(outcome)
            self._next()

        return done


def _finding(topics: list[str]) -> Callable[[Turn], dict[str, list[News]]]:
    return lambda turn: {topic: news(turn, topic) for topic in topics}


def _tell(connection: Connection, want: Want, found: dict[str, list[News]]) -> bool:
    """Tell what is new, as far as the peer takes it; tell whether there is more that it would take."""
    room = AT_ONCE
    for topic, holding in found.items():
        want.told[topic] = want.told.get(topic, frozenset()) & frozenset().union(*(each.things for each in holding))
        for each in want.untold(topic, holding):
            if room == 0:
                return True
            if topic not in want.topics or not connection.notify(each.notice):
                return False
            want.told[topic] |= each.things
            room -= 1
    return False
