"""Sessions: who is connected, and at which level. The level is looked up here at every request, never remembered.

A session is a random handle minted by the daemon. Its level is on disk before ``raise`` is answered, so that it
survives reconnects and restarts; what only rises can't be washed off by dropping the line.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level, can_flow_to
from memtrigd.domain.moments import Micros
from memtrigd.domain.trust import Hearing
from memtrigd.gate import peers
from memtrigd.gate.conversations import Conversations
from memtrigd.gate.doors import Door, DoorKind
from memtrigd.gate.peers import Process
from memtrigd.store.interface_control import SessionRow


class Labels(Struct, frozen=True, kw_only=True):
    """What a caller calls itself. Labels grant and refuse nothing."""

    agent: str | None = None
    conversation: str | None = None
    space: str | None = None
    hearing: Hearing = Hearing.NONE
    untrusted: bool = False


class Ids(Protocol):
    """Where ids come from: one stream per level, so that no level's ids tell of another's."""

    def memory(self, level: Level) -> str:
        """Mint the id of a memory."""

    def session(self, level: Level) -> str:
        """Mint a session's handle."""

    def token(self, level: Level) -> str:
        """Mint a resume token: a secret of at least 128 bits."""


class Line(Struct, frozen=True):
    """One connection of a session: the process at its other end, where it is known, and how to close it."""

    holder: Process | None
    close: Callable[[], None]


class Connected(Struct):
    """A session in use: its row as it stands, and its connections."""

    row: SessionRow
    lines: list[Line]
    lent: bool = False
    """Its conversation is that of its host's hook, not one of its own."""

    def held_by(self, process: Process) -> bool:
        """Tell whether a process is at the other end of a connection."""
        return any(line.holder == process for line in self.lines)


class Sessions:
    """The sessions in use, on the loop's thread. ``find`` reads one row from control.db when a token comes back."""

    def __init__(self, ids: Ids, find: Callable[[bytes], SessionRow | None]) -> None:
        self._ids = ids
        self._find = find
        self._connected: dict[str, Connected] = {}
        self._on_their_way: dict[bytes, SessionRow] = {}
        self._conversations = Conversations()

    def mint(self, door: Door, labels: Labels, level: Level, ceiling: Level, now: Micros) -> tuple[SessionRow, str]:
        """Make a session and its resume token. Nothing holds it yet; the caller keeps the row in control.db."""
        token = self._ids.token(level)
        row = SessionRow(
            id=self._ids.session(level),
            token_hash=_digest(token),
            agent=labels.agent,
            conversation=labels.conversation,
            space=labels.space,
            origin=door.name,
            start_level=level,
            level=level,
            ceiling=ceiling,
            opened=now,
            seen=now,
            ended=None,
            hearing=labels.hearing,
            untrusted=labels.untrusted,
        )
        return row, token

    def hold(self, row: SessionRow) -> Callable[[object], None]:
        """Know a new session until it is on disk, for whoever comes back sooner; call what is returned then."""
        self._on_their_way[row.token_hash] = row

        def settled(_: object) -> None:
            del self._on_their_way[row.token_hash]

        return settled

    def resume(self, door: Door, token: str) -> SessionRow:
        """Find the session of a token at its current level. A token works only on the door that minted it."""
        digest = _digest(token)
        row = (
            next((c.row for c in self._connected.values() if c.row.token_hash == digest), None)
            or self._on_their_way.get(digest)
            or self._find(digest)
        )
        if row is None or row.origin != door.name:
            raise Refusal(
                "session_unknown",
                "No session of this socket has that resume token.",
                "Start a new session: say hello without resume.",
            )
        if row.ended is not None:
            raise _ended()
        return row

    def attach(self, row: SessionRow, holder: Process | None, close: Callable[[], None]) -> None:
        """Count a connection in; ``close`` will be called when the session is ended."""
        known = Connected(row, [], lent=row.conversation in self._conversations)
        entry = self._connected.setdefault(row.id, known)
        entry.lines.append(Line(holder, close))
        host = None if holder is None else _host_of(row, holder)
        if host is not None and (heard_of := self._conversations.of(host)) is not None:
            _lend(entry, heard_of)

    def detach(self, session: str, close: Callable[[], None]) -> None:
        """Count a connection out; the session can be resumed."""
        entry = self._connected.get(session)
        if entry is not None:
            entry.lines = [line for line in entry.lines if line.close != close]
            if not entry.lines:
                del self._connected[session]

    def current(self, session: str) -> SessionRow:
        """Return the session as it stands now. Raises ``session_ended``."""
        entry = self._connected.get(session)
        if entry is None:
            raise _ended()
        return entry.row

    def raised(self, session: str, level: Level) -> None:
        """Put a new level in force; only upwards. Called after control.db has it."""
        entry = self._connected.get(session)
        if entry is not None and level > entry.row.level:
            entry.row = msgspec.structs.replace(entry.row, level=level)

    def end(self, session: str) -> None:
        """Drop a session and close its connections. Called after control.db has it."""
        entry = self._connected.pop(session, None)
        for line in entry.lines if entry else []:
            line.close()

    def holders(self) -> set[Process]:
        """The processes that hold a connected session."""
        lines = (line for connected in self._connected.values() for line in connected.lines)
        return {line.holder for line in lines if line.holder is not None}

    def held(self) -> list[tuple[SessionRow, list[Process]]]:
        """Each connected session with the processes that hold it, as far as they are known."""
        every = self._connected.values()
        return [(each.row, [line.holder for line in each.lines if line.holder is not None]) for each in every]

    def opened_by(self, process: Process) -> set[str]:
        """The connected sessions that a process opened over the control socket."""
        handed = DoorKind.HANDED.value
        return {c.row.id for c in self._connected.values() if c.row.origin == handed and c.held_by(process)}

    def of_host(self, ancestors: Sequence[Process]) -> list[SessionRow]:
        """The connected sessions of the host that a hook runs under; ``ancestors`` are the hook's, its parent first.

        A host starts its hooks as it starts its agents: the direct parent of the process that holds a session is above
        the hook. (A session opened over the control socket is held by its host.) Of several hosts the nearest is meant:
        what an agent types into another one is not what the user says. What a process with a session of its own has
        started is no hook at all.
        """
        lines = [(each.row, line.holder) for each in self._connected.values() for line in each.lines if line.holder]
        if any(holder in ancestors and row.origin != DoorKind.HANDED.value for row, holder in lines):
            return []
        hosted = [(row, _host_of(row, holder)) for row, holder in lines]
        nearest = next((above for above in ancestors if any(above == host for _, host in hosted)), None)
        return list({row.id: row for row, host in hosted if host is not None and host == nearest}.values())

    def adopted(self, ancestors: Sequence[Process]) -> SessionRow | None:
        """The session that a hook stands for: of its host's the lowest, as what it is told reaches them all."""
        return min(self.of_host(ancestors), key=lambda row: row.level, default=None)

    def converse(self, ancestors: Sequence[Process], conversation: str) -> None:
        """Label the sessions of a hook's host, now and when they come, but for those with a label of their own."""
        self._conversations.name(conversation, ancestors)
        for row in self.of_host(ancestors):
            _lend(self._connected[row.id], conversation)

    def part(self, ancestors: Sequence[Process], conversation: str | None) -> list[SessionRow]:
        """Take the label of a conversation off again; return the sessions that had it, with None all of the host."""
        if conversation is not None:
            self._conversations.over(conversation)
        over = [row for row in self.of_host(ancestors) if conversation in (None, row.conversation)]
        for row in over:
            entry = self._connected[row.id]
            if entry.lent:
                entry.row, entry.lent = msgspec.structs.replace(entry.row, conversation=None), False
        return over

    def hears(self, session: str) -> None:
        """Note that the user can be heard in a session from now on."""
        self._amend(session, hearing=Hearing.FEED)

    def distrusted(self, session: str) -> None:
        """Note that a session read what strangers wrote, for good."""
        self._amend(session, untrusted=True)

    def _amend(self, session: str, **fields: Hearing | bool) -> None:
        entry = self._connected.get(session)
        if entry is not None:
            entry.row = msgspec.structs.replace(entry.row, **fields)

    def may_know_of(self, session: str, level: Level) -> bool:
        """Tell whether a connected session, as it stands now, may hear that something was done at a level."""
        entry = self._connected.get(session)
        return entry is not None and can_flow_to(level, entry.row.level)

    def in_use(self) -> list[str]:
        """The handles of the connected sessions."""
        return list(self._connected)

    def connected(self) -> Iterator[tuple[SessionRow, int]]:
        """Each connected session with the number of its connections."""
        return ((c.row, len(c.lines)) for c in self._connected.values())

    def counts(self) -> dict[Level, int]:
        """How many connected sessions are at each level now."""
        return dict(Counter(c.row.level for c in self._connected.values()))


