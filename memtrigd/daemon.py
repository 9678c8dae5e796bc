"""The daemon on one screen: what is wired to what, and in which order it starts and stops."""

import asyncio
import contextlib
import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias

import structlog
from memtrig.homes import Home

from memtrigd import logs, metering
from memtrigd.clockwork import imports, stops
from memtrigd.clockwork.apart import Apart
from memtrigd.clockwork.audits import Audits
from memtrigd.clockwork.backups import Backups, Plan
from memtrigd.clockwork.diary import Diary
from memtrigd.clockwork.dream import Dreamer, nightly
from memtrigd.clockwork.embedding import Embedding
from memtrigd.clockwork.errands import Errands, Orders, run_command
from memtrigd.clockwork.housekeeping import ControlRuns, housekeeping
from memtrigd.clockwork.losses import Losses
from memtrigd.clockwork.scheduler import TICK, Clockwork
from memtrigd.clockwork.scrubs import PREFIX as SCRUBS
from memtrigd.clockwork.scrubs import Scrubs
from memtrigd.config import Config, load_again
from memtrigd.doctor.ward import Ward
from memtrigd.domain.moments import Micros
from memtrigd.embedder.client import Embedder
from memtrigd.gate import listeners
from memtrigd.gate.ears import Ears
from memtrigd.gate.sessions import Sessions
from memtrigd.guidance.attention import Attention, begin_keeping
from memtrigd.ids import RandomIds
from memtrigd.proof.prover import Prover
from memtrigd.reload import Reloader
from memtrigd.search.indexes import Indexes
from memtrigd.serve import faults
from memtrigd.serve.accept import Acceptor
from memtrigd.serve.dispatch import Dispatcher
from memtrigd.serve.greeting import Greeting
from memtrigd.serve.handlers.about import Facts
from memtrigd.serve.intents import PREFIX
from memtrigd.serve.mcp.engine import Engine
from memtrigd.serve.meanings import Questions
from memtrigd.serve.recalls import EVERY, Recalls
from memtrigd.serve.service import Service
from memtrigd.signals import Signals
from memtrigd.store import keys
from memtrigd.store.interface_control import ControlReader
from memtrigd.store.schema import VERSION
from memtrigd.store.vault import Vault
from memtrigd.threads import Threads
from memtrigd.watched.desk import Desk
from memtrigd.watched.folders import Folders
from memtrigd.welcome import unusable, way_back, welcome

DISK_FAILED = 70
"""Exit code after a failed write (EX_SOFTWARE): a supervisor starts the daemon anew, and the start recovers."""
AGAIN = -1
"""In place of an exit code: begin anew in this process, after a restore was laid ready."""
Heard: TypeAlias = Callable[[str], None]

log = structlog.get_logger()


def now() -> Micros:
    """The time, in microseconds since 1970 UTC."""
    return time.time_ns() // 1000


def run(home: Home, config: Config, environ: Mapping[str, str], ready: Heard) -> int:
    """Run until told to stop; returns the exit code. ``ready`` is told once, when every door is open."""
    os.umask(0o077)  # whatever we make is for us alone, the directories above a new home included
    sys.setswitchinterval(0.0001)  # a scan in a lane must not hold the loop for the usual 5 ms
    doors: listeners.Listeners | None = None
    signals = Signals()
    try:
        while True:
            with contextlib.closing(Vault.open(Path(home.state))) as vault:
                _tell_of(vault)
                doors = doors or listeners.open_all(home, environ, os.getpid())
                code = asyncio.run(_serve(home, config, vault, doors, signals=signals, ready=ready))
                if code != AGAIN or signals.over:
                    doors.close()
                    return max(code, 0)
            ready, config = _unheard, load_again(home, config)
    finally:
        if doors is not None:
            doors.close()


def _unheard(_: str) -> None:
    """Who started the daemon was told that it is ready, and need not hear that it is so again."""


