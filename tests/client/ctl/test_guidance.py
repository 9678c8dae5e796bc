"""``memtrigctl guidance``: the owner reads, edits, checks and compares what agents are told."""

import json
import os
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Daemon

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(name="spine")
def _spine(daemon: Daemon, environment: dict[str, str]) -> Path:
    """The file for all agents of a running daemon, which memtrigctl speaks to."""
    environment["MEMTRIG_HOME"] = str(daemon.home)
    return daemon.home / "config" / "SPINE.md"


def _editor(tmp_path: Path, environment: dict[str, str], script: str) -> None:
    """Let EDITOR be a script with a space in its path and an option of its own; ``$1`` is the copy."""
    program = tmp_path / "my editor"
    program.write_text(f"#!/bin/sh\nshift\n{script}\n")
    program.chmod(0o755)
    environment["EDITOR"] = f"'{program}' --wait"


def _until(text: str, ctl: Run) -> None:
    end = time.monotonic() + 2
    while text not in ctl("guidance", "show").stdout:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_show_prints_the_text_alone(spine: Path, ctl: Run) -> None:
    """So that it can be redirected; a program gets version, time and files too."""
    spine.write_text("Be brief.\n")
    _until("Be brief.", ctl)
    assert ctl("guidance", "show").stdout == "Be brief.\n"
    told = json.loads(ctl("--json", "guidance", "show", "--agent", "cook").stdout)
    assert told["text"] == "Be brief.\n"
    assert told["source"] == "SPINE.md"
    assert [(file["agent"], file["path"]) for file in told["files"]] == [
        (None, str(spine)),
        ("cook", str(spine.parent / "agents" / "cook" / "SPINE.md")),
    ]
    assert told["files"][1]["version"] is None


def test_what_is_wrong_with_a_file_is_said_by_show_check_and_status(spine: Path, ctl: Run) -> None:
    """With its path; the last good text is still printed."""
    spine.write_text("Be brief.\n")
    _until("Be brief.", ctl)
    assert "guidance  in order" in ctl("status").stdout
    spine.write_bytes(b"Be \xff brief")
    end = time.monotonic() + 2
    while "UTF-8" not in (shown := ctl("guidance", "show")).stderr:
        assert time.monotonic() < end
    assert shown.stdout == "Be brief.\n"
    assert f"{spine} is not UTF-8: see byte 3: its last good version is in force" in shown.stderr
    assert f"guidance  {spine} is not UTF-8" in ctl("status").stdout
    checked = ctl("guidance", "check")
    assert (checked.returncode, checked.stdout) == (1, f"{spine} is not UTF-8: see byte 3.\n")


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("Be brief.", 0, "Good: about 3 tokens."),
        ("नमस्ते, थोडक्यात बोल.", 0, "Good: about 13 tokens."),
        (" \n", 1, "The text is empty"),
        ("a" * 65_537, 1, "The text has more than 65,536 bytes."),
        ("a\0b", 1, "The text has a NUL: see character 1."),
        ("word " * 5000, 0, "About 6,251 tokens, which every conversation pays."),
        ("So it ends: </memory-state>", 0, "with which the state of the memory ends"),
    ],
)
def test_check_says_whether_a_draft_would_do(
    spine: Path, ctl: Run, tmp_path: Path, text: str, code: int, told: str
) -> None:
    """Without touching what is in force; from a file or standard input."""
    draft = tmp_path / "draft.md"
    draft.write_text(text)
    before = spine.read_text()
    checked = ctl("guidance", "check", str(draft))
    assert checked.returncode == code
    assert told in checked.stdout
    assert ctl("guidance", "check", "-", input=text).stdout == checked.stdout
    assert spine.read_text() == before


