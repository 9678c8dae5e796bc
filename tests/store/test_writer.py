"""Transactions and the writer's lane: group commit, isolation of jobs, and what happens when the disk fails."""

import resource
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import apsw
import pytest

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store.interface import Asker, Change, Hands, Upkeep
from memtrigd.store.queueing import DAEMON, Done, Job, Outcome
from memtrigd.store.vault import Vault
from memtrigd.store.writer import BATCH, ENOUGH, Transactions, WriterLane


class Desk:
    """A writer's lane whose outcomes the test collects; ``commits`` counts those of each level's file."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.batches: list[list[Outcome]] = []
        self.poison: list[Exception] = []
        self.commits: Counter[Level | None] = Counter()
        self.outcomes: SimpleQueue[Outcome] = SimpleQueue()
        self._count(None, vault.control_writer().connection)
        for level, writer in vault.writers().items():
            self._count(level, writer.connection)
        self.lane = WriterLane(vault, self._deliver, self.poison.append)

    def submit(
        self, level: Level | None, run: Callable[[Hands], Any], line: str | None = None, asker: Asker = DAEMON
    ) -> None:
        """Submit a job."""
        self.lane.submit(level, run, self.outcomes.put, line, asker)

    def submit_alone(self, level: Level, run: Callable[[Upkeep], Any], line: str | None = None) -> None:
        """Submit a job that is done outside any transaction."""
        self.lane.submit_alone(level, run, self.outcomes.put, line)

    def get(self, count: int = 1) -> list[Outcome]:
        """Wait for the next outcomes."""
        return [self.outcomes.get(timeout=20) for _ in range(count)]

    def block(self) -> threading.Event:
        """Hold the writer in a job of control.db until the event is set; returns when it is held."""
        held, free = threading.Event(), threading.Event()
        self.submit(None, lambda hands: held.set() or free.wait(20))
        held.wait(20)
        return free

    def _deliver(self, outcomes: list[tuple[Done, Outcome]]) -> None:
        self.batches.append([outcome for _, outcome in outcomes])
        for done, outcome in outcomes:
            done(outcome)

    def _count(self, level: Level | None, connection: apsw.Connection) -> None:
        def committing() -> bool:
            self.commits[level] += 1
            return False  # True would turn the commit into a rollback

        connection.set_commit_hook(committing)


@pytest.fixture
def desk(vault: Vault) -> Iterator[Desk]:
    """A running writer's lane."""
    desk = Desk(vault)
    desk.lane.start()
    yield desk
    desk.lane.stop()


@pytest.fixture
def saving(memory: Callable[..., Memory], change: Callable[[], Change]) -> Callable[..., Callable[[Hands], str]]:
    """Make the job that saves a new memory and returns its id."""

    def make(level: Level = Level.PUBLIC, **fields: object) -> Callable[[Hands], str]:
        made = memory(level=level, **fields)

        def run(hands: Hands) -> str:
            hands.writer.add(made, ["term"], change())
            return made.id

        return run

    return make


Saving = Callable[..., Callable[[Hands], str]]


def _broken(run: Callable[[Hands], Any], error: Exception) -> Callable[[Hands], Any]:
    """A job that does its work and then fails."""

    def fail(hands: Hands) -> None:
        run(hands)
        raise error

    return fail


def _raise(error: Exception) -> None:
    raise error


def _ids(vault: Vault, level: Level) -> list[str]:
    return [memory.id for memory in vault.readers()[level].newest(["default"], None, None)]


def test_a_job_alone_has_all_before_it_committed_and_nothing_after(desk: Desk, saving: Saving) -> None:
    """At every level and in every line, though they wait in one queue; it is in no transaction itself."""
    connection = desk.vault.writers()[Level.PUBLIC].connection
    seen: list[tuple[bool, int, int]] = []

    def look(store: Upkeep) -> str:
        seen.append(
            (connection.in_transaction, *(len(_ids(desk.vault, each)) for each in (Level.PUBLIC, Level.INTERNAL)))
        )
        list(store.scrub())
        return "scrubbed"

    free = desk.block()
    for level in (Level.PUBLIC, Level.INTERNAL):
        desk.submit(level, saving(level))
    desk.submit_alone(Level.PUBLIC, look)
    for level in (Level.INTERNAL, Level.PUBLIC):
        desk.submit(level, saving(level), "s-1")
    desk.submit(None, lambda hands: "control")
    free.set()
    outcomes = desk.get(7)
    assert outcomes[3] == "scrubbed" and "control" in outcomes[4:] and seen == [(False, 1, 1)]


