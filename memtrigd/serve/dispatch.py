"""Dispatch: permit → rule → lane → reply. Every request of every door passes through ``take``."""

import socket
from collections.abc import Callable, Container, Iterable, Mapping
from datetime import tzinfo
from functools import partial
from typing import Any, Final, Protocol, TypeAlias

from memtrig import wire
from msgspec import Struct, field
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.gate import policy
from memtrigd.gate.doors import Door, DoorKind
from memtrigd.gate.ears import Ears
from memtrigd.gate.peers import Peer
from memtrigd.gate.policy import Permit
from memtrigd.gate.sessions import Ids, Sessions
from memtrigd.gate.view import View
from memtrigd.search.indexes import Indexes
from memtrigd.search.question import Meant
from memtrigd.serve import erasing
from memtrigd.serve.decode import is_large
from memtrigd.serve.handlers import OPERATIONS, Lane, Operation
from memtrigd.serve.handlers.about import Facts
from memtrigd.serve.handlers.erase import erase
from memtrigd.serve.hearing import FromHook, hear
from memtrigd.serve.meanings import Questions
from memtrigd.serve.once import once
from memtrigd.serve.quotas import Quotas
from memtrigd.serve.recalls import Recalls
from memtrigd.serve.screening import prepared
from memtrigd.serve.turn import Guides, Turn
from memtrigd.serve.whereabouts import level_of
from memtrigd.store.interface import Asker, Hands, LevelReader
from memtrigd.store.interface_control import SessionRow
from memtrigd.store.precedence import Precedence

ABOUT_ITSELF: Final = wire.GetStatus, wire.Recover, wire.Init  # requests about what the daemon knows of itself
QUEUED: Final = 4096
"""Jobs of one level that may wait for its lanes."""
_UNASKED: Final = wire.Subscribe(to=[])


class Caller(Struct):
    """One connection as the gate knows it: fixed at accept, but for the session that hello brings."""

    door: Door
    peer: Peer
    session: str | None = None


class Reply(Struct, frozen=True):
    """What goes back: a result or an error, and the visible levels that could not be consulted.

    ``incomplete`` is None where nothing was consulted: then those hold that the caller sees anyway.
    ``descriptor`` is a socket to hand over with the frame (SCM_RIGHTS); whoever sends it closes it.
    """

    result: wire.Result | None = None
    error: Exception | None = None
    incomplete: tuple[Level, ...] | None = None
    descriptor: socket.socket | None = None


Done: TypeAlias = Callable[[Reply], None]
Replied: TypeAlias = Callable[[wire.Result | Exception], None]


class Readers(Protocol):
    """The lane of reads: runs them on its own thread and brings the outcome back to the loop."""

    def submit(
        self, run: Callable[[Mapping[Level, LevelReader]], Any], done: Callable[[Any], None], asker: Asker = ...
    ) -> None:
        """Run ``run`` with the lane's handles, in the turn of ``asker``; ``done`` gets what it returned or raised."""


class Writers(Protocol):
    """The lane of the one writer. ``done`` is called after the commit, never before."""

    def submit(
        self,
        level: Level | None,
        run: Callable[[Hands], Any],
        done: Callable[[Any], None],
        line: str | None = None,
        asker: Asker = ...,
    ) -> None:
        """Run ``run`` in a transaction of ``level``, None for control.db, after all that its ``line`` sent before."""

    def scrub(self, level: Level, done: Callable[[Any], None]) -> None:
        """Let nothing that was deleted at a level before remain on the disk."""


