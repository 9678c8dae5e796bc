"""The daemon in memory: all of it but sockets, threads, chance and the time. What goes in and comes out is bytes.

The connections, the gate, the handlers and the store on its disk are the daemon's own. Lanes work at once instead of
in threads, ids come from a counter per level, and the clock stands until it is told.
"""

import asyncio
import shutil
import socket
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from memtrig import wire
from memtrig.homes import Home

from memtrigd.clockwork.apart import Heard
from memtrigd.clockwork.audits import Audits
from memtrigd.clockwork.backups import Backups, Plan
from memtrigd.clockwork.diary import Diary
from memtrigd.clockwork.dream import Dreamer
from memtrigd.clockwork.embedding import Embedding
from memtrigd.clockwork.housekeeping import ControlRuns, housekeeping
from memtrigd.clockwork.scrubs import PREFIX as SCRUBS
from memtrigd.clockwork.scrubs import Scrubs
from memtrigd.doctor.ward import Ward
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import Micros
from memtrigd.embedder.client import Condition
from memtrigd.gate.doors import CONTROL, HANDED, LEVEL_DOORS, Door
from memtrigd.gate.ears import Ears
from memtrigd.gate.peers import Peer, own_uid
from memtrigd.gate.sessions import Sessions
from memtrigd.guidance.keeper import Keeper
from memtrigd.proof.prover import Prover
from memtrigd.proof.works import perform
from memtrigd.search.analyser import terms_of
from memtrigd.search.indexes import Indexes
from memtrigd.serve.dispatch import Caller, Dispatcher
from memtrigd.serve.greeting import Greeting
from memtrigd.serve.handlers.about import Facts
from memtrigd.serve.intents import PREFIX
from memtrigd.serve.mcp.engine import Engine
from memtrigd.serve.meanings import Questions
from memtrigd.serve.protocol import Connection
from memtrigd.serve.recalls import Recalls
from memtrigd.serve.service import Service
from memtrigd.store.interface_control import SessionRow
from memtrigd.store.lanes import ReadLane, stopping
from memtrigd.store.queueing import Job
from memtrigd.store.schema import VERSION
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.vault import Vault
from memtrigd.store.writer import WriterLane
from memtrigd.watched.desk import Desk
from memtrigd.watched.folders import Folders
from memtrigd.watched.reading import Reading, read
from tests.embedding import MadeUp

PEER = Peer(own_uid())


def mark(level: Level) -> str:
    """What everything that comes from a level is marked with: texts, names and ids. No word holds it by chance."""
    return f"zz{level.slug}zz"


class CountedIds:
    """Ids by counting, for each level by itself, with the mark of the level in them."""

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def memory(self, level: Level) -> str:
        """The next id of a memory of the level."""
        return self._next("m", level)

    def session(self, level: Level) -> str:
        """The next handle of a session that starts at the level."""
        return self._next("s", level)

    def token(self, level: Level) -> str:
        """The next token of a session that starts at the level."""
        return self._next("t", level)

    def _next(self, letter: str, level: Level) -> str:
        stem = f"{letter}{mark(level)}"
        self._given[stem] += 1
        return f"{stem}{self._given[stem]}"


class ReadsAtOnce(ReadLane):
    """The lane of reads without its thread; so it needs no handles of its own, which take a while to open."""

    def put(self, job: Job) -> None:
        """Run the job now."""
        self.perform([job])


class WritesAtOnce(WriterLane):
    """The lane of the writer without its thread: each job is a batch of its own."""

    cut: Collection[Level | None] = ()

    def put(self, job: Job) -> None:
        """Commit the job now; those of a level that is ``cut`` come too late, as when the daemon ends."""
        if job.level in self.cut:
            self.deliver([(job.done, stopping())])
        else:
            self.perform([job])


class StampsAtOnce(Recalls):
    """Recall stamps that do not wait for their batch."""

    def note(self, level: Level, memory_id: str, at: Micros) -> None:
        """Write the stamp now."""
        super().note(level, memory_id, at)
        self.flush()