def test_a_job_alone_that_fails_fails_alone(desk: Desk, saving: Saving) -> None:
    """A bug or a refusal is its own outcome; the writer goes on."""
    for error in (KeyError("bug"), Refusal("store_locked", "No.", retryable=True)):

        def fail(store: Upkeep, error: Exception = error) -> None:
            raise error

        desk.submit_alone(Level.PUBLIC, fail)
        assert desk.get() == [error]
    desk.submit(Level.PUBLIC, saving())
    assert desk.get() == _ids(desk.vault, Level.PUBLIC) and desk.poison == []


def test_a_job_alone_at_a_level_that_is_not_there_is_refused(desk: Desk) -> None:
    """With what is known of the level; after the disk failed it is told to come back."""
    refusal = Refusal("level_unavailable", "public.db can't be read.")
    desk.vault.unavailable[Level.PUBLIC] = refusal
    desk.submit_alone(Level.PUBLIC, lambda store: list(store.scrub()))
    assert desk.get() == [refusal]
    desk.submit_alone(Level.INTERNAL, lambda store: _raise(apsw.IOError("gone")))
    desk.submit_alone(Level.CONFIDENTIAL, lambda store: list(store.scrub()))
    assert [outcome.code for outcome in desk.get(2)] == ["stopping", "stopping"] and len(desk.poison) == 1


