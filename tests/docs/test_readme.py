"""The README is played: its transcripts and its Python are run against a daemon, and must come out as printed."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Daemon

PAGE = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
TRANSCRIPTS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
VARYING = [
    (re.compile(r"\bm[a-z2-7]{16}\b"), "ID"),
    (re.compile(r"just now|\d+ (?:seconds?|minutes?) ago"), "WHEN"),
    (re.compile(r"\(pid \d+\)"), "(pid)"),
    (re.compile(r"(?m)^(  home +).*$"), r"\1HOME"),
]


def _plain(text: str) -> str:
    """Put a word in the place of what differs from run to run, and let columns be as wide as they are."""
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return re.sub(r" {2,}", "  ", text).strip()


def _run(daemon: Daemon, *command: str) -> str:
    environment = os.environ | {"MEMTRIG_HOME": str(daemon.home)}
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, env=environment, timeout=20, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=["english", "chinese", "marathi"])
def test_a_transcript_comes_out_as_printed(daemon: Daemon, transcript: str) -> None:
    """Each command says what the page says that it says."""
    for step in transcript.split("$ memtrigctl ")[1:]:
        line, _, said = step.partition("\n")
        assert _plain(_run(daemon, "-m", "memtrig.ctl", *shlex.split(line))) == _plain(said), line


def test_the_programs_run(daemon: Daemon) -> None:
    """What a reader copies works as it stands."""
    printed = [_run(daemon, "-c", program) for program in PROGRAMS]
    assert printed[0].startswith("The gate squeaks when it rains\ngarden.gate INTERNAL 0.")
    assert printed[1:] == ["CONFIDENTIAL\n"]