class Dispatcher(Struct, frozen=True):
    """Takes requests and gives replies. Holds what is the same for all of them."""

    sessions: Sessions
    readers: Readers
    walkers: Readers
    """Where whole levels are walked through: a lane beside the readers, so that nobody's search waits for it."""
    searchers: Readers
    """Where questions are answered from the indexes in memory: a lane beside the readers, so that no get waits."""
    indexes: Indexes
    """The indexes of that lane, and of no other thread."""
    analysts: Readers
    """Where large texts are analysed: a lane beside the readers, so that nobody's search waits for it."""
    writers: Writers
    handles: Mapping[Level, LevelReader]
    unavailable: Container[Level]
    """The levels whose file can't be used now: one may be lost while the daemon runs."""
    ids: Ids
    clock: Callable[[], Micros]
    zone: tzinfo
    facts: Callable[[], Facts]
    ears: Ears
    recalls: Recalls
    guides: Guides
    dream: Callable[[Level, wire.Decay, Callable[[wire.Dreamt | Exception], None]], None]
    """Runs a dream cycle at a level."""
    backup: Callable[[Level], wire.BackupQueued]
    """Queues a backup of one level."""
    waiting: dict[Level, int]
    """Jobs under way by the level of who asked: each level has its own bound, so that none can crowd out another."""
    apart: Callable[..., tuple[Any, Any]] = prepared  # how the analysts prepare what is large: as ``prepared`` does
    precedence: Precedence = field(default_factory=Precedence)
    quotas: Quotas = field(default_factory=Quotas)
    models: Questions = field(default_factory=Questions)
    listeners: list[Callable[[Level], None]] = []
    """Told of each write that was committed, and of no more than its level."""

    def take(self, caller: Caller, request: wire.Request, done: Done) -> None:
        """Answer one request. ``done`` is called exactly once, now or later, on the loop's thread."""
        missing: tuple[Level, ...] | None = None

        def reply(outcome: wire.Result | Exception) -> None:
            done(Reply(None, outcome, missing) if isinstance(outcome, Exception) else Reply(outcome, None, missing))

        try:
            leave = self.leave(caller, self._at_its_level(request))
            missing = leave.missing
            if isinstance(request, wire.Act) and isinstance(request.request, wire.Erase):
                self._erase(leave, request.request, reply, counted=request.all_levels)
            else:
                self._in_lane(leave, request.request if isinstance(request, wire.Act) else request, reply)
        except Refusal as refusal:
            reply(refusal)

    def leave(self, caller: Caller, request: wire.Request) -> Permit:
        """Ask the gate for leave, as the caller's session stands at this moment. Raises its Refusal."""
        leave = policy.permit(caller.door, self._session_of(caller), request)
        return replace(leave, missing=self.missing(leave.reads), asker=(caller.peer.process, caller.session))

    def _session_of(self, caller: Caller) -> SessionRow | None:
        """The session of a caller as it stands now, of a hook that of its host."""
        if caller.door.kind is DoorKind.HOOK:
            return self.sessions.adopted(caller.peer.ancestors or ())
        return self.sessions.current(caller.session) if caller.session is not None else None

    def look(self, caller: Caller, run: Callable[[Turn], Any], done: Callable[[Any], None]) -> None:
        """Read for a caller what it is to be told unasked; as a request of its would, it sees its levels alone."""
        looking = Operation(Lane.SLOW, lambda turn, _: run(turn))
        leave = self.leave(caller, _UNASKED)
        self.walkers.submit(self._read(looking, leave, None), done, leave.asker)

    def _at_its_level(self, request: wire.Request) -> wire.Request:
        """Let an owner's write that names a memory by id, and no level, act where that memory is."""
        if (
            not isinstance(request, wire.Act)
            or request.level is not None
            or not isinstance(request.request, wire.Write)
        ):
            return request
        found = level_of(request.request, View(policy.whole_vault(self.missing(Level)), self.handles))
        return request if found is None else replace(request, level=found.name)

    def hear(self, peer: Peer, request: FromHook) -> wire.Noted | wire.Adopted:
        """Let the sessions of a hook's host hear what the user said, and when a conversation begins and ends."""

        def keep(write: Callable[[Hands], None]) -> None:
            self.writers.submit(None, write, lambda _: None)

        return hear(peer, request, self.sessions, self.ears, keep)

    def missing(self, reads: Iterable[Level]) -> tuple[Level, ...]:
        """Those of some levels whose file can't be used."""
        return tuple(level for level in reads if level in self.unavailable)

    def _in_lane(self, leave: Permit, request: Any, reply: Replied) -> None:
        if isinstance(request, wire.Decay):  # many small transactions, so none of the lanes
            self.dream(leave.level, request, self._told(leave.level, reply))
            return
        if isinstance(request, wire.Backup):  # a lane of its own, behind the answer
            reply(self.backup(leave.level))
            return
        operation = OPERATIONS[type(request)]
        match operation.lane:
            case Lane.INLINE:
                reply(operation.run(self._turn(leave, View(leave, self.handles)), request))
            case Lane.READ | Lane.SLOW | Lane.SEARCH:
                asked = self.facts() if isinstance(request, ABOUT_ITSELF) else request
                lane = {Lane.SLOW: self.walkers, Lane.SEARCH: self.searchers}.get(operation.lane, self.readers)
                done = self._counted(leave, reply)

                def submit(meaning: Meant | None = None) -> None:
                    lane.submit(self._read(operation, leave, asked, meaning), done, leave.asker)

                if isinstance(request, wire.Search):
                    self.models.meant(request, leave, submit)
                else:
                    submit()
            case Lane.WRITE:
                self._prepare(operation, leave, request, reply)

    def _read(
        self, operation: Operation, leave: Permit, asked: Any, meaning: Meant | None = None
    ) -> Callable[[Mapping[Level, LevelReader]], Any]:
        def run(handles: Mapping[Level, LevelReader]) -> wire.Result:
            view = View(leave, handles)
            with view.snapshot():
                return operation.run(self._turn(leave, view, meaning), asked)

        return run

    def _prepare(self, operation: Operation, leave: Permit, request: Any, reply: Replied) -> None:
        """Screen and prepare a write, on a thread of its own where that takes long, then queue it at its level."""
        self.quotas.admit(leave, request, self.clock())
        asked = operation.prepare, request, leave.actor, self.zone

        def on(outcome: Any) -> None:
            if isinstance(outcome, Exception):
                reply(outcome)
            else:
                self.queue(operation, leave, outcome[0], outcome[1], reply)

        if operation.prepare is None or not is_large(request):
            on(prepared(*asked))
        else:
            self.analysts.submit(lambda _: self.apart(*asked), self._counted(leave, on), leave.asker)

    def queue(self, operation: Operation, leave: Permit, request: Any, draft: Any, reply: Replied) -> None:
        """Queue a write for whom leave was given, at their level. Raises Refusal ``busy``."""

        def run(hands: Hands) -> wire.Result:
            turn = self._turn(leave, View(leave, hands.readers, hands.writer))
            return once(turn, request, lambda: self._with_room(turn, operation, request, draft))

        done = self._counted(leave, self._told(leave.level, reply))
        self.writers.submit(leave.level, run, done, leave.actor.session, leave.asker)

    def _with_room(self, turn: Turn, operation: Operation, request: Any, draft: Any) -> wire.Result:
        result = operation.run(turn, draft)
        self.quotas.count(turn, request, result)
        return result

    def _erase(self, leave: Permit, request: wire.Erase, reply: Replied, *, counted: bool) -> None:
        """Erase, and scrub the file before the answer: a transaction and more, so no lane of a handler."""
        backups = self.facts().holding(leave.level)

        def run(hands: Hands) -> wire.Result:
            turn = self._turn(leave, View(leave, hands.readers, hands.writer))
            return once(turn, request, lambda: erase(turn, request, backups, counted=counted))

        erasing.erase(self.writers, leave.level, run, self._counted(leave, self._told(leave.level, reply)))

    def _told(self, level: Level, reply: Callable[[Any], None]) -> Callable[[Any], None]:
        """Let the listeners know of a write once it is committed, after the answer to whoever made it."""

        def done(outcome: Any) -> None:
            reply(outcome)
            if not isinstance(outcome, Exception):
                for listener in self.listeners:
                    listener(level)

        return done

    def _counted(self, leave: Permit, reply: Callable[[Any], None]) -> Callable[[Any], None]:
        """Count a job in until its outcome is there. Raises ``busy`` where too many of its level wait."""
        waiting, level, process = self.waiting, leave.level, leave.asker[0]
        if (count := waiting.get(level, 0)) >= QUEUED:
            raise Refusal("busy", f"Too much work waits at {level.name}.", "Try again in a moment.", retryable=True)
        waiting[level] = count + 1
        self.precedence.begin(process)

        def done(outcome: Any) -> None:
            waiting[level] -= 1
            self.precedence.end(process)
            reply(outcome)

        return done

    def _turn(self, leave: Permit, view: View, meaning: Meant | None = None) -> Turn:
        now, new_id = self.clock(), partial(self.ids.memory, leave.level)
        told, notes = self.ears, self.recalls.note
        model = meaning, self.models.state == "warming"
        return Turn(view, leave.actor, now, new_id, self.zone, told, notes, self.guides, self.indexes, *model)
