"""SIGKILL at any moment, and at chosen system calls, while clients write and try again."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from threading import Thread

import memtrig
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.crash.conftest import FULL
from tests.crash.ledger import Crowd, wrong_with
from tests.crash.tracing import injected
from tests.talk import dial

pytestmark = pytest.mark.crash

KILLS = 150 if FULL else 6
CALLS = ("pwrite64", "fdatasync", "fsync", "ftruncate", "rename", "unlink")
AT = tuple(range(1, 14)) if FULL else (1, 4)
"""At which of the calls it is killed, counted from when it is at work."""
COMES_WITHIN = 3.0
"""Seconds in which so many calls come, or this time none is killed at; the first one comes for certain."""


@contextmanager
def crowded(daemon: Daemon, size: int) -> Iterator[Crowd]:
    """Clients that write meanwhile; afterwards all that was answered is there, once."""
    crowd = Crowd(daemon, size)
    yield crowd
    if daemon.process is None:
        daemon.start()
    crowd.finish()
    assert daemon.stop() == 0
    assert wrong_with(daemon.home, crowd) == []
    assert crowd.answered > 0


def test_what_was_answered_survives_any_number_of_kills(
    daemon: Daemon, record_property: Callable[[str, object], None]
) -> None:
    """Six clients at three levels, a daemon killed again and again: nothing is lost, nothing there twice."""
    random = Random(1)
    with crowded(daemon, 6) as crowd:
        for _ in range(KILLS):
            if random.random() < 0.5:
                crowd.go_on()
            time.sleep(random.uniform(0.0, 0.6))
            daemon.kill()
            daemon.start()
    record_property("crash: SIGKILLs of a daemon under load", KILLS)
    record_property("crash: writes answered under kills", crowd.answered)


@pytest.mark.parametrize("call", CALLS)
def test_what_was_answered_survives_a_kill_at_a_system_call(
    daemon: Daemon, call: str, record_property: Callable[[str, object], None]
) -> None:
    """While clients write and the owner backs up and has a file written anew."""
    hit = 0
    with crowded(daemon, 2) as crowd:
        for count in AT:
            with injected(daemon.pid, call, f"signal=KILL:when={count}"):
                busy = Thread(target=upkeep, args=(daemon,), daemon=True)
                busy.start()
                hit += died(daemon, COMES_WITHIN if count > 1 else 10 * COMES_WITHIN)
            daemon.kill()
            busy.join()
            daemon.start()
    assert hit
    record_property(f"crash: SIGKILLs at {call}", hit)
    record_property("crash: SIGKILLs at a system call", hit)
    record_property("crash: writes answered under kills", crowd.answered)


def died(daemon: Daemon, within: float) -> bool:
    """Wait so many seconds for the daemon to be killed by somebody else; tell whether it was."""
    assert daemon.process is not None
    deadline = time.monotonic() + within
    while daemon.process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    return daemon.process.poll() is not None


def upkeep(daemon: Daemon) -> None:
    """What the owner has done meanwhile, as far as it comes."""
    with ExitStack() as stack:
        try:
            control = stack.enter_context(dial(daemon, "control"))
            for request in (wire.BackupNow(level="internal"), wire.Act(request=wire.Vacuum(), level="internal")):
                control.exchange(request)
        except (OSError, EOFError, memtrig.MemtrigError):
            pass
