"""memtrigctl as a process: its exit codes, its streams, and what its start costs."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from memtrig import wire

Run = Callable[..., subprocess.CompletedProcess[str]]
PONG = wire.Pong(server="0.1.0", time="2026-11-30T08:15:00+00:00")
HEAVY = {
    "msgspec",
    "typing",
    "asyncio",
    "json",
    "argparse",
    "dataclasses",
    "pathlib",
    "inspect",
    "memtrig.wire",
    "rich",
}


def loaded(verb: str, code: int, environment: dict[str, str]) -> set[str]:
    """Run a verb in a fresh interpreter and list the modules that it has at the end."""
    run = f"import sys; from memtrig.ctl import main; assert main([{verb!r}]) == {code}"
    script = run + "; sys.exit(chr(10).join(sys.modules))"
    command = [sys.executable, "-S", "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return set(done.stderr.splitlines())


@pytest.mark.parametrize("code", [0, 3])
def test_the_start_stays_light(control: Any, environment: dict[str, str], code: int) -> None:
    """Nothing that takes long to import is imported, whether or not a daemon answers; only the verb's own module is."""
    if code == 0:
        control(PONG)
    modules = loaded("ping", code, environment)
    assert {name for name in modules if name.startswith("memtrig.ctl.verbs.")} == {"memtrig.ctl.verbs.ping"}
    assert not HEAVY & modules


