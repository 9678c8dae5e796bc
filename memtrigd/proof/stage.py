"""A stage: the daemon in memory on a copy of a store. Only sockets, threads, chance and the time are not its own.

Connections, gate, handlers and store are those that serve agents, so that what they answer here they answer there.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import tzinfo
from pathlib import Path
from typing import Any, NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import tzlocal
from memtrig import wire
from msgspec import Struct
from msgspec.structs import replace

from memtrigd.clockwork.diary import Diary
from memtrigd.clockwork.dream import Dreamer
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.gate.doors import LEVEL_DOORS
from memtrigd.gate.ears import Ears
from memtrigd.gate.peers import Peer, own_uid
from memtrigd.gate.sessions import Sessions
from memtrigd.search.indexes import Indexes
from memtrigd.serve.dispatch import Caller, Dispatcher
from memtrigd.serve.greeting import Greeting
from memtrigd.serve.handlers.about import Facts
from memtrigd.serve.protocol import Connection
from memtrigd.serve.quotas import Quotas
from memtrigd.serve.recalls import Recalls
from memtrigd.serve.service import Service
from memtrigd.store.lanes import ReadLane
from memtrigd.store.queueing import Done, Job, Outcome
from memtrigd.store.vault import Vault
from memtrigd.store.writer import WriterLane

MOMENT: Micros = 1000
"""Between two questions."""


class Scenery(Struct, frozen=True):
    """What is around a stage and no copy of a store has: the zone of naive times, and the guidance in force."""

    zone: str
    guidance: wire.GuidanceShown


class _Guides:
    """The guidance that was in force when the proof was asked for; an agent can ask for nothing else of it."""

    def __init__(self, guidance: wire.GuidanceShown) -> None:
        self._guidance = guidance

    def shown(self, agent: str | None) -> wire.GuidanceShown:
        return self._guidance

    def path(self, agent: str | None) -> Path:
        _unasked()

    def problems(self, text: str | None, agent: str | None) -> list[str]:
        _unasked()

    def versions(self, agent: str | None) -> list[wire.GuidanceVersion]:
        _unasked()

    def files(self) -> list[wire.GuidanceFile]:
        _unasked()


class _Audits:
    """Nobody verifies or proves."""

    def verify(self, *_: object) -> None:
        _unasked()

    def prove(self, *_: object) -> None:
        _unasked()

    def gone(self, _: object) -> None:
        """Nobody waited."""


class _Ids:
    """Ids by counting, for each level by itself, so that two runs mint the same."""

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def memory(self, level: Level) -> str:
        return self._next("m", level)

    def session(self, level: Level) -> str:
        return self._next("s", level)

    def token(self, level: Level) -> str:
        return self._next("t", level)

    def _next(self, letter: str, level: Level) -> str:
        stem = f"{letter}proof-{level.slug}"
        self._given[stem] += 1
        return f"{stem}-{self._given[stem]}"


class _Reads(ReadLane):
    """A lane without its thread: each job is done at once."""

    def put(self, job: Job) -> None:
        self.perform([job])


class _Writes(WriterLane):
    """The writer without its thread: each job is a commit of its own."""

    def put(self, job: Job) -> None:
        self.perform([job])


class _Cable(asyncio.Transport):
    """The daemon's end of a connection in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self._closed = False

    def write(self, data: Any) -> None:
        self.written += data

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self._closed

    def close(self) -> None:
        self._closed = True

    def abort(self) -> None:
        self._closed = True

    def pause_reading(self) -> None:
        """The next bytes come when they are sent."""

    def resume_reading(self) -> None:
        """The next bytes come when they are sent."""


class Line:
    """An agent's end of a connection in memory."""

    def __init__(self, stage: "Stage", level: Level) -> None:
        self._stage = stage
        self._cable = _Cable()
        caller = Caller(LEVEL_DOORS[level], Peer(own_uid()))
        self._connection = Connection(stage.service, lambda _: caller, set())
        self._connection.connection_made(self._cable)
        self.ask(wire.Hello(protocol=wire.PROTOCOL, agent="proof"))

    def ask(self, request: wire.Request) -> bytes:
        """Send a request, a moment after the one before; return the bytes that are answered."""
        self._stage.moment += MOMENT
        self._connection.data_received(wire.call(1, request))
        self._stage.settle()
        said, self._cable.written = self._cable.written, b""
        return said

    def hang_up(self) -> None:
        """End the connection."""
        self._connection.connection_lost(None)


class Stage:
    """A daemon on ``state``, which is a copy that it may write."""

    def __init__(self, vault: Vault, scenery: Scenery, facts: Facts, moment: Micros) -> None:
        self.moment = moment
        self._later: deque[Callable[[], None]] = deque()
        self.handles = vault.readers()
        rows = vault.control_reader()
        writers = _Writes(vault, _deliver, _raise)
        sessions = Sessions(_Ids(), rows.by_token)
        self.recalls = Recalls(writers)
        diary = Diary(rows, writers)
        dreamer = Dreamer(writers, self._clock, diary, self._put_off, lambda: 0.0)
        told = replace(facts, sessions={}, unavailable={}, dreams=diary.last, left=())
        reads = _Reads("proof", lambda: self.handles, _deliver)
        dispatcher = Dispatcher(
            sessions=sessions,
            readers=reads,
            walkers=reads,
            searchers=reads,
            indexes=Indexes(),
            analysts=_Reads("proof", dict, _deliver),
            writers=writers,
            handles=self.handles,
            unavailable=vault.unavailable,
            ids=_Ids(),
            clock=self._clock,
            zone=_zone(scenery.zone),
            guides=_Guides(scenery.guidance),
            facts=lambda: told,
            ears=Ears(),
            recalls=self.recalls,
            dream=dreamer.dream,
            backup=_unasked,
            waiting={},
            listeners=[],
            quotas=Quotas(),
        )
        greeting = Greeting(sessions, rows, writers, self._clock, _unasked)
        nobody: Any = None  # agents can't ask for what these answer
        self.service = Service(
            dispatcher,
            greeting,
            sessions,
            mcp=nobody,
            backups=nobody,
            audits=_Audits(),
            scrubs=nobody,
            ward=nobody,
            folders=nobody,
            seat_belt=True,
        )

    def settle(self) -> None:
        """Do all that was put off: the slices of a dream cycle, and recall stamps."""
        while self._later:
            self._later.popleft()()
        self.recalls.flush()

    def _put_off(self, _: float, act: Callable[[], None]) -> None:
        self._later.append(act)

    def _clock(self) -> Micros:
        return self.moment


@contextmanager
def stage(state: Path, scenery: Scenery, facts: Facts, moment: Micros) -> Iterator[Stage]:
    """Open a copy of a store and serve it in memory. Raises Refusal where a level of it can't be used."""
    vault = Vault.open(state)
    try:
        for refusal in vault.unavailable.values():
            raise refusal
        yield Stage(vault, scenery, facts, moment)
    finally:
        vault.close()


def _zone(name: str) -> tzinfo:
    """The zone of that name, or the machine's own, which may have none."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, ZoneInfoNotFoundError):
        return tzlocal.get_localzone()


def _deliver(outcomes: list[tuple[Done, Outcome]]) -> None:
    for done, outcome in outcomes:
        done(outcome)


def _raise(error: Exception) -> None:
    raise error


def _unasked(*_: Any) -> NoReturn:
    raise Refusal("not_here", "No probe asks for that.", "")
