"""The service behind every connection: greets, keeps the owner's belt buckled, and passes the rest to dispatch."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.gate import belt
from memtrigd.gate.doors import CONTROL, DoorKind
from memtrigd.gate.peers import Peer, own_uid
from memtrigd.gate.policy import OWNER
from memtrigd.gate.sessions import Sessions
from memtrigd.serve import auditing, backing, doctoring, faults, scrubbing, watching
from memtrigd.serve.auditing import Audits
from memtrigd.serve.backing import Backups
from memtrigd.serve.dispatch import Caller, Dispatcher, Done, Reply
from memtrigd.serve.doctoring import Ward
from memtrigd.serve.everywhere import at_each_level, at_every_level
from memtrigd.serve.greeting import Greeting
from memtrigd.serve.heirs import Heir
from memtrigd.serve.intents import Intents
from memtrigd.serve.mcp.bus import Buses
from memtrigd.serve.mcp.engine import Engine
from memtrigd.serve.mcp.line import Line
from memtrigd.serve.meters import Meters
from memtrigd.serve.notices import PROMISE_DUE, news
from memtrigd.serve.protocol import Connection
from memtrigd.serve.screening import screened
from memtrigd.serve.scrubbing import Scrubs
from memtrigd.serve.subscriptions import Subscriptions
from memtrigd.serve.watching import Folders

_OF_ONE_SESSION: Final = (wire.SessionRaise, wire.SessionUntrusted, wire.SessionEnd)
_OF_THE_MACHINE: Final = (
    wire.BackupNow,
    wire.BackupList,
    wire.BackupVerify,
    wire.Restore,
    wire.ImportBegin,
    wire.ImportEnd,
    wire.WatchAdd,
    wire.WatchList,
    wire.WatchRemove,
    wire.WatchConfirm,
    wire.AuditVerify,
    wire.Prove,
    wire.Doctor,
    wire.SecretsScrub,
    wire.Metrics,
)
"""What concerns the daemon and its files, not what a session sees."""
_SESSION_VERBS: Final = (wire.SessionOpen, wire.SessionList, *_OF_ONE_SESSION)


class Service:
    """What connections talk to."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        greeting: Greeting,
        sessions: Sessions,
        *,
        mcp: Engine,
        backups: Backups,
        audits: Audits,
        scrubs: Scrubs,
        ward: Ward,
        folders: Folders,
        seat_belt: bool,
    ) -> None:
        self._dispatcher = dispatcher
        self._mcp = mcp
        self._backups = backups
        self._audits = audits
        self._scrubs = scrubs
        self._ward = ward
        self._folders = folders
        self._ears = dispatcher.ears
        self._greeting = greeting
        self._sessions = sessions
        self.subscriptions = Subscriptions(dispatcher)
        self.intents = Intents(dispatcher)
        self.buses = Buses(sessions.may_know_of)
        dispatcher.listeners.append(self.buses.committed)
        self.seat_belt = seat_belt
        self.meters = Meters()

    def take(self, caller: Caller, request: wire.Request, connection: Connection, done: Done) -> None:
        """Answer one request through ``done``, now or later, and count it."""
        self._take(caller, request, connection, self.meters.timed(caller, self._level_of(caller), request, done))

    def _take(self, caller: Caller, request: wire.Request, connection: Connection, done: Done) -> None:
        try:
            if caller.door.kind is DoorKind.CONTROL and self.seat_belt and not isinstance(request, wire.Ping):
                belt.buckle(caller.peer, self._sessions.holders(), self._own_session_verb(caller, request))
            match request:
                case wire.Hello():
                    done(Reply(self._greeting.hello(caller, request, connection.close)))
                case _ if isinstance(request, _SESSION_VERBS):
                    self._of_sessions(caller, request, done)
                case wire.HookOpen() | wire.Heard() | wire.HookEnd():
                    done(Reply(self._dispatcher.hear(caller.peer, request)))
                case wire.Act(all_levels=True):
                    screened(request.request, OWNER)  # what is under way is kept, too
                    at_every_level(request, partial(self._dispatcher.take, caller), self.intents.keep, done)
                case _ if isinstance(request, _OF_THE_MACHINE):
                    self._of_the_machine(caller, request, connection, done)
                case wire.Subscribe():
                    self.subscriptions.subscribe(caller, request, connection, done)
                case wire.Save() | wire.Act(request=wire.Save()):
                    self._dispatcher.take(caller, request, self._telling(caller, done))
                case _:
                    self._dispatcher.take(caller, request, done)
        except Refusal as refusal:
            done(Reply(error=refusal))

    def _of_the_machine(self, caller: Caller, request: wire.Request, connection: Connection, done: Done) -> None:
        match request:
            case wire.BackupNow() | wire.BackupList() | wire.BackupVerify() | wire.Restore():
                backing.ask(self._backups, self._dispatcher, caller, request, done)
            case wire.ImportBegin() | wire.ImportEnd():
                backing.ask(self._backups, self._dispatcher, caller, request, done)
            case wire.AuditVerify() | wire.Prove():
                auditing.ask(self._audits, request, connection, done)
            case wire.Doctor():
                doctoring.ask(self._ward, request, done)
            case wire.SecretsScrub():
                scrubbing.ask(self._scrubs, request, done)
            case wire.WatchAdd() | wire.WatchList() | wire.WatchRemove() | wire.WatchConfirm():
                watching.ask(self._folders, request, done)
            case wire.Metrics():
                self._dispatcher.walkers.submit(self.meters.look(), partial(_reply, done))

    def _of_sessions(self, caller: Caller, request: wire.Request, done: Done) -> None:
        match request:
            case wire.SessionOpen():
                self._greeting.open(caller, request, done)
            case wire.SessionRaise():
                self._greeting.raise_(request, done)
            case wire.SessionUntrusted():
                self._greeting.distrust(request, done)
            case wire.SessionList():
                done(Reply(self._greeting.list(request)))
            case wire.SessionEnd():
                self._ears.forget(request.session)
                self._greeting.end(request, done)

    def lines(self, connection: Connection) -> Heir | None:
        """MCP, on the sockets of agents."""
        if connection.caller.door.kind not in (DoorKind.LEVEL, DoorKind.HANDED):
            return None
        return Line(self, connection, self._mcp)

    def resume(self, kept: Mapping[str, str], done: Callable[[], None]) -> None:
        """Carry out the owner's wishes at every level that the last stop cut off; ``kept`` are what names them."""
        owner = Caller(CONTROL, Peer(own_uid()))
        self.intents.resume(partial(at_each_level, partial(self._dispatcher.take, owner)), kept, done)

    def promises_due(self, done: Callable[[Any], None]) -> None:
        """Look for what the owner was promised until now, at every level; ``done`` gets the notices or an error."""
        owner = Caller(CONTROL, Peer(own_uid()))
        self._dispatcher.look(owner, lambda turn: [each.notice for each in news(turn, PROMISE_DUE)], done)

    def _telling(self, caller: Caller, done: Done) -> Done:
        """Let those who want to know hear of a proposal, after the answer to whoever made it."""

        def told(reply: Reply) -> None:
            done(reply)
            if isinstance(reply.result, wire.Saved) and reply.result.outcome in ("pending", "contested"):
                self.subscriptions.proposed(caller)

        return told

    def _own_session_verb(self, caller: Caller, request: wire.Request) -> bool:
        """Tell whether the policy layer of a host asks for a session verb, for sessions that it opened itself."""
        if caller.peer.process is None or not isinstance(request, _SESSION_VERBS):
            return False
        opened = self._sessions.opened_by(caller.peer.process)
        return request.session in opened if isinstance(request, _OF_ONE_SESSION) else bool(opened)

    def missing(self, caller: Caller) -> tuple[Level, ...]:
        """The levels that a caller may see and whose file can't be used: every reply to it names them."""
        if caller.door.kind is DoorKind.CONTROL:
            return self._dispatcher.missing(Level)
        level = self._level_of(caller)
        return () if level is None else self._dispatcher.missing(level.and_below())

    def _level_of(self, caller: Caller) -> Level | None:
        """The level of a caller's session, or of its door; None where there is none, or it was ended."""
        try:
            return self._sessions.current(caller.session).level if caller.session is not None else caller.door.level
        except Refusal:
            return None

    def lost(self, caller: Caller, connection: Connection) -> None:
        """Count a connection out of its session, which was in use until now."""
        self.subscriptions.drop(connection)
        self._audits.gone(connection)
        if caller.session is not None:
            self._sessions.detach(caller.session, connection.close)
            self._greeting.touch(caller.session)
            if caller.session not in self._sessions.in_use():
                self._ears.left(caller.session)

    def fault(self, error: BaseException) -> Refusal:
        """Log a fault of our own and turn it into what the caller may know of it."""
        number = faults.record(error)
        return Refusal(
            "internal",
            "The daemon has a fault; the request was not done.",
            f"Please report it with the log's entry {number}.",
        )


def _reply(done: Done, outcome: Any) -> None:
    done(Reply(error=outcome) if isinstance(outcome, Exception) else Reply(outcome))
