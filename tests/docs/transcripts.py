"""Transcripts on a page: commands and what they print, played against a daemon."""

import os
import re
import shlex
import subprocess
import sys

from tests.conftest import Daemon

_ID = re.compile(r"\b[ms][a-z2-7]{16}\b")
_VARYING = [
    (_ID, "ID"),
    (re.compile(r"just now|\d+ (?:seconds?|minutes?) ago"), "WHEN"),
    (re.compile(r"\(pid \d+\)"), "(pid)"),
    (re.compile(r"(?m)^(  home +).*$"), r"\1HOME"),
]


def of(page: str, language: str) -> list[str]:
    """The blocks of a page that are in one language."""
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def run(daemon: Daemon, *command: str) -> str:
    """Run Python on something in the daemon's home; returns all that it prints."""
    environment = os.environ | {"MEMTRIG_HOME": str(daemon.home)}
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, env=environment, timeout=20, check=False
    )
    return done.stdout + done.stderr


def play(daemon: Daemon, transcript: str) -> None:
    """Give each command of a transcript; it must say what the page says, but for ids, times and the width of columns.

    An id that the page printed stands in later commands for the one that was really printed in its place.
    """
    real: dict[str, str] = {}
    for step in transcript.split("$ memtrigctl ")[1:]:
        line, _, expected = step.partition("\n")
        words = [real.get(word, word) for word in shlex.split(line)]
        said = run(daemon, "-m", "memtrig.ctl", *words)
        assert _plain(said) == _plain(expected), line
        real |= dict(zip(_ID.findall(expected), _ID.findall(said), strict=True))


def _plain(text: str) -> str:
    """Put a word in the place of what differs from run to run, and let columns be as wide as they are."""
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return re.sub(r" {2,}", "  ", text).strip()