def test_history_and_diff_compare_versions(spine: Path, ctl: Run) -> None:
    """The newest with the one before it, or with one further back."""
    for text in ("One.\n", "One.\nTwo.\n", "One.\nThree.\n"):
        spine.write_text(text)
        _until(text.splitlines()[-1], ctl)
    assert ctl("guidance", "diff").stdout.splitlines()[2:] == ["@@ -1,2 +1,2 @@", " One.", "-Two.", "+Three."]
    assert ctl("guidance", "diff", "2").stdout.splitlines()[2:] == ["@@ -1 +1,2 @@", " One.", "+Three."]
    assert json.loads(ctl("--json", "guidance", "diff", "2").stdout)["diff"].endswith("+Three.")
    assert "4 versions are kept" in ctl("guidance", "diff", "4").stderr
    rows = ctl("guidance", "history").stdout.splitlines()
    assert [row.split()[-1] for row in rows] == ["BEGINS", "One.", "One.", "One.", "Remembering"]


def test_edit_puts_a_checked_text_in_force(
    spine: Path, ctl: Run, terminal: Callable[..., Any], environment: dict[str, str], tmp_path: Path
) -> None:
    """Behind a link to it, with the mode it had, whatever the editor does to the copy."""
    target = spine.parent.parent / "dotfiles.md"
    target.write_text("Be brief.\n")
    target.chmod(0o640)
    spine.unlink()
    spine.symlink_to(target)
    _until("Be brief.", ctl)
    _editor(tmp_path, environment, 'printf "Be kind.\\n" > "$1.new"; mv "$1.new" "$1"; touch "$1~"')
    screen = terminal("guidance", "edit")
    assert screen.end() == 0, screen.seen
    assert "is in force within two seconds" in screen.seen
    assert spine.is_symlink()
    assert target.read_text() == "Be kind.\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    _until("Be kind.", ctl)


def test_edit_makes_the_file_of_an_agent(
    spine: Path, ctl: Run, terminal: Callable[..., Any], environment: dict[str, str], tmp_path: Path
) -> None:
    """From a heading, in a directory that was not there."""
    _editor(tmp_path, environment, 'echo "Salt last." >> "$1"')
    assert terminal("guidance", "edit", "--agent", "cook").end() == 0
    own = spine.parent / "agents" / "cook" / "SPINE.md"
    assert own.read_text() == "# For cook\n\nSalt last.\n"


def test_a_bad_edit_is_edited_again_or_kept_as_a_copy(
    spine: Path, terminal: Callable[..., Any], environment: dict[str, str], tmp_path: Path
) -> None:
    """Nothing that was typed is lost, and nothing bad takes the file's place."""
    before = spine.read_text()
    _editor(tmp_path, environment, 'printf "a\\0b" > "$1"')
    screen = terminal("guidance", "edit")
    screen.until("The text has a NUL: see character 1.")
    screen.until("Edit it again? [y/n]")
    screen.press("y")
    screen.until("Edit it again? [y/n]")
    screen.press("n")
    assert screen.end() == 1
    assert spine.read_text() == before
    copy = Path(screen.seen.split("Your text is in ")[1].split(".\r")[0].split()[0].rstrip("."))
    assert copy.read_bytes() == b"a\0b"


@pytest.mark.parametrize(
    ("script", "code", "told"),
    [
        ("exit 0", 0, "Nothing was changed."),
        ('rm "$1"', 0, "Nothing was changed."),
        ('echo more >> "$1"; exit 3', 1, "The editor failed with 3; nothing was changed."),
        ('echo more >> "$1"; echo other > "$SPINE"', 1, "was changed meanwhile; nothing was written over it."),
    ],
)
def test_an_edit_that_comes_to_nothing_changes_nothing(
    spine: Path,
    terminal: Callable[..., Any],
    environment: dict[str, str],
    tmp_path: Path,
    script: str,
    code: int,
    told: str,
) -> None:
    """Left as it was, taken away, an editor that fails, a file that somebody else wrote meanwhile."""
    before = spine.read_text()
    environment["SPINE"] = str(spine)
    _editor(tmp_path, environment, script)
    screen = terminal("guidance", "edit")
    assert screen.end() == code, screen.seen
    assert told in " ".join(screen.seen.split())
    assert spine.read_text() in (before, "other\n")


def test_without_a_terminal_there_is_nothing_to_edit_in(spine: Path, ctl: Run) -> None:
    """The path is told to whoever writes it in another way."""
    answer = ctl("guidance", "edit")
    assert answer.returncode == 2
    assert os.fspath(spine) in answer.stderr
