"""The daemon as a process: it says when it is ready, and a fault in one place is none in another."""

import asyncio
import os
import select
import subprocess
import sys
import time

from structlog.testing import capture_logs

from memtrigd import threads
from tests.conftest import Daemon


def test_ready_is_said_at_once_also_into_a_pipe() -> None:
    """A script that waits for the message is not kept waiting by a buffer."""
    passive = Daemon()
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "memtrigd", "--home", str(passive.home)]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said, _, _ = select.select([process.stdout], [], [], 10)
        process.terminate()
    passive.remove()
    assert said


def test_who_fails_to_take_an_outcome_keeps_it_from_nobody_else() -> None:
    """The others of the batch get theirs; the log has the kind and the place, and nothing that was said."""
    told: list[str] = []

    def fail(outcome: str) -> None:
        raise ValueError(outcome)

    async def tell() -> None:
        threads.Outcomes(asyncio.get_running_loop()).take([(fail, "a secret"), (told.append, "an answer")])
        while not told:
            await asyncio.sleep(0)

    with capture_logs() as logged:
        asyncio.run(tell())
    assert told == ["an answer"]
    assert [(entry["event"], entry["kind"]) for entry in logged] == [("fault", "ValueError")]
    assert "test_daemon.py" in str(logged)
    assert "secret" not in str(logged)


def test_a_long_batch_of_outcomes_lets_the_loop_look_who_else_is_there() -> None:
    """They are told in slices, in their order, and a batch that comes meanwhile is told behind them."""
    told: list[int] = []
    turns = 0

    def slow(outcome: int) -> None:
        time.sleep(0.001)
        told.append(outcome)

    async def tell() -> None:
        nonlocal turns
        outcomes = threads.Outcomes(asyncio.get_running_loop())
        outcomes.take([(slow, n) for n in range(5)])
        outcomes.take([(slow, n) for n in range(5, 8)])
        while len(told) < 8:
            turns += 1
            await asyncio.sleep(0)

    asyncio.run(tell())
    assert told == list(range(8)) and turns >= 5