def _tell_of(vault: Vault) -> None:
    """Log what the opening did beside opening."""
    if vault.restored is not None:
        log.warning("restored", count=len(vault.restored.levels))
    for level, (before, after) in vault.brought_up_to_date().items():
        log.warning("migrated", classification=level.name, count=after, why=f"{before} memories before, {after} after")


def _collect_rarely() -> None:
    """Let collections of garbage be short: what is there now stays, and whole ones take 100 ms beside calls of MCP."""
    gc.freeze()
    gc.set_threshold(2_000, 20, 100)


async def _serve(
    home: Home, config: Config, vault: Vault, doors: listeners.Listeners, *, signals: Signals, ready: Heard
) -> int:
    loop = asyncio.get_running_loop()
    stopped = _end_of(loop)

    def poisoned(error: BaseException) -> None:
        log.critical("disk_failed", kind=type(error).__name__)
        loop.call_soon_threadsafe(_settle, stopped, DISK_FAILED)

    threads, state = Threads(vault, loop, poisoned), Path(home.state)
    writers, indexes = threads.writers, Indexes()
    ids, started, rows = RandomIds(), now(), vault.control_reader()
    sessions, keeper = Sessions(ids, rows.by_token), begin_keeping(home, os.environ, now)
    recalls, dreamer = Recalls(writers), Dreamer(writers, now, Diary(rows, writers), loop.call_later)
    runs, acceptor, embedder = ControlRuns(rows, writers), Acceptor(sessions), Embedder()
    anew = partial(_begin_anew, acceptor, stopped)
    backups = Backups(state, _plan(config), threads.copyists, writers, rows, runs, now, anew, Apart)
    dispatcher = Dispatcher(
        sessions=sessions,
        readers=threads.readers,
        walkers=threads.walkers,
        searchers=threads.searchers,
        indexes=indexes,
        analysts=threads.analysts,
        apart=threads.analysts.analysis.prepared,
        writers=writers,
        handles=vault.readers(),
        unavailable=vault.unavailable,
        ids=ids,
        clock=now,
        zone=config.zone,
        ears=Ears(),
        recalls=recalls,
        guides=keeper,
        dream=dreamer.dream,
        backup=backups.queue,
        waiting={},
        precedence=threads.precedence,
        facts=lambda: Facts(
            started=started,
            schema=VERSION,
            pid=os.getpid(),
            home=home.root or home.state,
            sessions=sessions.counts(),
            unavailable={level: unusable(why, level, backups.holding) for level, why in vault.unavailable.items()},
            dreams=dreamer.figures(),
            left=[*left, *service.intents.left],
            copies=backups.figures(),
            holding=backups.holding,
            model=embedder.condition,
            maker=embedder.model,
            folders=folders.shown,
        ),
        models=Questions(embedder),
    )
    prover, folders, embedding = (
        Prover(state, dispatcher, now),
        Folders(home, Desk(dispatcher, writers, Apart, loop.call_soon_threadsafe), rows, ids, now),
        Embedding(embedder, threads.readers, writers, vault.unavailable, loop.call_later, threads.warming(indexes)),
    )
    audits = Audits(state, vault, threads.verifiers, threads.walkers, writers, rows, prover, Apart, now)
    scrubs = Scrubs(
        threads.scrubbers, writers, vault.unavailable, now, backups.holding, loop.call_later, dispatcher.listeners
    )
    ward = Ward(
        home,
        vault,
        threads.doctors,
        writers,
        rows,
        sessions,
        backups,
        now,
        threads.in_searches(indexes.drop),
        lambda: embedder.condition,
    )
    greeting = Greeting(sessions, rows, writers, now, acceptor.adopt)
    service = acceptor.service = Service(
        dispatcher,
        greeting,
        sessions,
        mcp=Engine(key=keys.kept(state / "keys" / "mcp.key")),
        backups=backups,
        audits=audits,
        scrubs=scrubs,
        ward=ward,
        folders=folders,
        seat_belt=config.owner.seat_belt,
    )

    errands = Errands(_orders(config), service.promises_due, rows, writers, run_command)

    def configure(fresh: Config) -> None:
        service.seat_belt, errands.orders, backups.plan = fresh.owner.seat_belt, _orders(fresh), _plan(fresh)
        dispatcher.quotas.quota = fresh.quota
        _each((partial(logs.talk.at, fresh.log.level), partial(embedder.choose, fresh.semantic.choice)))
        service.meters.each_logged = fresh.log.level == "debug"

    configure(config)
    reloader, attention = Reloader(home, config, configure), Attention(keeper)
    signals.heed(loop, partial(_settle, stopped, 0), partial(_each, (reloader.reload, attention.look)))
    keeper.listeners.append(service.buses.guidance_changed)
    service.meters.gauges.append(lambda: metering.look(state, dispatcher.facts(), writers, threads.lanes, acceptor))
    threads.start()
    left = [*stops.begin(rows, writers, started), *imports.cut_off(writers, rows)]
    await _resumed(service, rows)  # nobody sees what a crash halved
    await acceptor.open({door: listener.dup() for door, listener in doors.sockets.items()})
    losses = Losses(vault.unavailable, lambda level: way_back(level, backups.holding))
    clockwork = Clockwork([housekeeping(writers, sessions.in_use), nightly(dreamer)], runs, now)
    clockwork.every(EVERY, recalls.flush)
    for look in (service.subscriptions.tick, errands.tick, backups.tick, audits.tick, losses.tick, embedding.look):
        clockwork.every(TICK, look)
    _each(
        (
            losses.tick,
            clockwork.start,
            errands.tick,
            partial(backups.begin, restored=vault.restored is not None),
            reloader.start,
            attention.start,
            folders.start,
            threads.warming(indexes),
            partial(dispatcher.listeners.append, embedding.wake),
            partial(scrubs.resume, rows.settings(SCRUBS)),
            ward.resume,
            embedder.start,
        )
    )
    _collect_rarely()
    ready(welcome(home, vault.unavailable, backups.holding))
    try:
        return await stopped
    finally:
        ended = acceptor.close, partial(_leave, doors, stopped), clockwork.stop, recalls.flush
        _each((*ended, *(each.stop for each in (backups, audits, scrubs, ward, embedding, embedder))))
        for watch in (reloader, attention, folders):
            await asyncio.to_thread(watch.stop)
        await threads.stop(partial(stops.end, writers))
        await acceptor.abandon()