def _host_of(row: SessionRow, holder: Process) -> Process | None:
    """The process that a session's hooks are started by, None where only init is above the session's."""
    if row.origin == DoorKind.HANDED.value:
        return holder
    host = peers.parent_of(holder)
    return None if host is None or peers.is_reaper(host) else host


def _lend(entry: Connected, conversation: str) -> None:
    """Label a session with its host's conversation, unless it has a label of its own."""
    if entry.lent or entry.row.conversation is None:
        entry.row, entry.lent = msgspec.structs.replace(entry.row, conversation=conversation), True


def check_opening(level: Level, ceiling: Level) -> None:
    """Raise Refusal unless a session may begin at ``level`` with that ``ceiling``."""
    if ceiling < level:
        raise Refusal(
            "over_ceiling",
            f"The ceiling {ceiling.name} is under the level {level.name}.",
            "Leave it out, or name a higher one.",
        )


def check_raise(row: SessionRow, level: Level) -> None:
    """Raise Refusal unless the session may go to ``level``: never down, never over its ceiling."""
    if row.ended is not None:
        raise _ended()
    if level < row.level:
        raise Refusal(
            "taint_never_falls",
            f"The session is at {row.level.name} and does not go down to {level.name}.",
            "End it and open a new one at the lower level.",
        )
    if level > row.ceiling:
        raise Refusal(
            "over_ceiling",
            f"The session may rise to {row.ceiling.name}, not to {level.name}.",
            "Open a session with a higher ceiling.",
        )


def _digest(token: str) -> bytes:
    """Keep only a digest: who reads control.db can't resume with it. The token is random, so it needs no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _ended() -> Refusal:
    return Refusal("session_ended", "This session was ended.", "Start a new session: say hello without resume.")
