"""A disk that fails: after an error nothing is acknowledged any more; one that is full is told and got over."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from memtrig import wire

from memtrigd.daemon import DISK_FAILED
from tests.conftest import Daemon
from tests.crash.ledger import Crowd, wrong_with
from tests.crash.tracing import injected
from tests.talk import agent

pytestmark = pytest.mark.crash


class FailingDaemon(Daemon):
    """A memtrigd whose disk fails on command."""

    program = "tests.crash.failing"
    forks = False

    @contextmanager
    def fault(self, call: str, fault: str) -> Iterator[None]:
        """Let writes or syncs fail meanwhile."""
        said = self.home / "fault"
        said.with_suffix(".new").write_text(f"{call} {fault}")
        said.with_suffix(".new").rename(said)
        try:
            yield
        finally:
            said.unlink()


class TracedDaemon(Daemon):
    """A memtrigd whose system calls are made to fail."""

    forks = False

    @contextmanager
    def fault(self, call: str, fault: str) -> Iterator[None]:
        """Let writes or syncs fail meanwhile."""
        with injected(self.pid, call, fault):
            yield


Failing = FailingDaemon | TracedDaemon


@pytest.fixture(name="failing", params=[FailingDaemon, TracedDaemon], ids=["in SQLite's VFS", "in the system call"])
def _failing(request: pytest.FixtureRequest) -> Iterator[Failing]:
    """A running daemon whose disk can be made to fail."""
    daemon = request.param()
    try:
        yield daemon.start()
    finally:
        daemon.remove()


@pytest.mark.parametrize(("call", "fault"), [("fdatasync", "error=EIO"), ("pwrite64", "error=EIO")])
def test_after_an_error_the_daemon_ends_loudly_and_a_start_recovers(failing: Failing, call: str, fault: str) -> None:
    """Nobody is told that what failed was written; clients that wait for the next daemon get it written, once."""
    crowd = Crowd(failing, 2)
    while crowd.answered < 20:
        time.sleep(0.01)
    assert failing.process is not None
    with failing.fault(call, fault):
        assert failing.process.wait(20) == DISK_FAILED
    assert '"event": "disk_failed"' in failing.log
    failing.kill()
    answered = crowd.answered
    failing.start()
    while crowd.answered < answered + 20:
        time.sleep(0.01)
    crowd.finish()
    assert failing.stop() == 0
    assert wrong_with(failing.home, crowd) == []


def test_a_full_disk_is_told_and_passes_by_itself(failing: Failing) -> None:
    """Reads go on; what was refused is not there; with room again the same daemon writes it."""
    crowd = Crowd(failing, 2)
    with agent(failing) as line:
        line.ask(wire.Save(key="tea", content="no sugar"), wire.Saved)
        with failing.fault("pwrite64", "error=ENOSPC"):
            refused = line.refusal(wire.Save(key="tea", content="two spoons"))
            assert (refused.code, refused.retryable) == ("disk_full", True)
            assert line.ask(wire.Get(key="tea"), wire.Got).memory.content == "no sugar"
            answered = crowd.answered
            time.sleep(0.5)
            assert crowd.answered <= answered + len(crowd.clients)
        line.ask(wire.Save(key="tea", content="two spoons"), wire.Saved)
        assert line.ask(wire.Get(key="tea"), wire.Got).memory.content == "two spoons"
    crowd.finish()
    assert failing.stop() == 0
    assert wrong_with(failing.home, crowd) == []
