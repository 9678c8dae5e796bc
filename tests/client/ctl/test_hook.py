"""memtrigctl hook as a host starts it: it answers in time or not at all, and never fails."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from memtrig import wire

from tests.client.ctl.conftest import ScriptedDaemon
from tests.conftest import Daemon

Run = Callable[..., subprocess.CompletedProcess[str]]
HOOKS = Callable[..., ScriptedDaemon]
LIMIT = 1.0
"""Seconds that a hook has, from its start to its end."""
EVENT = {"hook_event_name": "UserPromptSubmit", "session_id": "c-1", "prompt": "मला चहा आवडतो"}
PROMPT = json.dumps(EVENT)
OPENED = wire.Adopted(sessions=1, level="INTERNAL")
HEARD = wire.Noted(sessions=1)
GUIDANCE = wire.Guidance(text="Likes masala tea", version="v", at="2026-11-30T08:15:00+00:00", source="SPINE.md")
CONTEXT = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "Likes masala tea"}}
EVENTS = ("session-start", "user-prompt", "session-end")
HEAVY = {
    "msgspec",
    "asyncio",
    "json",
    "argparse",
    "dataclasses",
    "inspect",
    "re",
    "memtrig.wire",
    "memtrig.ctl.parsing",
}


@pytest.fixture
def hooks(tmp_path: Path) -> Iterator[HOOKS]:
    """Make scripted daemons on the hook socket."""
    made: list[ScriptedDaemon] = []

    def make(*script: Any) -> ScriptedDaemon:
        made.append(ScriptedDaemon(tmp_path / "run" / "hook.sock", wire.decode_hook, list(script)))
        return made[-1]

    yield make
    for daemon in made:
        daemon.close()


@pytest.fixture
def quick(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a hook, and hold it to its time; a machine that starts no interpreter at once gets that much more."""

    def run(*words: str, said: Any = PROMPT, **more: Any) -> subprocess.CompletedProcess[str]:
        began = time.monotonic()
        subprocess.run([sys.executable, "-S", "-c", "pass"], check=True)
        bare = time.monotonic() - began
        command = [sys.executable, "-S", "-m", "memtrig.ctl", "hook", *words]
        settings: dict[str, Any] = {"capture_output": True, "env": environment, "timeout": 30}
        given = {} if "stdin" in more else {"input": said if isinstance(said, bytes) else said.encode()}
        began = time.monotonic()
        done = subprocess.run(command, check=False, **settings | given | more)
        took = time.monotonic() - began
        assert done.returncode == 0
        assert took < LIMIT + max(0, 5 * bare - 0.3)
        text = [b"" if each is None else each for each in (done.stdout, done.stderr)]
        return subprocess.CompletedProcess(done.args, 0, *(each.decode() for each in text))

    return run


def test_a_prompt_is_heard_and_answered_with_what_fits_it(quick: Run, hooks: HOOKS) -> None:
    """The host's conversation, the user's words, and a context within a budget, in the shape of the host."""
    daemon = hooks(OPENED, HEARD, GUIDANCE)
    assert json.loads(quick("user-prompt").stdout) == CONTEXT
    assert daemon.heard == [
        wire.HookOpen(conversation="c-1"),
        wire.Heard(text=EVENT["prompt"]),
        wire.GuidanceGet(budget_tokens=500, query=EVENT["prompt"], state_only=True),
    ]


def test_a_start_asks_for_all_and_an_end_only_tells(quick: Run, hooks: HOOKS) -> None:
    """The owner's words come once, at the start of a conversation."""
    daemon = hooks(OPENED, GUIDANCE, HEARD)
    said = json.dumps({"session_id": "c-1", "cursor_version": "3", "hook_event_name": "sessionStart"})
    assert json.loads(quick("session-start", "--budget=900", said=said).stdout) == {"additional_context": GUIDANCE.text}
    assert quick("session-end", said=said).stdout == ""
    assert daemon.heard == [
        wire.HookOpen(conversation="c-1"),
        wire.GuidanceGet(budget_tokens=900),
        wire.HookEnd(conversation="c-1"),
    ]


def test_what_is_refused_takes_nothing_from_the_rest(quick: Run, hooks: HOOKS) -> None:
    """And the reason goes to stderr as a code, without a word of what was said."""
    refused = wire.Error(code="bad_value", message=f"{EVENT['prompt']} is wrong", hint="", retryable=False)
    hooks(refused, refused, GUIDANCE)
    done = quick("user-prompt")
    assert json.loads(done.stdout) == CONTEXT
    assert "bad_value" in done.stderr
    assert "चहा" not in done.stderr


