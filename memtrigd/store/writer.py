"""The writer: the one thread that changes anything, with one commit for all that is queued at a level."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apsw
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store.control import ControlWriter
from memtrigd.store.faults import ORDINARY, refusal_for
from memtrigd.store.interface import LevelReader, LevelWriter
from memtrigd.store.lanes import Deliver, Done, Job, Lane, Outcome, stopping
from memtrigd.store.vault import Vault


class Hands(Struct, frozen=True):
    """What a job holds: at a level its write handle and the reads at and below it; else only control.db.

    Reads at the level itself go through the write handle, so that a job sees what those before it in the batch wrote.
    """

    readers: Mapping[Level, LevelReader]
    writer: LevelWriter | None
    controls: ControlWriter | None = None

    @property
    def control(self) -> ControlWriter:
        """The write handle of control.db. Raises LookupError in a job at a level: its transaction is another."""
        if self.controls is None:
            raise LookupError("a job at a level does not hold control.db")
        return self.controls


class Transactions:
    """Runs jobs in transactions. ``poison`` is the disk's first error; after it nothing is committed any more.

    fsync tells of lost pages once and then succeeds (the "fsyncgate" of 2018), so a second try would acknowledge what
    the disk does not hold: only a new process that recovers from the log knows the truth.
    """

    def __init__(self, vault: Vault) -> None:
        self.poison: Exception | None = None
        self._unavailable = vault.unavailable
        self._desks: dict[Level | None, tuple[apsw.Connection, Hands]] = {}
        control, readers = vault.control_writer(), vault.readers()
        self._desks[None] = control.connection, Hands({}, None, control)
        for level, writer in vault.writers().items():
            below: dict[Level, LevelReader] = {lower: r for lower, r in readers.items() if lower < level}
            self._desks[level] = writer.connection, Hands({level: writer, **below}, writer)

    def run(self, level: Level | None, jobs: Sequence[Job]) -> list[Outcome]:
        """Run jobs of one level (None: control.db) in one transaction; the outcomes are durable when this returns.

        A job that raises leaves nothing behind and gets its exception; the others go on. If the transaction fails all
        get the same refusal: ``disk_full``, ``store_locked``, or after an error of the disk ``stopping``.
        """
        if self.poison is not None:
            return [stopping()] * len(jobs)
        if level is not None and level in self._unavailable:
            return [self._unavailable[level]] * len(jobs)
        try:
            return _commit(*self._desks[level], jobs)
        except Exception as error:
            return [self._judge(error, level)] * len(jobs)

    def run_now(self, level: Level | None, run: Callable[[Hands], Any]) -> Any:
        """Run one function in a transaction on the calling thread; return its value or raise its exception."""
        (outcome,) = self.run(level, [Job(run, lambda _: None, level)])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _judge(self, error: Exception, level: Level | None) -> Refusal:
        name = "control.db" if level is None else f"{level.slug}.db"
        refusal = refusal_for(error, name) if isinstance(error, apsw.Error) else None
        if refusal is not None and refusal.retryable:
            return refusal
        self.poison = error
        return stopping()


class WriterLane(Lane):
    """Group commit: while one commit waits for the disk the next batch gathers, so the batch tunes itself.

    ``on_poison`` is called once, in this thread, after the disk has failed; from then on every outcome is ``stopping``.
    """

    def __init__(self, vault: Vault, deliver: Deliver, on_poison: Callable[[Exception], None]) -> None:
        self._transactions = Transactions(vault)
        self._on_poison = on_poison
        self._told = False
        super().__init__("memtrigd-writer", deliver)

    def submit(self, level: Level | None, run: Callable[[Hands], Any], done: Done) -> None:
        """Run ``run`` in a transaction of ``level``, None for control.db; ``done`` gets what it returned or raised."""
        self.put(Job(run, done, level))

    def perform(self, batch: Sequence[Job]) -> None:
        """Commit control.db first, then the levels upwards; the outcomes of each go out when its commit is done."""
        for level in (None, *Level):
            jobs = [job for job in batch if job.level is level]
            if jobs:
                outcomes = self._transactions.run(level, jobs)
                self.deliver([(job.done, outcome) for job, outcome in zip(jobs, outcomes, strict=True)])
        poison = self._transactions.poison
        if poison is not None and not self._told:
            self._told = True
            self._on_poison(poison)


def _commit(connection: apsw.Connection, hands: Hands, jobs: Sequence[Job]) -> list[Outcome]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        outcomes = [_attempt(connection, hands, job) for job in jobs]
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return outcomes


def _attempt(connection: apsw.Connection, hands: Hands, job: Job) -> Outcome:
    """Run one job inside a savepoint. Errors of the disk are not the job's: they go up."""
    connection.execute("SAVEPOINT job")
    try:
        value = job.run(hands)
    except Exception as error:
        if isinstance(error, apsw.Error) and not isinstance(error, ORDINARY):
            raise
        connection.execute("ROLLBACK TO job")
        connection.execute("RELEASE job")
        return error
    connection.execute("RELEASE job")
    return value
