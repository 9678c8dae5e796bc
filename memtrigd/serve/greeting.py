"""Sessions on the wire: hello on a level socket, and a host's session verbs on the control socket."""

import socket
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from memtrig import wire
from msgspec.structs import replace

import memtrigd
from memtrigd.domain.claim import MAX_NOTE, name, text
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, parse_level
from memtrigd.domain.moments import Micros, to_iso
from memtrigd.domain.trust import Hearing
from memtrigd.gate.doors import HANDED
from memtrigd.gate.peers import Peer
from memtrigd.gate.sessions import Labels, Sessions, check_opening, check_raise
from memtrigd.serve.dispatch import Caller, Done, Reply, Writers
from memtrigd.serve.screening import check
from memtrigd.store.interface import Change, Hands
from memtrigd.store.interface_control import ControlReader, SessionRow

Adopt: TypeAlias = Callable[[socket.socket, SessionRow, Peer], None]
"""Takes the daemon's end of a pair of sockets into service, for a session and the peer that asked for it."""

MAX_LISTED: Final = 500
"""Sessions in one list: with the longest labels they fill a quarter of a frame."""


class Greeting:
    """Mints, resumes, raises and ends sessions. Runs on the loop's thread."""

    def __init__(
        self, sessions: Sessions, rows: ControlReader, writers: Writers, clock: Callable[[], Micros], adopt: Adopt
    ) -> None:
        self._sessions = sessions
        self._rows = rows
        self._writers = writers
        self._clock = clock
        self._adopt = adopt

    def hello(self, caller: Caller, request: wire.Hello, close: Callable[[], None]) -> wire.Welcome:
        """Begin or resume the session of a level socket: its level is the socket's, its ceiling too.

        The row follows to the disk behind the answer: nothing but this token depends on it, and no write of the
        session can overtake it there. If it never gets there the client starts a new session one day.
        """
        if caller.session is not None:
            raise Refusal("bad_request", "This connection has its session already.", "Say hello once, first.")
        if request.protocol != wire.PROTOCOL:
            raise Refusal(
                "protocol_version",
                f"The client speaks protocol {request.protocol}, this daemon {wire.PROTOCOL}.",
                "After an upgrade: `systemctl --user restart memtrigd`, or stop the daemon and type `memtrigd`.",
            )
        labels = _labels(request.agent, request.conversation, request.space)
        level = caller.door.level
        if level is None:
            raise Refusal("not_here", "This descriptor has its session already.", "Send requests without hello.")
        if request.resume is not None:
            row, token = self._sessions.resume(caller.door, request.resume), request.resume
            self.touch(row.id)
        else:
            now = self._clock()
            row, token = self._sessions.mint(caller.door, labels, level, level, now)
            self._writers.submit(None, lambda hands: hands.control.add(row), self._sessions.hold(row))
        caller.session = row.id
        self._sessions.attach(row, caller.peer.process, close)
        return _welcome(row, token)

    def open(self, caller: Caller, request: wire.SessionOpen, done: Done) -> None:
        """Open or resume a session for a host, on disk before it is answered, and hand over its descriptor."""
        labels = _labels(request.agent, request.conversation, request.space)
        if request.resume is not None:
            row = self._sessions.resume(HANDED, request.resume)
            self.touch(row.id)
            self._hand_over(caller, row, request.resume, done)
            return
        level = parse_level(request.level)
        ceiling = level if request.ceiling is None else parse_level(request.ceiling)
        check_opening(level, ceiling)
        hearing = Hearing.UNATTENDED if request.unattended else Hearing.NONE
        labels = replace(labels, hearing=hearing, untrusted=request.untrusted)
        row, token = self._sessions.mint(HANDED, labels, level, ceiling, self._clock())

        def committed(_: object) -> None:
            self._hand_over(caller, row, token, done)

        self._on_disk(None, lambda hands: hands.control.add(row), done, committed)

    def _hand_over(self, caller: Caller, row: SessionRow, token: str, done: Done) -> None:
        try:
            ours, theirs = socket.socketpair()
        except OSError:
            full = Refusal("busy", "The daemon has no descriptor free.", "Try again in a moment.", retryable=True)
            done(Reply(error=full))
            return
        self._adopt(ours, row, caller.peer)
        done(Reply(_welcome(row, token), descriptor=theirs))

    def raise_(self, request: wire.SessionRaise, done: Done) -> None:
        """Ratchet a session up: its reason is written, then its level; then it is in force, then answered.

        The reason goes into the file of the new level: it may tell what the session is about to read. The two files
        commit one after the other. If the reason can't be kept the session stays where it is. A crash in between
        leaves the reason of a raise that was asked for and did not happen, never a raise without its reason; those
        that happened are in ``raised`` of control.db, at the same moment.
        """
        level = parse_level(request.level)
        reason = text(request.reason, "reason", MAX_NOTE)
        check(reason=reason)
        row = self._row(request.session)
        check_raise(row, level)
        now = self._clock()
        change = Change(op="session.raise", actor="owner", session=row.id, at=now, reason=reason)

        def noted(_: object) -> None:
            self._on_disk(None, lambda hands: hands.control.set_level(row.id, level, now), done, committed)

        def committed(force: Level) -> None:
            self._sessions.raised(row.id, force)
            done(Reply(wire.Raised(session=row.id, level=force.name)))

        self._on_disk(level, lambda hands: _note(hands, change), done, noted)

    def distrust(self, request: wire.SessionUntrusted, done: Done) -> None:
        """Hold a session for untrusted: in force at once, then on disk, then answered."""
        row = self._row(request.session)
        if row.ended is not None:
            raise Refusal("session_ended", "This session was ended.", "Nothing more will come of it.")
        self._sessions.distrusted(row.id)

        def committed(_: object) -> None:
            done(Reply(wire.Untrusted(session=row.id)))

        self._on_disk(None, lambda hands: hands.control.distrust(row.id), done, committed)

    def end(self, request: wire.SessionEnd, done: Done) -> None:
        """End a session: void on disk first, then its connections close."""
        row = self._row(request.session)
        now = self._clock()

        def committed(_: object) -> None:
            self._sessions.end(row.id)
            done(Reply(wire.Ended(session=row.id)))

        self._on_disk(None, lambda hands: hands.control.end(row.id, now), done, committed)

    def list(self, request: wire.SessionList) -> wire.Sessions:
        """List the connected sessions, or every one that is kept: the newest, and how many more there are."""
        if not 1 <= request.limit <= MAX_LISTED:
            raise Refusal("bad_value", f"limit is {request.limit}.", f"Ask for 1 to {MAX_LISTED} sessions.")
        connected = {row.id: (row, count) for row, count in self._sessions.connected()}
        rows, total = [row for row, _ in connected.values()], len(connected)
        if request.all:
            total = self._rows.count() + sum(self._rows.by_id(row.id) is None for row in rows)
            kept = self._rows.all(include_ended=True, limit=request.limit)
            rows += [row for row in kept if row.id not in connected]
        rows.sort(key=lambda row: (row.opened, row.id), reverse=True)
        shown = [_shown(row, connected.get(row.id, (row, 0))[1]) for row in rows[: request.limit]]
        return wire.Sessions(sessions=shown, more=total - len(shown))

    def touch(self, session: str) -> None:
        """Note that a session is in use, so that it is not dropped as old. Nobody waits for it."""
        now = self._clock()
        self._writers.submit(None, lambda hands: hands.control.touch(session, now), lambda _: None)

    def _on_disk(
        self, level: Level | None, write: Callable[[Hands], Any], done: Done, committed: Callable[[Any], None]
    ) -> None:
        """Write a level's file, or control.db, and go on with ``committed`` only when that is durable."""

        def settled(outcome: Any) -> None:
            if isinstance(outcome, Exception):
                done(Reply(error=outcome))
            else:
                committed(outcome)

        self._writers.submit(level, write, settled)

    def _row(self, session: str) -> SessionRow:
        """Find a session by its handle, connected or not. Raises ``session_unknown``."""
        row = next((row for row, _ in self._sessions.connected() if row.id == session), None) or self._rows.by_id(
            session
        )
        if row is None:
            raise Refusal("session_unknown", "There is no session with this handle.", "`sessions` lists them.")
        return row


def _labels(agent: str | None, conversation: str | None, space: str | None) -> Labels:
    check(agent=agent, conversation=conversation, space=space)
    return Labels(
        agent=None if agent is None else name(agent, "agent"),
        conversation=None if conversation is None else name(conversation, "conversation"),
        space=None if space is None else name(space, "space"),
    )


def _welcome(row: SessionRow, token: str) -> wire.Welcome:
    return wire.Welcome(
        session=row.id,
        resume=token,
        level=row.level.name,
        ceiling=row.ceiling.name,
        protocol=wire.PROTOCOL,
        server=memtrigd.__version__,
        agent=row.agent,
        conversation=row.conversation,
        space=row.space,
    )


def _shown(row: SessionRow, connections: int) -> wire.Session:
    return wire.Session(
        session=row.id,
        level=row.level.name,
        ceiling=row.ceiling.name,
        origin=row.origin,
        opened=to_iso(row.opened),
        connections=connections,
        agent=row.agent,
        conversation=row.conversation,
        space=row.space,
        ended=None if row.ended is None else to_iso(row.ended),
        untrusted=row.untrusted,
    )


def _note(hands: Hands, change: Change) -> None:
    assert hands.writer is not None
    hands.writer.note(change)