def test_an_answer_in_another_order_is_understood(quick: Run, hooks: HOOKS) -> None:
    """Answers come as they are ready."""
    guidance, opened = wire.frame(wire.Answer(id=3, result=GUIDANCE)), wire.frame(wire.Answer(id=1, result=OPENED))
    hooks(b"", guidance[:9], guidance[9:] + wire.frame(wire.Answer(id=2, result=HEARD)) + opened)
    assert json.loads(quick("user-prompt").stdout) == CONTEXT


@pytest.mark.parametrize("event", EVENTS)
def test_no_daemon_is_no_trouble(quick: Run, event: str) -> None:
    """Nothing is answered, and stderr says why."""
    done = quick(event)
    assert (done.stdout, done.stderr) == ("", "memtrigctl hook: No such file or directory\n")


def test_a_stopped_daemon_is_not_waited_for(quick: Run, environment: dict[str, str]) -> None:
    """BR-028: a daemon that hangs takes connections and bytes, and answers nothing."""
    daemon = Daemon().start()
    try:
        environment["MEMTRIG_HOME"] = str(daemon.home)
        assert quick("session-start").stderr == ""
        os.kill(daemon.pid, signal.SIGSTOP)
        for event in EVENTS:
            done = quick(event)
            assert (done.stdout, done.stderr) == ("", "memtrigctl hook: the daemon does not answer in time\n")
    finally:
        os.kill(daemon.pid, signal.SIGCONT)
        daemon.remove()


def test_a_socket_that_takes_nobody_is_not_waited_for(quick: Run, tmp_path: Path) -> None:
    """A full backlog would let a connect wait for ever."""
    with listening(tmp_path, backlog=0) as (listener, path):
        waiting = []
        while True:
            waiting.append(socket.socket(socket.AF_UNIX))
            waiting[-1].setblocking(False)
            try:
                waiting[-1].connect(path)
            except BlockingIOError:
                break
        assert quick("user-prompt").stdout == ""
        for each in waiting:
            each.close()
        assert listener.fileno() >= 0


@pytest.mark.parametrize(
    "said", [b"\xff\xff\xff\xff", b"\0\0\0\1\xc1", b"\0\0\0\0", b"GET / HTTP/1.1", b"\0\0\0\2\x80\x80"]
)
def test_what_answers_with_nonsense_is_not_believed(quick: Run, hooks: HOOKS, said: bytes) -> None:
    """Nothing of it reaches the host."""
    hooks(said, None, None)
    assert quick("user-prompt").stdout == ""


@pytest.mark.parametrize(
    "said",
    [b"", b"\n", b"null", b"[]", b'"x"', b"{", b"{}}", b"\xff\xfe{}", b"[" * 100_000, b"{'a': 1}", os.urandom(999)],
)
def test_junk_is_answered_with_nothing(quick: Run, hooks: HOOKS, said: bytes) -> None:
    """The daemon is not even asked."""
    daemon = hooks()
    done = quick("user-prompt", said=said)
    assert (done.stdout, done.stderr) == ("", "memtrigctl hook: stdin holds no JSON object\n")
    assert daemon.heard == []


def test_ten_megabytes_are_no_trouble(quick: Run, hooks: HOOKS) -> None:
    """What is longer than anybody says is not heard; it is answered by its beginning, if there is still time."""
    daemon = hooks(OPENED, GUIDANCE)
    done = quick("user-prompt", said=json.dumps(EVENT | {"prompt": "tea " * (10 << 18)}))
    assert done.stdout in ("", json.dumps(CONTEXT, separators=(",", ":")) + "\n")
    assert wire.Heard not in [type(each) for each in daemon.heard]
    assert done.stderr


def test_what_is_too_long_to_be_heard_is_still_answered(quick: Run, hooks: HOOKS) -> None:
    """The daemon takes a MiB; memories are looked up by the beginning."""
    daemon = hooks(OPENED, GUIDANCE)
    done = quick("user-prompt", said=json.dumps(EVENT | {"prompt": "tea " * ((1 << 18) + 1)}))
    assert json.loads(done.stdout) == CONTEXT
    assert "too long to be heard" in done.stderr
    assert [type(each) for each in daemon.heard] == [wire.HookOpen, wire.GuidanceGet]