def _end_of(loop: asyncio.AbstractEventLoop) -> "asyncio.Future[int]":
    """What the daemon waits for: the exit code."""
    loop.set_exception_handler(faults.of_loop)
    stopped: asyncio.Future[int] = loop.create_future()
    return stopped


def _begin_anew(acceptor: Acceptor, stopped: "asyncio.Future[int]") -> None:
    """End, to begin anew; nobody comes in any more from this moment on."""
    acceptor.close()
    _settle(stopped, AGAIN)


def _leave(doors: listeners.Listeners, stopped: "asyncio.Future[int]") -> None:
    """Close the doors for good; where the daemon begins anew they stay, and whoever comes waits there."""
    if not (stopped.done() and not stopped.cancelled() and stopped.result() == AGAIN):
        doors.close()


def _each(acts: Iterable[Callable[[], None]]) -> None:
    for act in acts:
        act()


def _orders(config: Config) -> Orders:
    notify = config.notify
    return Orders(tuple(notify.command) if notify.promises else (), notify.levels, notify.say_text)


def _plan(config: Config) -> Plan:
    said = config.backup
    return Plan(said.on, said.every, said.drill_every, said.keep, said.directories, said.kept_in)


async def _resumed(service: Service, rows: ControlReader) -> None:
    over = asyncio.Event()
    service.resume(rows.settings(PREFIX), over.set)
    await over.wait()


def _settle(stopped: "asyncio.Future[int]", code: int) -> None:
    if not stopped.done():
        stopped.set_result(code)