class Cable(asyncio.Transport):
    """The daemon's end of a connection: keeps what is written until it is taken.

    ``socket`` is for descriptors alone, which can't be handed over in memory.
    """

    def __init__(self, sock: socket.socket | None) -> None:
        super().__init__({"socket": sock})
        self.written = b""
        self.closed = False

    def write(self, data: Any) -> None:
        """Keep what the daemon says."""
        self.written += data

    def get_write_buffer_size(self) -> int:
        """Nothing ever waits."""
        return 0

    def is_closing(self) -> bool:
        """Whether the daemon has hung up."""
        return self.closed

    def close(self) -> None:
        """Hang up."""
        self.closed = True

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Let somebody else have the bytes that come."""
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Whoever has the bytes since ``set_protocol``."""
        return self._protocol

    def pause_reading(self) -> None:
        """The next bytes come when the test sends them."""

    def resume_reading(self) -> None:
        """The next bytes come when the test sends them."""


class Line:
    """A caller's end of a connection in memory."""

    def __init__(self, service: Service, caller: Caller) -> None:
        self._ours, theirs = socket.socketpair() if caller.door == CONTROL else (None, None)
        self._theirs = theirs
        self._told: list[wire.Notice] = []
        if self._ours is not None:
            self._ours.setblocking(False)
        self._cable = Cable(theirs)
        self.connection = Connection(service, lambda _: caller, set())
        self._cable.set_protocol(self.connection)
        self.connection.connection_made(self._cable)

    def push(self, data: bytes) -> None:
        """Send bytes to whoever has them; what is said to that, now or later, is there to be ``taken``."""
        self._reader().data_received(data)

    def taken(self) -> bytes:
        """What the daemon has said since this was asked last."""
        said, self._cable.written = self._cable.written, b""
        return said

    def send(self, data: bytes) -> bytes:
        """Send bytes and return those of the answers; none if the daemon has hung up."""
        if self._cable.closed:
            return b""
        self.connection.data_received(data)
        said, self._cable.written = self._cable.written, b""
        return said + self._handed_over()

    def ask(self, request: wire.Request) -> Any:
        """Send a request and return its result or its error; notices that come with it are kept for ``heard``."""
        (answer,) = self._sorted(self.send(wire.call(1, request)))
        return answer.error if isinstance(answer.error, wire.Error) else answer.result

    def heard(self) -> list[wire.Notice]:
        """The notices that came since this was asked last."""
        said, self._cable.written = self._cable.written, b""
        assert self._sorted(said) == []
        told, self._told = self._told, []
        return told

    def _sorted(self, said: bytes) -> list[wire.Answer]:
        """Keep the notices and return the answers."""
        answers = []
        while said:
            end = wire.PREFIX + int.from_bytes(said[: wire.PREFIX])
            answer, said = wire.decode_answer(said[wire.PREFIX : end]), said[end:]
            if isinstance(answer.notice, wire.Notice):
                self._told.append(answer.notice)
            else:
                answers.append(answer)
        return answers

    def hang_up(self) -> None:
        """Close this end."""
        self._cable.closed = True
        self._reader().connection_lost(None)
        for sock in filter(None, (self._ours, self._theirs)):
            sock.close()

    def _reader(self) -> asyncio.Protocol:
        """Whoever has the bytes: the connection, or its heir."""
        reader = self._cable.get_protocol()
        assert isinstance(reader, asyncio.Protocol)
        return reader

    def _handed_over(self) -> bytes:
        """Take an answer that came with a descriptor; the descriptor's other end is a line in memory already."""
        if self._ours is None:
            return b""
        try:
            said, descriptors, _, _ = socket.recv_fds(self._ours, 1 << 16, 1)
        except BlockingIOError:
            return b""
        for descriptor in descriptors:
            socket.close(descriptor)
        return said


class Here:
    """What is done apart in a process of its own, done at once in this one."""

    def run(self, work: Any, heard: Heard, kind: Any) -> Any:
        """Do it, and hand over what it comes to as the process would."""
        if isinstance(work, Reading):
            return msgspec.convert(msgspec.to_builtins(read(work)), kind, str_keys=False)
        return msgspec.convert(msgspec.to_builtins(perform(work, heard)), kind, str_keys=False)

    def end(self) -> None:
        """It is over."""