def test_what_is_queued_is_committed_together(desk: Desk, saving: Saving, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the writer is busy jobs gather; each level then has one commit, and each job its own outcome."""
    monkeypatch.setattr("memtrigd.store.writer.ENOUGH", 60.0)
    free = desk.block()
    desk.commits.clear()
    for n, level in enumerate((Level.INTERNAL, Level.PUBLIC) * 8):
        desk.submit(level, saving(level), f"session {n % 10}")
    free.set()
    outcomes = desk.get(17)[1:]
    assert sorted(outcomes) == [f"id-{n:04}" for n in range(1, 17)]
    assert desk.commits == {None: 1, Level.PUBLIC: 1, Level.INTERNAL: 1}
    assert len(_ids(desk.vault, Level.PUBLIC)) == 8


def test_no_job_overtakes_one_of_its_own_line(desk: Desk) -> None:
    """The owner goes up and down the levels, and each act finds what those before it did; sessions may pass by."""
    order: dict[str | None, list[Level | None]] = {None: [], "a": [], "b": []}
    free = desk.block()
    desk.commits.clear()
    for level in (Level.RESTRICTED, Level.PUBLIC, Level.RESTRICTED, Level.PUBLIC):
        for line, shift in ((None, level), ("a", Level.PUBLIC), ("b", Level.RESTRICTED)):
            desk.submit(shift, lambda hands, line=line, level=shift: order[line].append(level), line)
    free.set()
    desk.get(13)
    assert order == {
        None: [Level.RESTRICTED, Level.PUBLIC] * 2,
        "a": [Level.PUBLIC] * 4,
        "b": [Level.RESTRICTED] * 4,
    }
    assert len(desk.batches) == 1 + 4


def test_nobody_passes_a_write_of_the_sessions(desk: Desk) -> None:
    """A raise is on disk before what is written above, whoever writes it, and waits for no earlier write."""
    order: list[tuple[Level | None, str | None]] = []
    free = desk.block()
    for level, line in ((Level.PUBLIC, "a"), (None, None), (Level.INTERNAL, "b"), (None, "c"), (Level.PUBLIC, "a")):
        desk.submit(level, lambda hands, done=(level, line): order.append(done), line)
    free.set()
    desk.get(6)
    assert order == [(None, None), (None, "c"), (Level.PUBLIC, "a"), (Level.PUBLIC, "a"), (Level.INTERNAL, "b")]


def test_a_batch_is_bounded(desk: Desk) -> None:
    """More jobs than fit are committed in several batches, each a few times as large as the last."""
    free = desk.block()
    desk.commits.clear()
    for _ in range(2 * BATCH):
        desk.submit(None, lambda hands: hands.control.set_setting("a", "b"))
    free.set()
    assert len(desk.get(2 * BATCH + 1)) == 2 * BATCH + 1
    sizes = [len(batch) for batch in desk.batches]
    assert sizes[0] == 1 and sizes[1] in (16, 64) and max(sizes) <= BATCH and len(sizes) < 2 * BATCH / 16


def test_a_batch_has_no_more_work_than_is_enough(desk: Desk) -> None:
    """After a slow job the transaction ends, and a job of somebody else's is next, wherever it is to be written."""
    order: list[str] = []

    def slow(name: str) -> Callable[[Hands], None]:
        def run(hands: Hands) -> None:
            time.sleep(1.2 * ENOUGH)
            order.append(name)

        return run

    free = desk.block()
    for _ in range(40):
        desk.submit(Level.PUBLIC, slow("flood"), "f", ("f", "f"))
    desk.submit(Level.INTERNAL, slow("quiet"), "q", ("q", "q"))
    free.set()
    desk.get(42)
    assert {len(batch) for batch in desk.batches} == {1}
    assert order.index("quiet") == 1


def test_an_outcome_is_delivered_only_after_the_commit(vault: Vault, saving: Saving) -> None:
    """When the answer goes out another connection sees the memory already."""
    seen: list[list[str]] = []
    lane = WriterLane(vault, lambda outcomes: seen.append(_ids(vault, Level.PUBLIC)), pytest.fail)
    lane.submit(Level.PUBLIC, saving(), lambda outcome: None)
    lane.start()
    lane.stop()
    assert seen == [["id-0001"]]


def test_a_job_that_raises_leaves_nothing_and_disturbs_nobody(
    transactions: Transactions, vault: Vault, saving: Saving
) -> None:
    """A refusal or a bug comes back as it is to its own job; the others of the transaction are saved."""
    bug, refusal = KeyError("bug"), Refusal("not_found", "No.")
    runs = [saving(), _broken(saving(), bug), saving(), _broken(saving(), refusal), saving()]
    outcomes = transactions.run(Level.PUBLIC, [Job(run, lambda _: None, Level.PUBLIC) for run in runs])
    assert outcomes == ["id-0001", bug, "id-0003", refusal, "id-0005"]
    assert sorted(_ids(vault, Level.PUBLIC)) == ["id-0001", "id-0003", "id-0005"]
    assert vault.readers()[Level.PUBLIC].corpus().documents == 3


def test_a_broken_rule_of_the_tables_is_the_jobs_own_fault(
    transactions: Transactions, vault: Vault, saving: Saving
) -> None:
    """An error of one statement is no failure of the disk: the writer goes on."""
    runs = [saving(key="k"), saving(key="k"), lambda hands: hands.writer.connection.execute("nonsense"), saving()]
    outcomes = transactions.run(Level.PUBLIC, [Job(run, lambda _: None, Level.PUBLIC) for run in runs])
    assert [type(o) for o in outcomes] == [str, apsw.ConstraintError, apsw.SQLError, str]
    assert vault.poison is None
    assert len(_ids(vault, Level.PUBLIC)) == 2


def test_a_job_holds_its_own_level_and_reads_below(transactions: Transactions, saving: Saving) -> None:
    """Nothing above is in its hands, nothing below can be written, and what it wrote itself it sees."""
    transactions.run_now(Level.PUBLIC, saving(Level.PUBLIC, key="low"))

    def look(hands: Hands) -> tuple[object, ...]:
        saving(Level.INTERNAL, key="own")(hands)
        with pytest.raises(LookupError):
            hands.control  # noqa: B018
        below = hands.readers[Level.PUBLIC]
        found = below.active("low", "default"), hands.readers[Level.INTERNAL].active("own", "default")
        return sorted(hands.readers), hasattr(below, "add"), [memory.level for memory in found]

    assert transactions.run_now(Level.INTERNAL, look) == (
        [Level.PUBLIC, Level.INTERNAL],
        False,
        [Level.PUBLIC, Level.INTERNAL],
    )


def test_a_full_disk_is_told_and_got_over(transactions: Transactions, vault: Vault, saving: Saving) -> None:
    """All of the transaction get disk_full, nothing of it is there; with room again the same jobs succeed."""
    transactions.run_now(Level.PUBLIC, saving())
    connection = vault.writers()[Level.PUBLIC].connection
    connection.pragma("max_page_count", connection.pragma("page_count") + 2)
    jobs = [Job(saving(content=content), lambda _: None, Level.PUBLIC) for content in ("small", "x" * 50_000)]
    outcomes = transactions.run(Level.PUBLIC, jobs)
    assert [(o.code, o.retryable) for o in outcomes] == [("disk_full", True)] * 2
    assert _ids(vault, Level.PUBLIC) == ["id-0001"]
    connection.pragma("max_page_count", 1 << 30)
    assert transactions.run(Level.PUBLIC, jobs) == ["id-0002", "id-0003"]


def test_a_file_that_somebody_else_holds_is_told_and_got_over(
    transactions: Transactions, vault: Vault, state: Any, saving: Saving
) -> None:
    """A foreign lock gives store_locked; it spoils neither the other levels nor the next try."""
    vault.writers()[Level.PUBLIC].connection.set_busy_timeout(1)
    other = apsw.Connection(str(state / "public.db"))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Refusal, match=r"holds public\.db") as refused:
        transactions.run_now(Level.PUBLIC, saving())
    assert (refused.value.code, refused.value.retryable) == ("store_locked", True)
    assert transactions.run_now(Level.INTERNAL, saving(Level.INTERNAL))
    other.execute("ROLLBACK")
    other.close()
    assert transactions.run_now(Level.PUBLIC, saving())