def test_no_more_is_read_than_fits(quick: Run) -> None:
    """Input without end is given up."""
    with Path("/dev/zero").open("rb") as endless:
        assert quick("user-prompt", stdin=endless).stdout == ""


def test_what_would_take_too_long_to_take_apart_is_not_begun(quick: Run) -> None:
    """Millions of small parts: no timer interrupts that."""
    assert "too much" in quick("user-prompt", said=b'{"a":[' + b"[]," * (5 << 20) + b"1]}").stderr
    assert "too much" in quick("user-prompt", said=b'{"a":"' + b"x" * (5 << 20) + b'"}').stderr


def test_what_answers_without_end_is_given_up(quick: Run, hooks: HOOKS) -> None:
    """It may fill no memory."""
    hooks(b"\xff" * (64 << 20), None, None)
    assert "too much" in quick("user-prompt").stderr


def test_what_a_daemon_says_does_not_steer_a_terminal(quick: Run, hooks: HOOKS) -> None:
    """A code is shown without escapes, on one line."""
    hooks(*[wire.Error(code="\x1b[31mred\nred", message="", hint="", retryable=False)] * 3)
    stderr = quick("user-prompt").stderr
    assert "\x1b" not in stderr and stderr.count("\n") == 3


@pytest.mark.parametrize(("said", "answered"), [(b"", False), (b'{"prompt": "cut', False), (PROMPT.encode(), True)])
def test_an_input_that_never_closes_is_taken_as_it_stands(
    quick: Run, hooks: HOOKS, said: bytes, answered: bool
) -> None:
    """What is whole by then counts."""
    hooks(OPENED, HEARD, GUIDANCE)
    ours, theirs = os.pipe()
    os.write(theirs, said)
    try:
        assert bool(quick("user-prompt", stdin=ours).stdout) is answered
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_stream_is_no_trouble(quick: Run, hooks: HOOKS, closed: int) -> None:
    """Neither of the three."""
    hooks(OPENED, HEARD, GUIDANCE)
    quick("user-prompt", preexec_fn=lambda: os.close(closed), **({"stdin": subprocess.DEVNULL} if closed == 0 else {}))


def test_a_host_that_reads_nothing_is_no_trouble(quick: Run, hooks: HOOKS) -> None:
    """Its pipe is broken, or full for ever: the hook ends in time."""
    hooks(OPENED, HEARD, wire.Guidance(text="x" * (1 << 20), version="", at="", source=""))
    ours, theirs = os.pipe()
    try:
        quick("user-prompt", capture_output=False, stdout=theirs)
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize(
    "words", [[], ["nonsense"], ["user-prompt", "--hosst", "x"], ["user-prompt", "--host", "emacs"], ["--budget=many"]]
)
def test_a_wrong_command_line_is_no_veto(quick: Run, words: list[str]) -> None:
    """Exit code 2 means to many a host that the user's prompt must not pass."""
    done = quick(*words)
    assert done.stdout == ""
    assert done.stderr


def test_help_is_given(ctl: Run) -> None:
    """As of any verb."""
    assert "--budget" in ctl("hook", "user-prompt", "--help").stdout


def test_global_options_may_stand_before(ctl: Run, hooks: HOOKS, tmp_path: Path, environment: dict[str, str]) -> None:
    """The grammar leads to the same hook."""
    hooks(OPENED, HEARD, GUIDANCE)
    del environment["MEMTRIG_HOME"]
    done = ctl("--home", str(tmp_path), "hook", "user-prompt", "--host", "plain", input=PROMPT)
    assert done.stdout == "Likes masala tea\n"


def test_the_start_stays_light(hooks: HOOKS, environment: dict[str, str]) -> None:
    """Nothing is imported that the user would have to wait for."""
    hooks(OPENED, HEARD, GUIDANCE)
    script = (
        "import sys; from memtrig.ctl import main; main(['hook', 'user-prompt']); sys.exit(chr(10).join(sys.modules))"
    )
    command = [sys.executable, "-S", "-c", script]
    done = subprocess.run(command, env=environment, input=PROMPT, capture_output=True, text=True, check=False)
    assert not HEAVY & set(done.stderr.splitlines())


@contextmanager
def listening(home: Path, backlog: int) -> Iterator[tuple[socket.socket, str]]:
    """A hook socket at which nobody accepts."""
    path = home / "run" / "hook.sock"
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(backlog)
        yield listener, str(path)
