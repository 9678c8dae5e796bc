"""Listen: the connection stays, and each notice is a line at the moment at which it comes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from memtrig import wire

MOMENT = "2026-11-30T08:15:00+00:00"
WELCOME = wire.Welcome(session="s-1", resume="t", level="INTERNAL", ceiling="INTERNAL", protocol=1, server="0.1.0")


def frames(*messages: wire.Subscribed | wire.Notice, answers: int = 1) -> bytes:
    """Write what the daemon sends at a subscription; its answer has the number of the question."""
    return b"".join(
        wire.frame(
            wire.Answer(id=0, notice=each) if isinstance(each, wire.Notice) else wire.Answer(id=answers, result=each)
        )
        for each in messages
    )


def notice(about: str = "promise_due", **fields: Any) -> wire.Notice:
    """Make a notice."""
    return wire.Notice(**{"about": about, "level": "INTERNAL", "at": MOMENT, "text": "आजीला फोन", **fields})


@pytest.fixture
def listen(environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start listeners in pipes."""
    made: list[subprocess.Popen[str]] = []

    def start(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-S", "-m", "memtrig.ctl", *words]
        pipe = subprocess.PIPE
        made.append(
            subprocess.Popen(command, stdout=pipe, stderr=pipe, encoding="utf-8", env=environment, process_group=0)
        )
        return made[-1]

    yield start
    for each in made:
        each.kill()
        each.communicate()


def line_of(listener: subprocess.Popen[str]) -> str:
    """Read a line, which must have been flushed."""
    assert listener.stdout is not None
    return listener.stdout.readline()


def test_each_notice_is_a_document_of_one_line(control: Any, listen: Any) -> None:
    """It is there before the next one comes, also what came before the answer; Ctrl-C ends it with 0."""
    sent = frames(notice("memory_expiring", id="m-1", text=None), wire.Subscribed(to=["promise_due"]), notice(count=2))
    daemon = control(sent)
    listener = listen("listen", "promise_due", "--json")
    assert json.loads(line_of(listener)) == {
        "about": "memory_expiring",
        "level": "INTERNAL",
        "at": MOMENT,
        "id": "m-1",
        "text": None,
        "count": 1,
    }
    second = json.loads(line_of(listener))
    assert (second["about"], second["count"], second["text"]) == ("promise_due", 2, "आजीला फोन")
    assert daemon.heard == [wire.Subscribe(to=["promise_due"])]
    os.kill(listener.pid, signal.SIGINT)
    assert listener.communicate(timeout=10) == ("", "")
    assert listener.returncode == 0


def test_people_get_a_line_each_and_every_event_unless_they_chose(control: Any, listen: Any) -> None:
    """In a pipe there is nothing but the notices."""
    daemon = control(frames(wire.Subscribed(to=["promise_due"]), notice(count=3, id="p-1")))
    line = line_of(listen("listen"))
    assert line.split()[-6:] == ["promise_due", "INTERNAL", "×3", "p-1", "आजीला", "फोन"]
    assert daemon.heard == [wire.Subscribe(to=["promise_due", "memory_expiring", "proposal_waiting"])]


def test_an_agent_listens_in_its_session(internal: Any, listen: Any) -> None:
    """The hello comes first, and the answer to it is no notice."""
    daemon = internal(WELCOME, frames(wire.Subscribed(to=["promise_due"]), notice(), answers=2))
    assert "promise_due" in line_of(listen("listen", "--as", "internal:bot"))
    assert [type(each) for each in daemon.heard] == [wire.Hello, wire.Subscribe]


def test_a_terminal_says_what_is_listened_for(control: Any, terminal: Any) -> None:
    """And Ctrl-C is the usual end."""
    control(frames(wire.Subscribed(to=["promise_due"])))
    screen = terminal("listen", "promise_due")
    screen.until("Listening for promise_due; Ctrl-C ends it.")
    screen.press("\x03")
    assert screen.end() == 0


@pytest.mark.parametrize("said", [None, frames(wire.Subscribed(to=["promise_due"])) + b"\xff\xff\xff\xff"])
def test_a_daemon_that_goes_away_or_talks_nonsense_ends_it(control: Any, ctl: Any, said: bytes | None) -> None:
    """A listener that hears nothing any more does not pretend to."""
    control(said)
    done = ctl("listen", "promise_due", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"]["code"] in ("connection_lost", "bad_frame")


def test_a_refusal_is_told(control: Any, ctl: Any) -> None:
    """An event that the daemon does not know."""
    control(wire.Error(code="bad_value", message="There is no event 'rain'.", hint="There are three."))
    done = ctl("listen", "rain")
    assert (done.returncode, done.stdout) == (1, "")
    assert "There are three." in done.stderr
