"""A daemon that is stopped or killed while it goes back to a backup."""

import os
import signal
import time
from collections.abc import Callable
from random import Random

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.crash.conftest import FULL
from tests.talk import agent, dial

pytestmark = pytest.mark.crash

TIMES = 20 if FULL else 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_restore_that_was_answered_is_finished_whenever_the_daemon_ends(
    daemon: Daemon, number: signal.Signals, record_property: Callable[[str, object], None]
) -> None:
    """Told to stop while it begins anew it stops in good order; killed, the next start finishes what was answered."""
    random = Random(number)
    for count in range(TIMES):
        with dial(daemon, "control") as control, agent(daemon) as line:
            line.ask(wire.Save(key="tea", content=f"before {count}"), wire.Saved)
            name = control.ask(wire.BackupNow(), wire.BackedUp).backup.name
            line.ask(wire.Save(key="tea", content=f"after {count}"), wire.Saved)
            control.ask(wire.Restore(name=name), wire.Restored)
        time.sleep(random.uniform(0.0, 0.3))
        os.kill(daemon.pid, number)
        assert daemon.process is not None
        assert daemon.process.wait(30) == (0 if number == signal.SIGTERM else -number)
        daemon.kill()
        daemon.start()
        with agent(daemon) as line:
            assert line.ask(wire.Get(key="tea"), wire.Got).memory.content == f"before {count}"
    record_property(f"crash: {number.name} while a backup is restored", TIMES)