@pytest.mark.parametrize("word", [b"\xff", b"caf\xe9", b"\xed\xa0\x80"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_arguments_that_are_not_utf8_are_a_typed_error(ctl: Run, word: bytes, place: int) -> None:
    """BR-077: bytes that are no text are refused wherever they stand, without a traceback."""
    words: list[str | bytes] = ["save", "key", "text"]
    words[place] = word
    done = ctl("--json", *words)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "bad_value"
    assert ctl(*words).stderr.startswith(f"memtrigctl: Argument {place + 1} is not UTF-8.")


def test_text_comes_from_standard_input(ctl: Run, control: Any) -> None:
    """``-`` reads it, without the line end that closes it; what is not UTF-8 is refused before anything is sent."""
    daemon = control(wire.Saved(id="m", key="k", level="INTERNAL", status="active", outcome="new"))
    done = ctl("save", "k", "-", input="पहिली ओळ\n第二行\n")
    assert done.returncode == 0, done.stderr
    assert daemon.heard[0].request.content == "पहिली ओळ\n第二行"
    assert ctl("save", "k", "-", input=b"\xff", encoding=None).returncode == 2
    assert len(daemon.heard) == 1


def test_input_without_end_is_refused_at_the_limit(ctl: Run, control: Any) -> None:
    """No more is read than a frame could hold."""
    control()
    with Path("/dev/zero").open("rb") as endless:
        done = ctl("save", "k", "-", "--json", stdin=endless)
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (1, "too_large")


@pytest.mark.parametrize(
    "verb",
    [
        "sessions",
        "get k --level public",
        "save k t --level secret",
        "ping --level public",
        "unforget m",
        "undo m",
        "forget k --all-levels",
        "erase k",
        "week",
        "alias add a b",
        "why-not k --level public",
    ],
)
def test_what_contradicts_itself_is_a_usage_error(ctl: Run, verb: str) -> None:
    """An agent has the level of its socket, and the owner's verbs are not for it."""
    extra = [] if "ping" in verb else ["--as", "internal:bot"]
    done = ctl("--json", *extra, *verb.split())
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["hint"]


def test_why_not_is_the_owners_question_about_a_session(ctl: Run, control: Any) -> None:
    """``--as`` names whose view it is, wherever it stands, and can't be left out; nobody speaks as an agent."""
    daemon = control(wire.Hidden(level="PUBLIC"), wire.Hidden(level="INTERNAL"))
    assert ctl("why-not", "user.tea", "--as", "public:bot", "--space", "garden").returncode == 0
    assert ctl("--as", "internal", "why-not", "--id", "m-1").returncode == 0
    assert daemon.heard == [
        wire.Act(request=wire.WhyNot(key="user.tea", agent="bot", space="garden"), level="PUBLIC"),
        wire.Act(request=wire.WhyNot(id="m-1"), level="INTERNAL"),
    ]
    done = ctl("why-not", "user.tea")
    assert done.returncode == 2
    assert "why-not needs --as LEVEL[:AGENT]." in done.stderr


def test_usage_errors_are_documents_too(ctl: Run) -> None:
    """``--json`` counts from the first word, even if the line is not understood; behind ``--`` it is text."""
    assert json.loads(ctl("--json", "nonsense").stdout)["error"]["code"] == "usage"
    assert ctl("nonsense", "--", "--json").stdout == ""


def test_a_closed_pipe_ends_quietly(ctl: Run, control: Any, record: Callable[..., wire.Record]) -> None:
    """``| head`` gets what it wants, and nobody a traceback."""
    control(wire.Found(results=[record(content="x" * 1000, key=str(n)) for n in range(1000)]))
    reader, writer = socket.socketpair()
    reader.close()
    with writer:
        done = ctl("search", "q", capture_output=False, stdout=writer, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_under_the_output_is_said(ctl: Run) -> None:
    """An answer that can't be written is an error, not a success."""
    with Path("/dev/full").open("w") as full:
        done = ctl("help", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.startswith("memtrigctl: The answer can't be written")


@pytest.mark.parametrize("more", [{}, {"NO_COLOR": "1"}])
def test_colours_are_for_terminals_that_want_them(
    ctl: Run, control: Any, environment: dict[str, str], more: dict[str, str]
) -> None:
    """A terminal gets styles unless NO_COLOR is set; a pipe never does."""
    status = wire.StatusReport(server="0.1.0", protocol=1, schema=1, started=PONG.time, levels=[])
    control(status, status)
    ours, theirs = os.openpty()
    assert ctl("status", capture_output=False, stdout=theirs, env=environment | more).returncode == 0
    os.close(theirs)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    assert (b"\x1b[1m" in shown) is (not more)
    assert "\x1b" not in ctl("status").stdout


def test_a_closed_output_still_gets_the_deed_done(ctl: Run, control: Any) -> None:
    """``>&-`` asks for silence, not for a traceback."""
    daemon = control(PONG)
    done = ctl("ping", capture_output=False, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr, len(daemon.heard)) == (0, "", 1)


def test_an_input_that_cannot_be_read_is_said(ctl: Run) -> None:
    """A stream that is open for writing only is no text."""
    with Path(os.devnull).open("w") as write_only:
        done = ctl("save", "k", "-", stdin=write_only)
    assert done.returncode == 2
    assert "can't be read" in done.stderr


def test_an_interrupt_ends_quietly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is no error to explain."""
    from memtrig.ctl import main, talk

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(talk, "ask", interrupted)
    assert main(["ping", "--home", str(tmp_path)]) == 130


def test_a_poor_locale_is_no_obstacle(
    ctl: Run, control: Any, record: Callable[..., wire.Record], environment: dict[str, str]
) -> None:
    """People see numbers for what their locale lacks; documents are UTF-8 everywhere."""
    control(wire.Got(memory=record(content="चहा")), wire.Got(memory=record(content="चहा")))
    poor = environment | {"PYTHONIOENCODING": "ascii"}
    assert "\\u091a\\u0939\\u093e" in ctl("get", "k", env=poor).stdout
    assert json.loads(ctl("get", "k", "--json", env=poor).stdout)["content"] == "चहा"


def test_help_and_version_need_no_daemon(ctl: Run) -> None:
    """They print to stdout and succeed."""
    lines = "help|--help|help save|save --help|help promise|help promise add|promise add --help|wellness -h|--version"
    for words in map(str.split, lines.split("|")):
        done = ctl(*words)
        assert (done.returncode, done.stderr) == (0, "")
        assert "memtrigctl" in done.stdout
