"""Folders as a source at the command line."""

import json
from pathlib import Path
from typing import Any

from memtrig import wire

MOMENT = "2026-11-30T08:15:00+00:00"


def watched(**more: Any) -> wire.Watched:
    """Make an answer about one folder."""
    fields = {"id": "s1", "path": "/home/asha/टिपा", "level": "INTERNAL", "space": "default", "by": "me"} | more
    return wire.Watched(folders=[wire.WatchedFolder(since=MOMENT, **fields)])


def test_a_folder_is_named_as_the_shell_has_it(control: Any, ctl: Any, tmp_path: Path) -> None:
    """The daemon works elsewhere, so that its path is made absolute; what is not said stays unsaid."""
    daemon = control(watched(files=2, lines=9), watched(by="agent"), watched())
    told = ctl("watch", "add", "notes/../notes", "--by", "me", "--level", "confidential")
    assert told.returncode == 0 and "9 lines" in told.stdout and "never what you say" in told.stdout
    guesses = ctl("watch", "add", str(tmp_path))
    assert "review" in guesses.stdout and "--by me" in guesses.stdout
    assert "undo --session s1" in ctl("watch", "remove", str(tmp_path)).stdout
    first, second, third = daemon.heard
    assert first.path.endswith("/notes") and first.path.startswith("/") and ".." not in first.path
    assert (first.level, first.by) == ("CONFIDENTIAL", "me")
    assert second == wire.WatchAdd(path=str(tmp_path)) and third == wire.WatchRemove(folder=str(tmp_path))


def test_what_is_wrong_is_told_and_how_to_answer(control: Any, ctl: Any) -> None:
    """Held memories with the very command, refused lines by their code; exit code 4 as not all was taken."""
    wrong = watched(held=40, refused={"secret": 2}, troubles=["a.md is a link, which is not followed"], more=3)
    daemon = control(wrong, wrong, wrong, watched(lines=1))
    shown = ctl("watch", "list").stdout
    for part in ("watch confirm /home/asha/टिपा 40", "secret 2", "a.md is a link", "3 more"):
        assert part in shown
    assert ctl("watch", "add", "x").returncode == 4
    document = json.loads(ctl("watch", "--json").stdout)
    assert document["folders"][0]["held"] == 40
    assert ctl("watch", "confirm", "/x", "40").returncode == 0
    assert daemon.heard[3] == wire.WatchConfirm(folder="/x", count=40)


def test_nonsense_is_refused_before_the_daemon_is_asked(control: Any, ctl: Any) -> None:
    """Nobody else writes there, an empty path is most likely an unset variable, a count is a number."""
    daemon = control()
    assert ctl("watch", "add", "x", "--by", "everybody").returncode == 2
    assert ctl("watch", "add", "").returncode == 2
    assert ctl("watch", "confirm", "x", "many").returncode == 2
    assert daemon.heard == []
