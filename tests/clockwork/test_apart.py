"""Work done apart: a process of its own that tells how far it is, ends when it is told to, and with the daemon."""

import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from memtrig import wire

from memtrigd.clockwork.apart import COMMAND, Apart, Verifying
from memtrigd.clockwork.pipe import Progress, send
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store.vault import Vault
from tests.conftest import Daemon
from tests.talk import dial

SLEEPS = (sys.executable, "-c", "import time; time.sleep(60)")
WITHIN = 15
"""Seconds for what takes a fraction of one on an idle machine."""


@pytest.fixture(name="state")
def _state(tmp_path: Path) -> Path:
    """An empty store."""
    Vault.open(tmp_path / "state").close()
    return tmp_path / "state"


def test_it_tells_how_far_it_is_and_what_it_came_to(state: Path) -> None:
    """In the order of the levels; the outcome has its type."""
    heard: list[Progress] = []
    audited = Apart().run(Verifying(str(state), list(Level)), heard.append, wire.Audited)
    assert [each.problems for each in audited.audits] == [[]] * 4
    assert list(dict.fromkeys(each.level for each in heard)) == list(Level)
    assert {"structure", "journal"} <= {each.what for each in heard}


def test_a_refusal_comes_back_as_one(tmp_path: Path) -> None:
    """There is no store: the code, the sentence and the hint are those of the refusal over there."""
    with pytest.raises(Refusal) as refused:
        Apart().run(Verifying(str(tmp_path), []), print, wire.Audited)
    assert refused.value.code == "level_unavailable"


@pytest.mark.parametrize("command", [(sys.executable, "-c", "pass"), (sys.executable, "-c", "print('no message')")])
def test_a_process_that_breaks_off_is_a_fault(state: Path, command: tuple[str, ...]) -> None:
    """Nobody waits for an outcome that will not come, and nobody takes it for one."""
    with pytest.raises(RuntimeError):
        Apart(command).run(Verifying(str(state), []), print, wire.Audited)


def test_work_can_be_ended_from_another_thread() -> None:
    """At once, and for good: what was not begun yet is not begun any more."""
    apart, began = Apart(SLEEPS), time.monotonic()
    threading.Timer(0.2, apart.end).start()
    for _ in range(2):
        with pytest.raises(Refusal) as refused:
            apart.run(Verifying("", []), print, wire.Audited)
        assert refused.value.code == "stopping"
    assert time.monotonic() - began < WITHIN


def test_it_does_not_outlive_the_daemon(state: Path) -> None:
    """Whoever started it is gone with its end of the pipe: it ends in the middle of what it does."""
    with closing(apsw.Connection(str(state / "control.db"))) as connection:
        connection.pragma("locking_mode", "exclusive")
        connection.execute("BEGIN IMMEDIATE; COMMIT")  # whoever reads now waits for this connection
        process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        assert process.stdin is not None
        send(process.stdin, Verifying(str(state), [Level.PUBLIC]))
        process.stdin.close()
        assert process.wait(WITHIN) == 1


@pytest.mark.slow
def test_it_ends_with_whoever_asked_and_there_is_one_at_a_time(daemon: Daemon) -> None:
    """A second asker is told so; when the first hangs up no copy is left, and the second has their turn."""
    with dial(daemon, "control") as second:
        with dial(daemon, "control") as first:
            first.send(wire.Prove(level="PUBLIC", progress=True))
            notice = first.answer().notice
            assert isinstance(notice, wire.Notice)
            assert (notice.about, notice.level) == ("progress", "PUBLIC")
            assert second.refusal(wire.AuditVerify()).code == "busy"
        until = time.monotonic() + WITHIN
        while not isinstance((answer := second.exchange(wire.AuditVerify())).result, wire.Audited):
            assert time.monotonic() < until, answer
    assert not (daemon.home / "state" / "proof").exists()
