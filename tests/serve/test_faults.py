"""Faults of our own are logged by kind and place alone, and what runs out is asked for again."""

import asyncio
import contextlib
import resource
import time
from pathlib import Path

from memtrig import wire
from structlog.testing import capture_logs

from memtrigd.serve import faults
from tests.conftest import Daemon
from tests.talk import agent, dial, opened


def test_what_fails_in_the_loop_is_logged_without_its_arguments() -> None:
    """Asyncio itself would print the callback with all that it was given."""

    def fail(said: str) -> None:
        raise ValueError(said)

    async def scene() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(faults.of_loop)
        loop.call_soon(fail, "a secret")
        loop.call_exception_handler({"message": "a secret"})
        await asyncio.sleep(0)

    with capture_logs() as logged:
        asyncio.run(scene())
    assert [entry["kind"] for entry in logged] == ["asyncio", "ValueError"]
    assert "test_faults.py" in str(logged[1]["where"])
    assert "secret" not in str(logged)


def test_without_a_free_descriptor_sessions_are_refused_for_now(daemon: Daemon) -> None:
    """Who is connected is answered; who knocks waits, and comes in when there is room; the log says so in our words."""
    limits = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    with dial(daemon, "control") as control, agent(daemon) as line, contextlib.ExitStack() as stack:
        handed, welcome = opened(control, wire.SessionOpen())
        stack.enter_context(handed)
        control.ask(wire.Ping(), wire.Pong)  # by now its copy of what it handed over is closed
        taken = {int(each.name) for each in Path(f"/proc/{daemon.pid}/fd").iterdir()}
        free = next(number for number in range(1 << 16) if number not in taken)
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (free, limits[1]))
        for order in (wire.SessionOpen(), wire.SessionOpen(resume=welcome.resume)):
            refusal = control.refusal(order)
            assert (refusal.code, refusal.retryable) == ("busy", True)
        assert line.ask(wire.Save(content="still here"), wire.Saved)
        with dial(daemon, "internal") as knocking:
            while "fault" not in daemon.log:
                time.sleep(0.01)
            resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, limits)
            assert knocking.ask(wire.Hello(protocol=wire.PROTOCOL), wire.Welcome)
        opened(control, wire.SessionOpen())[0].close()
    assert '"kind": "OSError"' in daemon.log
    assert "Traceback" not in daemon.log
    assert "accept()" not in daemon.log


def test_a_fault_is_found_in_the_log_by_the_id_that_its_error_names() -> None:
    """Each has its own."""
    with capture_logs() as entries:
        numbers = [faults.record(ValueError("quokka")) for _ in range(2)]
    assert [entry["id"] for entry in entries] == numbers and len(set(numbers)) == 2
