"""The configuration is checked as a whole before anything starts."""

import os
import subprocess
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from memtrig.homes import Home

from memtrigd import config
from memtrigd.config import BadConfig


def home(root: Path, written: str) -> Home:
    """A home whose configuration says what is written."""
    (root / "memtrigd.toml").write_text(written)
    return Home(str(root), str(root / "state"), str(root / "run"), str(root))


def test_a_zone_is_taken_by_its_name(tmp_path: Path) -> None:
    """Naive times are read in it."""
    assert config.load(home(tmp_path, "[time]\nzone = 'Asia/Kolkata'\n")).zone == ZoneInfo("Asia/Kolkata")


@pytest.mark.parametrize("zone", ["Bogus/Zone", "../../etc/passwd", "/etc/passwd", "Asia"])
def test_a_zone_that_nobody_knows_is_refused(tmp_path: Path, zone: str) -> None:
    """The message names the zone and the file."""
    with pytest.raises(BadConfig, match=r"zone .*under \[time\].*memtrigd\.toml") as refused:
        config.load(home(tmp_path, f"[time]\nzone = '{zone}'\n"))
    assert zone in str(refused.value)


def test_what_is_run_for_promises_is_nothing_by_default(tmp_path: Path) -> None:
    """And where a command is named, for promises up to INTERNAL, without their text."""
    assert config.load(home(tmp_path, "")).notify.command == []
    notify = config.load(home(tmp_path, "[notify]\ncommand = ['notify-send', 'memtrigd']\n")).notify
    assert (notify.command, notify.say_text, notify.promises) == (["notify-send", "memtrigd"], False, True)
    assert [level.name for level in notify.levels] == ["INTERNAL", "PUBLIC"]


def test_a_level_that_is_none_is_refused(tmp_path: Path) -> None:
    """The message lists the four."""
    with pytest.raises(BadConfig, match="no level 'top'"):
        config.load(home(tmp_path, "[notify]\nmax_level = 'top'\n"))


@pytest.mark.parametrize("written", ["[owner]\nseat_bell = true\n", "[owner]\nseat_belt = 1\n", "owner"])
def test_a_name_or_type_that_is_wrong_is_refused(tmp_path: Path, written: str) -> None:
    """A belt that is on by a typing error must not be off by it."""
    with pytest.raises(BadConfig, match=r"memtrigd\.toml"):
        config.load(home(tmp_path, written))


def test_a_machine_without_a_known_zone_is_told_so(tmp_path: Path) -> None:
    """Also where there is no file at all: a sentence and the way out, no trace of the program."""
    command = [sys.executable, "-m", "memtrigd", "--home", str(tmp_path)]
    done = subprocess.run(
        command, env={**os.environ, "TZ": "Bogus/Zone"}, capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("memtrigd: The time zone")
    assert "under [time]" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_nested_too_deeply_is_refused_like_anything_else(tmp_path: Path) -> None:
    """With the file's name, so that a daemon that runs keeps what it has and says why."""
    with pytest.raises(BadConfig, match=r"memtrigd\.toml"):
        config.load(home(tmp_path, "x = " + "[" * 5000 + "]" * 5000))


@pytest.mark.parametrize("limit", ["0", "-1", "1" + "0" * 400])
def test_a_quota_that_cant_be_reckoned_with_is_refused(tmp_path: Path, limit: str) -> None:
    """Rather than at each save."""
    with pytest.raises(BadConfig, match="saves_per_minute"):
        config.load(home(tmp_path, f"[quota]\nsaves_per_minute = {limit}\n"))


def test_a_pipe_in_the_place_of_the_file_holds_nobody_up(tmp_path: Path) -> None:
    """Only a regular file is read; opening a pipe would wait for somebody to write."""
    os.mkfifo(tmp_path / "memtrigd.toml")
    with pytest.raises(BadConfig, match="not a regular file"):
        config.load(Home(str(tmp_path), str(tmp_path / "state"), str(tmp_path / "run"), str(tmp_path)))
