"""The writer: the one thread that changes anything, with one commit for all that is queued at a level."""

import math
import time
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final

import apsw

from memtrigd.domain.errors import Refusal
from memtrigd.domain.histograms import NUMBERS, SECONDS, Histogram
from memtrigd.domain.levels import Level
from memtrigd.store import control
from memtrigd.store.faults import DAMAGE, ORDINARY, refusal_for
from memtrigd.store.interface import Asker, Hands, LevelReader, Upkeep
from memtrigd.store.lanes import Deliver, Lane, stopping
from memtrigd.store.precedence import Precedence
from memtrigd.store.queueing import DAEMON, Done, Job, Outcome
from memtrigd.store.rounds import Rounds
from memtrigd.store.sqlite_level import file_name
from memtrigd.store.upkeep import SqliteUpkeep
from memtrigd.store.vault import Vault

BATCH: Final = 256
"""Jobs that share a transaction at most: the first of them waits for all."""
ENOUGH: Final = 0.005
"""Seconds of work that are enough for a batch: whoever comes meanwhile waits for it, and for one more."""
GROWTH: Final = 4
"""How many times as many jobs as before a batch may have, once one took less."""


class Transactions:
    """Runs jobs in transactions. An error of the disk poisons the vault: after it nothing is committed any more.

    fsync tells of lost pages once and then succeeds (the "fsyncgate" of 2018), so a second try would acknowledge what
    the disk does not hold: only a new process that recovers from the log knows the truth.
    """

    def __init__(self, vault: Vault) -> None:
        self.worked = 0.0
        """Seconds that jobs took in all, without what the disk took to keep them."""
        self.syncs = Histogram(SECONDS)
        """What the disk took to keep each transaction, in seconds."""
        self._vault = vault
        self._desks: dict[Level | None, tuple[apsw.Connection, Hands]] = {}
        sessions, readers = vault.control_writer(), vault.readers()
        self._desks[None] = sessions.connection, Hands({}, None, sessions)
        for level, writer in vault.writers().items():
            below: dict[Level, LevelReader] = {lower: r for lower, r in readers.items() if lower < level}
            self._desks[level] = writer.connection, Hands({level: writer, **below}, writer)

    def run(self, level: Level | None, jobs: Sequence[Job], enough: float = math.inf) -> list[Outcome]:
        """Run jobs of one level (None: control.db) in one transaction; the outcomes are durable when this returns.

        After ``enough`` seconds of work no further job is begun: then there are fewer outcomes than jobs, at least one.
        A job that raises leaves nothing behind and gets its exception; the others go on. If the transaction fails all
        get the same refusal: ``disk_full``, ``store_locked``, ``level_unavailable`` if the file turns out to be damaged
        (it is then left alone), or after an error of the disk ``stopping``.
        """
        if self._vault.poison is not None:
            return [stopping()] * len(jobs)
        if level is not None and level in self._vault.unavailable:
            return [self._vault.unavailable[level]] * len(jobs)
        try:
            return self._commit(*self._desks[level], jobs, enough)
        except Exception as error:
            return [self._judge(error, level)] * len(jobs)

    def _commit(self, connection: apsw.Connection, hands: Hands, jobs: Sequence[Job], enough: float) -> list[Outcome]:
        connection.execute("BEGIN IMMEDIATE")
        begin = worked = time.monotonic()
        outcomes = []
        try:
            for job in jobs:
                outcomes.append(_attempt(connection, hands, job))
                worked = time.monotonic()
                if worked - begin >= enough:
                    break
            self.worked += worked - begin
            connection.execute("COMMIT")
            self.syncs.add(time.monotonic() - worked)
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return outcomes

    def outside(self, job: Job) -> Outcome:
        """Run a job that stands alone, outside any transaction. Errors of the file are judged as a commit's are."""
        if self._vault.poison is not None:
            return stopping()
        if job.level is not None and job.level in self._vault.unavailable:
            return self._vault.unavailable[job.level]
        try:
            return job.run(None)
        except apsw.Error as error:
            return self._judge(error, job.level)
        except Exception as error:
            return error

    def run_now(self, level: Level | None, run: Callable[[Hands], Any]) -> Any:
        """Run one function in a transaction on the calling thread; return its value or raise its exception.

        The lane never does: this is the writer without a thread, by which the tests of the store write.
        """
        (outcome,) = self.run(level, [Job(run, lambda _: None, level)])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _judge(self, error: Exception, level: Level | None) -> Refusal:
        name = control.FILE if level is None else file_name(level)
        refusal = refusal_for(error, name) if isinstance(error, apsw.Error) else None
        if refusal is not None and refusal.retryable:
            return refusal
        if refusal is not None and level is not None and isinstance(error, DAMAGE):
            self._vault.unavailable[level] = refusal
            return refusal
        self._vault.poison = error
        return stopping()