@pytest.fixture
def failing_disk(state: Path) -> Iterator[Callable[[Level], None]]:
    """Make writes beyond the present end of a level's log fail with EFBIG, which SQLite reports as an I/O error."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fail(level: Level) -> None:
        size = (state / f"{level.slug}.db-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    yield fail
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_after_an_error_of_the_disk_nothing_is_acknowledged_any_more(
    desk: Desk, failing_disk: Callable[[Level], None], saving: Saving
) -> None:
    """The batch, what is queued and what comes later get a retryable stopping, even when the disk works again."""
    desk.submit(Level.RESTRICTED, saving(Level.RESTRICTED, content="x" * 200_000))
    desk.submit(Level.PUBLIC, saving())
    assert sorted(desk.get(2)) == ["id-0001", "id-0002"]
    free = desk.block()
    desk.submit(Level.PUBLIC, saving())
    desk.submit(Level.INTERNAL, saving(Level.INTERNAL))
    failing_disk(Level.PUBLIC)
    free.set()
    failed = desk.get(3)[1:]
    resource.setrlimit(resource.RLIMIT_FSIZE, resource.getrlimit(resource.RLIMIT_FSIZE)[1:] * 2)
    desk.commits.clear()
    desk.submit(Level.PUBLIC, saving())
    desk.submit(None, lambda hands: pytest.fail("ran"))
    outcomes = failed + desk.get(2)
    assert [(o.code, o.retryable) for o in outcomes] == [("stopping", True)] * 4
    assert [type(error) for error in desk.poison] == [apsw.IOError]
    assert not desk.commits
    assert _ids(desk.vault, Level.PUBLIC) == ["id-0002"] and _ids(desk.vault, Level.INTERNAL) == []


def test_after_an_error_of_the_disk_the_close_writes_nothing(
    state: Path, failing_disk: Callable[[Level], None], saving: Saving
) -> None:
    """The logs are left for the next start, which finds in them all that was acknowledged."""
    with Vault.open(state) as vault:
        transactions = Transactions(vault)
        transactions.run_now(Level.INTERNAL, saving(Level.INTERNAL))
        transactions.run_now(Level.PUBLIC, saving())
        before = (state / "internal.db").read_bytes()
        with pytest.raises(Refusal, match="stopping"):
            failing_disk(Level.PUBLIC)
            transactions.run_now(Level.PUBLIC, saving())
        resource.setrlimit(resource.RLIMIT_FSIZE, resource.getrlimit(resource.RLIMIT_FSIZE)[1:] * 2)
    assert (state / "internal.db").read_bytes() == before
    with Vault.open(state) as vault:
        assert [_ids(vault, level) for level in (Level.PUBLIC, Level.INTERNAL)] == [["id-0002"], ["id-0001"]]


@pytest.mark.parametrize("error", [apsw.IOError, apsw.CantOpenError])
def test_an_error_of_the_disk_in_a_job_poisons(
    transactions: Transactions, vault: Vault, saving: Saving, error: Any
) -> None:
    """It is not the job's own: its transaction is not committed."""
    jobs = [Job(run, lambda _: None, Level.PUBLIC) for run in (saving(), _broken(saving(), error("bad sector")))]
    assert [o.code for o in transactions.run(Level.PUBLIC, jobs)] == ["stopping"] * 2
    assert isinstance(vault.poison, error)
    assert _ids(vault, Level.PUBLIC) == []


