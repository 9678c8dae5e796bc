"""The lane of reads."""

import threading
from collections.abc import Callable, Iterator

import apsw
import pytest

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store import lanes
from memtrigd.store.lanes import ReadLane
from memtrigd.store.queueing import Done, Outcome
from memtrigd.store.vault import Vault

Batches = list[list[Outcome]]


@pytest.fixture
def batches() -> Batches:
    """The outcomes as they were delivered."""
    return []


@pytest.fixture
def lane(vault: Vault, batches: Batches) -> Iterator[ReadLane]:
    """A lane of reads that was not started."""

    def deliver(outcomes: list[tuple[Done, Outcome]]) -> None:
        batches.append([outcome for _, outcome in outcomes])

    yield ReadLane("readers", vault.readers, deliver)


def _nobody(outcome: Outcome) -> None:
    """Whom the test does not ask."""


def test_an_outcome_does_not_wait_for_the_next_job(
    lane: ReadLane, batches: Batches, save: Callable[..., Memory]
) -> None:
    """Jobs that were queued together are done in their order, off the caller's thread, and each is told at once."""
    row = save(key="k")
    told: list[Batches] = []
    lane.submit(lambda handles: handles[Level.INTERNAL].active("k", "default"), _nobody)
    lane.submit(lambda handles: told.append(list(batches)), _nobody)
    lane.submit(lambda handles: threading.current_thread().name, _nobody)
    lane.start()
    lane.stop()
    assert told == [[[row]]]
    assert batches == [[row], [None], ["readers"]]


def test_an_error_is_the_outcome_of_its_own_job(lane: ReadLane, batches: Batches) -> None:
    """Bugs and refusals come back as they are, and the lane goes on."""
    errors = [KeyError("bug"), Refusal("not_found", "No."), apsw.SQLError("x")]

    def failing(error: Exception) -> Callable[[object], None]:
        def fail(handles: object) -> None:
            raise error

        return fail

    for error in errors:
        lane.submit(failing(error), _nobody)
    lane.submit(lambda handles: "fine", _nobody)
    lane.start()
    lane.stop()
    assert [outcome for (outcome,) in batches] == [*errors, "fine"]


def test_after_the_stop_a_job_is_answered_at_once(lane: ReadLane, batches: Batches) -> None:
    """It gets stopping, in the caller's own thread, and is not run."""
    lane.start()
    lane.stop()
    lane.submit(lambda handles: pytest.fail("ran"), _nobody)
    assert batches[0][0].code == "stopping"


def test_a_stop_does_not_work_off_a_long_queue(
    lane: ReadLane, batches: Batches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads that have not begun when the grace is over are answered stopping: they can be asked again."""
    monkeypatch.setattr(lanes, "GRACE", -1.0)
    begun, go_on = threading.Event(), threading.Event()

    def slow(handles: object) -> str:
        begun.set()
        go_on.wait(10)
        return "slow"

    lane.submit(slow, _nobody)
    lane.submit(lambda handles: pytest.fail("ran"), _nobody)
    lane.start()
    assert begun.wait(10)
    threading.Timer(0.05, go_on.set).start()
    lane.stop()
    assert batches[0] == ["slow"]
    assert batches[1][0].code == "stopping"
