"""The configuration is taken over while the daemon runs, however an editor saves it; a bad file changes nothing."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Daemon

WITHIN = 5.0
"""Seconds in which a change must be in force; a watch tells within a tenth of one."""


def _in_place(file: Path, text: str) -> None:
    file.write_text(text)


def _by_rename(file: Path, text: str) -> None:
    beside = file.with_name("draft~")
    beside.write_text(text)
    beside.rename(file)


def _deleted_and_made_anew(file: Path, text: str) -> None:
    file.unlink()
    file.write_text(text)


def _as_a_link(file: Path, text: str) -> None:
    other = file.with_name("elsewhere.toml")
    other.write_text(text)
    link = file.with_name("link~")
    link.symlink_to(other)
    link.rename(file)


def _until(daemon: Daemon, event: str, count: int = 1) -> None:
    """Wait until the log has an event so often."""
    end = time.monotonic() + WITHIN
    while daemon.log.count(f'"{event}"') < count:
        assert time.monotonic() < end, f"no {event} in: {daemon.log}"
        time.sleep(0.02)


@pytest.mark.parametrize("save", [_in_place, _by_rename, _deleted_and_made_anew, _as_a_link])
def test_a_saved_change_takes_effect(daemon: Daemon, save: Callable[[Path, str], None]) -> None:
    """Each way in which editors save is seen, twice in a row."""
    file = daemon.home / "config" / "memtrigd.toml"
    save(file, "[owner]\nseat_belt = true\n")
    _until(daemon, "config_reloaded")
    save(file, "[owner]\nseat_belt = false\n")
    _until(daemon, "config_reloaded", 2)


def test_a_bad_file_leaves_the_last_good_one(daemon: Daemon) -> None:
    """Nonsense, an unknown name or a wrong type is logged and kept out; the next good file is taken."""
    file = daemon.home / "config" / "memtrigd.toml"
    for number, text in enumerate(["[owner", "[owner]\nseatbelt = true\n", "[owner]\nseat_belt = 3\n"], 1):
        _by_rename(file, text)
        _until(daemon, "config_kept", number)
    assert "config_reloaded" not in daemon.log
    _by_rename(file, "[owner]\nseat_belt = true\n")
    _until(daemon, "config_reloaded")


def test_sighup_reads_the_file_again(daemon: Daemon) -> None:
    """For whoever wants it done now; the daemon lives on, and says what it can't change without a restart."""
    (daemon.home / "config" / "memtrigd.toml").write_text('[time]\nzone = "Asia/Kolkata"\n')
    os.kill(daemon.pid, signal.SIGHUP)
    _until(daemon, "config_needs_restart")
    assert daemon.stop() == 0