def test_damage_below_fails_only_the_job_that_reads_there(
    damage: Callable[[Level], None], used: Path, saving: Saving
) -> None:
    """It is told which file it is; the others of its transaction are saved, and no level is given up."""
    damage(Level.PUBLIC)

    def look(hands: Hands) -> Memory | None:
        return hands.readers[Level.PUBLIC].active("k", "default")

    with Vault.open(used) as vault:
        runs = [saving(Level.INTERNAL), look, saving(Level.INTERNAL)]
        jobs = [Job(run, lambda _: None, Level.INTERNAL) for run in runs]
        first, failed, last = Transactions(vault).run(Level.INTERNAL, jobs)
        assert isinstance(failed, Refusal)
        assert (failed.code, failed.message) == ("level_unavailable", "public.db can't be read (Corrupt).")
        assert {first, last} < set(_ids(vault, Level.INTERNAL))
        assert (vault.poison, vault.unavailable) == (None, {})


def test_damage_of_the_file_itself_costs_the_level_and_no_other(
    damage: Callable[[Level], None], used: Path, saving: Saving
) -> None:
    """The whole transaction is refused, later jobs are not even run, and the daemon goes on."""
    damage(Level.PUBLIC)
    with Vault.open(used) as vault:
        transactions = Transactions(vault)
        jobs = [Job(run, lambda _: None, Level.PUBLIC) for run in (lambda hands: "fine", saving())]
        later = Job(lambda hands: pytest.fail("ran"), lambda _: None, Level.PUBLIC)
        outcomes = transactions.run(Level.PUBLIC, jobs) + transactions.run(Level.PUBLIC, [later])
        assert [o.code for o in outcomes] == ["level_unavailable"] * 3
        assert list(vault.unavailable) == [Level.PUBLIC] and "public.db" in vault.unavailable[Level.PUBLIC].message
        assert vault.poison is None
        assert transactions.run_now(Level.INTERNAL, saving(Level.INTERNAL))


def test_stop_finishes_what_is_queued_and_refuses_what_comes_later(desk: Desk, saving: Saving) -> None:
    """Nothing that was taken is dropped; a job after the stop is answered at once."""
    free = desk.block()
    for _ in range(5):
        desk.submit(Level.PUBLIC, saving())
    stopper = threading.Thread(target=desk.lane.stop)
    stopper.start()
    free.set()
    stopper.join(20)
    assert desk.get(6)[1:] == [f"id-{n:04}" for n in range(1, 6)]
    desk.submit(Level.PUBLIC, saving())
    assert desk.get()[0].code == "stopping"
    desk.lane.stop()