class WriterLane(Lane):
    """Group commit: while one commit waits for the disk the next batch gathers, so the batch tunes itself.

    It takes as many jobs as lately took ENOUGH time, of each asker in turn, and puts back those for which it did not
    suffice, so that nobody waits for all of somebody else's. ``on_poison`` is called once, in this thread, after the
    disk has failed; from then on every outcome is ``stopping``.
    """

    most = 16

    def __init__(
        self,
        vault: Vault,
        deliver: Deliver,
        on_poison: Callable[[Exception], None],
        precedence: Precedence | None = None,
    ) -> None:
        self._vault = vault
        self._transactions = Transactions(vault)
        self._on_poison = on_poison
        self._told = False
        self.syncs = self._transactions.syncs
        self.batches = Histogram(NUMBERS)
        """How many jobs each batch had."""
        self._rounds = Rounds(self.submit_alone)
        super().__init__("memtrigd-writer", deliver, precedence, control_first=True)

    def submit(
        self,
        level: Level | None,
        run: Callable[[Hands], Any],
        done: Done,
        line: str | None = None,
        asker: Asker = DAEMON,
    ) -> None:
        """Run ``run`` in a transaction of ``level``, None for control.db; ``done`` gets what it returned or raised.

        It runs after every earlier job of its ``asker`` and its ``line``, in the turn of its asker.
        """
        self.put(Job(run, done, level, line, asker=asker))

    def submit_alone(self, level: Level, run: Callable[[Upkeep], Any], done: Done, line: str | None = None) -> None:
        """Run ``run`` outside any transaction, after all that was submitted before it and before all that comes after.

        Nothing is written meanwhile, at no level. ``done`` gets what it returned or raised.
        """

        def alone(_: object) -> Any:
            return run(SqliteUpkeep(self._vault.writers()[level].connection, level))

        self.put(Job(alone, done, level, line, alone=True))

    def scrub(self, level: Level, done: Done) -> None:
        """Let nothing that was deleted at a level remain on the disk, in steps between which others write.

        ``done`` gets None, or the refusal: see ``Upkeep.scrub``. From the thread on which outcomes are told.
        """
        self._rounds.scrub(level, done)

    def perform(self, batch: Sequence[Job]) -> None:
        """Commit the batch, file by file, until it took ENOUGH; the outcomes of each commit go out when it is done."""
        self.batches.add(len(batch))
        begin, done = self._transactions.worked, 0
        commits = _commits(batch)
        while commits:
            jobs = commits.pop(0)
            if jobs[0].alone:
                self.deliver([(jobs[0].done, self._transactions.outside(jobs[0]))])
                continue
            left = ENOUGH - (self._transactions.worked - begin)
            outcomes = self._transactions.run(jobs[0].level, jobs, left)
            self.deliver([(job.done, outcome) for job, outcome in zip(jobs, outcomes, strict=False)])
            done += len(outcomes)
            if self._transactions.worked - begin >= ENOUGH:
                self.put_back([*chain(*commits), *jobs[len(outcomes) :]])
                break
        if self._vault.poison is not None and not self._told:
            self._told = True
            self._on_poison(self._vault.poison)
        self.most = _fitting(self.most, done, self._transactions.worked - begin)


def _fitting(most: int, done: int, seconds: float) -> int:
    """How many jobs the next batch may have, after ``done`` jobs, at most ``most``, took some seconds of work.

    One job by itself that took long tells nothing of others.
    """
    if seconds < ENOUGH:
        return min(GROWTH * most, BATCH)
    return max(1, min(int(done * ENOUGH / seconds), BATCH)) if done > 1 else most


def _commits(batch: Sequence[Job]) -> list[list[Job]]:
    """Share a batch out to few commits, each of one file, in which no job overtakes an earlier one of its line.

    So the owner's delete above masks what was said before it, and nothing that was said later. Nobody passes a job of
    control.db either way: a session is there before what it writes, and a raise before what is written above.
    """
    commits: list[list[Job]] = []
    reached: dict[str | None, int] = {}
    fence = 0
    for job in batch:
        if job.alone:
            commits.append([job])
            fence = len(commits)
            continue
        first = max(fence, reached.get(job.line, 0)) if job.level is not None else max(fence, len(commits) - 1, 0)
        place = next((n for n in range(first, len(commits)) if commits[n][0].level is job.level), len(commits))
        if place == len(commits):
            commits.append([])
        commits[place].append(job)
        reached[job.line] = place
        fence = place if job.level is None else fence
    return commits


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
