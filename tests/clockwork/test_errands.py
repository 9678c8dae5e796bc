"""The owner's command for due promises: once for each, the text on standard input and only if allowed."""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import memtrig
import pytest
from memtrig import wire

from memtrigd.clockwork import errands
from memtrigd.clockwork.errands import TOO_LONG, UNSAID, Errands, Orders, run_command
from memtrigd.domain.levels import Level
from memtrigd.store.queueing import Done, Outcome
from memtrigd.store.vault import Vault
from tests.conftest import Daemon
from tests.serve.harness import WritesAtOnce

ORDERS = Orders(("tell", "me"), Level.INTERNAL.and_below(), say_text=True)


class Desk:
    """Errands on a store, the promises that are due, and what was run."""

    def __init__(self, vault: Vault) -> None:
        self.due: Sequence[wire.Notice] | Exception = []
        self.ran: list[tuple[Sequence[str], str]] = []
        self.fails: Callable[[], int] = lambda: 0
        self._vault = vault

    def tick(self, orders: Orders = ORDERS, times: int = 1, cut: Sequence[None] = ()) -> None:
        """Look so often, as a daemon that was just started; wait for what runs. ``cut``: control.db takes nothing."""

        async def look() -> None:
            lane = WritesAtOnce(self._vault, deliver, poisoned)
            lane.cut = cut
            fresh = Errands(orders, lambda done: done(self.due), self._vault.control_reader(), lane, self._run)
            for _ in range(times):
                fresh.tick()
                await asyncio.sleep(0.02)

        asyncio.run(look())

    async def _run(self, command: Sequence[str], text: str) -> int:
        self.ran.append((command, text))
        return self.fails()


def deliver(outcomes: list[tuple[Done, Outcome]]) -> None:
    """Hand outcomes on at once."""
    for done, outcome in outcomes:
        done(outcome)


def poisoned(error: Exception) -> None:
    """The disk does not fail here."""
    raise AssertionError from error


def due(name: str, level: Level = Level.INTERNAL) -> wire.Notice:
    """A promise that is due."""
    return wire.Notice(about="promise_due", level=level.name, at="2026-11-30", id=name, text=f"the text of {name}")


@pytest.fixture(name="desk")
def _desk(tmp_path: Path) -> Iterator[Desk]:
    """An empty store."""
    with Vault.open(tmp_path / "state") as vault:
        yield Desk(vault)


def test_each_promise_runs_the_command_once_also_over_a_restart(desk: Desk) -> None:
    """However often it is looked at while it is due."""
    desk.due = [due("p1"), due("p2")]
    desk.tick(times=3)
    assert desk.ran == [(("tell", "me"), "the text of p1"), (("tell", "me"), "the text of p2")]
    desk.due = [*desk.due, due("p3")]
    desk.tick(times=3)
    assert [text for _, text in desk.ran[2:]] == ["the text of p3"]


def test_nothing_runs_unless_the_owner_named_a_command(desk: Desk) -> None:
    """By default there is none, and nothing is noted: once there is one it is run."""
    desk.due = [due("p1")]
    desk.tick(Orders())
    assert desk.ran == []
    desk.tick()
    assert len(desk.ran) == 1


def test_promises_of_higher_levels_run_nothing(desk: Desk) -> None:
    """Not even a command without the text: that it runs would tell of them."""
    desk.due = [due("secret", Level.CONFIDENTIAL), due("p", Level.PUBLIC)]
    desk.tick()
    assert [text for _, text in desk.ran] == ["the text of p"]


def test_the_text_is_said_only_if_the_owner_allowed_it(desk: Desk) -> None:
    """Else the command learns that something is due."""
    desk.due = [due("p")]
    desk.tick(Orders(ORDERS.command, ORDERS.levels))
    assert desk.ran == [(("tell", "me"), UNSAID)]


def test_a_command_that_fails_stops_no_other_and_is_not_run_again(
    desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is logged by a code, without the text."""
    desk.due = [due("p1"), due("p2")]
    desk.fails = lambda: 3
    desk.tick(times=2)
    assert len(desk.ran) == 2

    def missing() -> int:
        raise FileNotFoundError

    desk.due, desk.fails = [due("p3"), due("p4")], missing
    desk.tick(times=2)
    assert len(desk.ran) == 4
    said = "".join(capfd.readouterr())
    assert "command_failed" in said and "the text of" not in said


def test_a_level_that_can_not_be_read_is_looked_at_again(desk: Desk) -> None:
    """The next tick tries anew."""
    desk.due = OSError()
    desk.tick()
    desk.due = [due("p")]
    desk.tick()
    assert len(desk.ran) == 1


def test_what_can_not_be_noted_runs_nothing_yet(desk: Desk) -> None:
    """Else it would be run again and again; once it can be noted it is run."""
    desk.due = [due("p")]
    desk.tick(cut=[None])
    assert desk.ran == []
    desk.tick()
    assert len(desk.ran) == 1


def told(program: str, text: str = "text", **environ: str) -> int:
    """Run a Python program as the daemon runs a command; returns the exit code."""
    return asyncio.run(run_command([sys.executable, "-c", program], text, environ))


def test_a_command_gets_the_text_on_standard_input_and_little_else(tmp_path: Path) -> None:
    """No argument has it, and of the environment only what it takes to reach the desktop."""
    report = tmp_path / "report"
    program = f"import sys, os, json; out = open({str(report)!r}, 'w')\n"
    program += "out.write(json.dumps([sys.stdin.read(), sys.argv, sorted(os.environ)]))"
    assert told(program, "浇花 🌱", PATH="/bin", DISPLAY=":0", MEMTRIG_HOME="/x", SECRET="s") == 0
    text, arguments, environ = json.loads(report.read_text())
    assert (text, arguments) == ("浇花 🌱", ["-c"])
    assert set(environ) - {"LC_CTYPE"} == {"PATH", "DISPLAY"}


def test_a_command_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that it started; one that does not read its input is no trouble."""
    monkeypatch.setattr(errands, "PATIENCE", 0.3)
    began = time.monotonic()
    assert told("import time; time.sleep(60)") == TOO_LONG
    assert time.monotonic() - began < 10
    assert told("raise SystemExit(7)", "x" * 1_000_000) == 7


def test_a_daemon_runs_it_for_a_promise_that_is_due(daemon: Daemon) -> None:
    """From the configuration, at the start's first look or a minute later; nothing else of the promise is anywhere."""
    report = daemon.home / "report"
    script = daemon.home / "tell"
    script.write_text(f"#!/bin/sh\ncat >> {report}\n")
    script.chmod(0o700)
    config = daemon.home / "config" / "memtrigd.toml"
    with memtrig.connect("internal", home=str(daemon.home)) as memory:
        memory.promises.add("water the plants", deadline="2020-01-01")
    said: dict[str, Any] = {"command": [str(script)], "say_text": True}
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in said.items())
    config.write_text(f"[owner]\nseat_belt = false\n[notify]\n{lines}\n")
    for _ in range(2):
        daemon.restart()
        until = time.monotonic() + 5
        while not report.exists() and time.monotonic() < until:
            time.sleep(0.05)
    assert report.read_text() == "water the plants"
    assert "water" not in daemon.log