class World:
    """A daemon on ``state``, its clock at ``now``.

    ``handed`` is the line of the session that was opened last, ``waiting`` how many jobs of each level are under way,
    ``rows`` what control.db holds, ``handles`` what the levels do, ``walkers`` the lane of slow questions.
    """

    engines: Callable[[], Engine] = Engine
    """Makes what serves MCP."""

    def __init__(self, state: Path, now: Micros) -> None:
        self.now = now
        self.state = state
        self.models = MadeUp()
        self._ids = CountedIds()
        self._start()

    def restart(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        """Stop, and start anew on the same store: every line is gone, and what was in memory only."""
        self.close()
        meanwhile()
        self._start()

    def _start(self) -> None:
        self.handed: Line | None = None
        self.waiting: dict[Level, int] = {}
        self._lines: list[Line] = []
        self._vault = Vault.open(self.state)
        ids, indexes = self._ids, Indexes()
        self.rows = self._vault.control_reader()
        self.handles = self._vault.readers()
        self._writers = WritesAtOnce(self._vault, _deliver, _disk_failed)
        self._sessions = Sessions(ids, self.rows.by_token)
        diary = Diary(self.rows, self._writers)
        dreamer = Dreamer(self._writers, lambda: self.now, diary, lambda _, act: act(), lambda: 0.0)
        self.walkers = ReadsAtOnce("walkers", lambda: self.handles, _deliver)
        self.backups = Backups(
            self.state,
            Plan(),
            ReadsAtOnce("backups", dict, _deliver),
            self._writers,
            self.rows,
            ControlRuns(self.rows, self._writers),
            lambda: self.now,
            lambda: None,
            Here,
        )
        dispatcher = Dispatcher(
            sessions=self._sessions,
            readers=ReadsAtOnce("readers", lambda: self.handles, _deliver),
            walkers=self.walkers,
            searchers=ReadsAtOnce("searchers", lambda: self.handles, _deliver),
            indexes=indexes,
            analysts=ReadsAtOnce("analysts", dict, _deliver),
            writers=self._writers,
            handles=self.handles,
            unavailable=self._vault.unavailable,
            ids=ids,
            clock=lambda: self.now,
            zone=UTC,
            ears=Ears(),
            recalls=StampsAtOnce(self._writers),
            guides=Keeper(Home(*[str(self.state)] * 3), None, lambda: self.now),
            dream=dreamer.dream,
            backup=self.backups.queue,
            waiting=self.waiting,
            models=Questions(self.models),
            facts=lambda: Facts(
                started=0,
                schema=VERSION,
                pid=1,
                home="home",
                sessions=self._sessions.counts(),
                unavailable={},
                dreams=dreamer.figures(),
                left=self.left(),
                copies=self.backups.figures(),
                holding=self.backups.holding,
                model=Condition(self.models.state),  # type: ignore[arg-type]
                maker=self.models.model,
                folders=self.folders.shown,
            ),
        )
        self.embedding = Embedding(
            self.models,
            ReadsAtOnce("embedding", lambda: self.handles, _deliver),
            self._writers,
            self._vault.unavailable,
            lambda _, act: None,
            lambda _: None,
        )
        dispatcher.listeners.append(self.embedding.wake)
        self.embedding.look()
        self.quotas = dispatcher.quotas
        self.audits = Audits(
            self.state,
            self._vault,
            ReadsAtOnce("audits", dict, _deliver),
            self.walkers,
            self._writers,
            self.rows,
            Prover(self.state, dispatcher, lambda: self.now),
            Here,
            lambda: self.now,
        )
        scrubs = Scrubs(
            ReadsAtOnce("scrubs", lambda: self.handles, _deliver),
            self._writers,
            self._vault.unavailable,
            lambda: self.now,
            self.backups.holding,
            lambda _, act: act(),
            dispatcher.listeners,
        )
        self.folders = Folders(
            Home(*[str(self.state)] * 3),
            Desk(dispatcher, self._writers, lambda _: Here(), lambda run: run()),
            self.rows,
            ids,
            lambda: self.now,
            beside=lambda run: run(),
            poll=None,
        )
        greeting = Greeting(self._sessions, self.rows, self._writers, lambda: self.now, self._adopt)
        self._service = Service(
            dispatcher,
            greeting,
            self._sessions,
            mcp=self.engines(),
            seat_belt=True,
            backups=self.backups,
            audits=self.audits,
            scrubs=scrubs,
            folders=self.folders,
            ward=Ward(
                Home(*[str(self.state)] * 3),
                self._vault,
                ReadsAtOnce("doctors", dict, _deliver),
                self._writers,
                self.rows,
                self._sessions,
                self.backups,
                lambda: self.now,
                indexes.drop,
                lambda: Condition(self.models.state),  # type: ignore[arg-type]
            ),
        )
        self._service.resume(self.rows.settings(PREFIX), lambda: None)
        scrubs.resume(self.rows.settings(SCRUBS))

    def connect(self, door: Door) -> Line:
        """Connect at a door."""
        return self._line(Caller(door, PEER))

    def agent(self, level: Level, space: str | None = None) -> Line:
        """Connect an agent at the socket of a level."""
        line = self.connect(LEVEL_DOORS[level])
        assert isinstance(line.ask(wire.Hello(protocol=wire.PROTOCOL, space=space)), wire.Welcome)
        return line

    def file(self, level: Level) -> Path:
        """The file of a level."""
        return self.state / file_name(level)

    def left(self) -> list[wire.Left]:
        """What the start found under way."""
        return self._service.intents.left

    def cut(self, *levels: Level) -> None:
        """Let no more writes at these levels happen: the daemon is about to end."""
        self._writers.cut = levels

    def tick(self) -> None:
        """Do what the daemon does once a minute."""
        self._service.subscriptions.tick()

    def problems(self) -> list[str]:
        """What the journals can't vouch for, and what the index has wrong."""
        return [problem for level in Level for problem in self._vault.verify(level, terms_of=terms_of)]

    def tidy(self) -> None:
        """Do what the daemon does once a day."""
        housekeeping(self._writers, self._sessions.in_use).run(self.now)

    def close(self) -> None:
        """Hang up every line and close the store."""
        for line in self._lines:
            line.hang_up()
        self._vault.close()

    def _adopt(self, ours: socket.socket, row: SessionRow, peer: Peer) -> None:
        """Serve a session as the acceptor does, but in memory."""
        ours.close()
        self.handed = self._line(Caller(HANDED, peer, row.id))
        self._sessions.attach(row, peer.process, self.handed.connection.close)

    def _line(self, caller: Caller) -> Line:
        line = Line(self._service, caller)
        self._lines.append(line)
        return line


class Nursery:
    """Makes fresh worlds quickly: an empty store is made once and copied.

    Searches in them go by the words alone unless a ``model`` is named: then by what its table says that they mean, too.
    """

    model: str | None = None

    def __init__(self, place: Path) -> None:
        self._place = place
        self._empty = place / "empty"
        Vault.open(self._empty).close()

    @contextmanager
    def world(self, now: Micros, kind: type[World] = World) -> Iterator[World]:
        """A new world with an empty store, which is gone afterwards."""
        state = self._place / "state"
        shutil.copytree(self._empty, state)
        world = kind(state, now)
        if self.model is not None:
            world.models.use(self.model)
        try:
            yield world
        finally:
            try:
                world.close()
            finally:
                shutil.rmtree(state)


@contextmanager
def nursery() -> Iterator[Nursery]:
    """A nursery in memory where the system has such a file system: the store still syncs, but nobody waits for it."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="mt-", dir=memory if memory.is_dir() else None) as place:
        yield Nursery(Path(place))


def _deliver(outcomes: list[tuple[Callable[[Any], None], Any]]) -> None:
    for done, outcome in outcomes:
        done(outcome)


def _disk_failed(error: Exception) -> None:
    raise AssertionError("the disk failed") from error
