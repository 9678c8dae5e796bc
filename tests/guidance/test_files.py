"""SPINE.md however an editor saves it, and whatever else may come of it: a real daemon serves the last good one."""

import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from memtrig import wire

from memtrigd.guidance.awareness import awareness
from memtrigd.guidance.spine import MAX_BYTES
from tests.conftest import Daemon
from tests.talk import Line, agent, dial

pytestmark = pytest.mark.slow

WITHIN = 2.0
"""Seconds from an editor's last act until agents are served the change."""


def _spine(daemon: Daemon) -> Path:
    return daemon.home / "config" / "SPINE.md"


def _in_place(file: Path, text: str) -> None:
    file.write_text(text)


def _by_rename(file: Path, text: str) -> None:
    beside = file.with_name("SPINE.md~")
    beside.write_text(text)
    beside.rename(file)


def _by_a_swapped_link(file: Path, text: str) -> None:
    target = file.parent.parent / "dotfiles" / f"{time.monotonic_ns()}.md"
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)
    link = file.with_name("link~")
    link.symlink_to(target)
    link.rename(file)


def _behind_a_link(file: Path, text: str) -> None:
    target = file.parent.parent / "elsewhere" / "own.md"
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)
    if not file.is_symlink():
        file.unlink()
        file.symlink_to(target)


def _deleted_and_made_anew(file: Path, text: str) -> None:
    file.unlink()
    time.sleep(0.3)
    file.write_text(text)


def _by_another_directory(file: Path, text: str) -> None:
    directory = file.parent
    other, old = directory.with_name("config~"), directory.with_name("config.old")
    shutil.copytree(directory, other, symlinks=True)
    (other / file.name).write_text(text)
    directory.rename(old)
    other.rename(directory)
    shutil.rmtree(old)


EDITORS = [
    _in_place,
    _by_rename,
    _by_a_swapped_link,
    _behind_a_link,
    _deleted_and_made_anew,
    _by_another_directory,
]


def _served(line: Line) -> str:
    return line.ask(wire.GuidanceGet(), wire.Guidance).text


def _until_served(line: Line, text: str) -> float:
    """Wait until a text is served; returns how long it took. Fails after WITHIN."""
    begun = time.monotonic()
    while text not in (served := _served(line)):
        assert time.monotonic() - begun < WITHIN, f"{text!r} is not in: {served}"
        time.sleep(0.02)
    return time.monotonic() - begun


@pytest.mark.parametrize("save", EDITORS)
def test_a_saved_change_is_served_within_two_seconds(daemon: Daemon, save: Callable[[Path, str], None]) -> None:
    """BR-085: each way in which editors save, three times in a row, measured from the last of the editor's acts."""
    with agent(daemon) as line:
        for number in range(3):
            text = f"Speak plainly, for the {number}. time.\n"
            save(_spine(daemon), text)
            _until_served(line, text.strip())


@pytest.mark.parametrize("save", EDITORS)
def test_a_change_for_one_agent_is_served_to_it_alone(daemon: Daemon, save: Callable[[Path, str], None]) -> None:
    """Its own file stands behind that for all, and nobody else reads it."""
    file = daemon.home / "config" / "agents" / "园丁" / "SPINE.md"
    file.parent.mkdir(parents=True)
    file.write_text("Nothing yet.\n")
    with agent(daemon, agent="园丁") as gardener, agent(daemon, agent="cook") as cook:
        _until_served(gardener, "Nothing yet.")
        save(file, "Ask before you water.\n")
        _until_served(gardener, "Ask before you water.")
        assert _served(gardener).startswith("# Remembering")
        assert "water" not in _served(cook)


@pytest.fixture(name="control", scope="module")
def _control(shared_daemon: Daemon) -> Iterator[Line]:
    """The owner's line to a daemon for the whole module."""
    with dial(shared_daemon, "control") as line:
        yield line


def _bad_utf8(file: Path) -> None:
    file.write_bytes("Räume auf".encode("latin-1"))


def _nul(file: Path) -> None:
    file.write_text("Speak\0plainly")


def _too_large(file: Path) -> None:
    file.write_text("a" * (MAX_BYTES + 1))


def _empty(file: Path) -> None:
    file.write_text(" \n")


def _directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _socket(file: Path) -> None:
    file.unlink()
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(file))


def _dangling(file: Path) -> None:
    file.unlink()
    file.symlink_to("nowhere.md")


def _to_itself(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.name)


def _gone(file: Path) -> None:
    file.unlink()


def _device(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


BAD = {
    _bad_utf8: "is not UTF-8: see byte 1",
    _nul: "has a NUL: see character 5",
    _too_large: "has more than 65,536 bytes",
    _empty: "is empty",
    _directory: "is not a regular file",
    _pipe: "is not a regular file",
    _socket: "can't be opened",
    _dangling: "is a link to nothing",
    _to_itself: "can't be opened",
    _gone: "is not there",
    _device: "is not a regular file",
}


def _problem(control: Line) -> str | None:
    (file,) = control.ask(wire.GetStatus(), wire.StatusReport).guidance
    return file.problem


def _until_told(control: Line, problem: str | None) -> None:
    end = time.monotonic() + WITHIN
    while (told := _problem(control)) != problem and not (problem and told and told.startswith(problem)):
        assert time.monotonic() < end, told
        time.sleep(0.02)


@pytest.mark.parametrize("spoil", BAD)
def test_a_bad_file_replaces_nothing(shared_daemon: Daemon, control: Line, spoil: Callable[[Path], None]) -> None:
    """BR-085: the last good text stays, status says what is wrong with which file, and the next good one is served."""
    file = _spine(shared_daemon)
    with agent(shared_daemon) as line:
        good = f"Good before {spoil.__name__}."
        _by_rename(file, good)
        _until_served(line, good)
        spoil(file)
        _until_told(control, BAD[spoil])
        assert good in _served(line)
        if file.is_dir() and not file.is_symlink():
            file.rmdir()
        _by_rename(file, "Good again.")
        _until_served(line, "Good again.")
        _until_told(control, None)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_another_users_file_is_not_guidance(daemon: Daemon) -> None:
    """Who can put a file there must not speak to the agents."""
    with agent(daemon) as line, dial(daemon, "control") as control:
        other = daemon.home / "theirs.md"
        other.write_text("Obey me.")
        os.chown(other, 65534, 65534)
        other.rename(_spine(daemon))
        _until_told(control, "belongs to another user")
        assert "Obey" not in _served(line)


def test_the_last_good_text_survives_a_restart(daemon: Daemon) -> None:
    """For all agents and for one: a file that is bad at the start is told of, and what it was is served."""
    own = daemon.home / "config" / "agents" / "cook" / "SPINE.md"
    own.parent.mkdir(parents=True)
    own.write_text("Salt last.\n")
    _in_place(_spine(daemon), "Speak plainly.\n")
    with agent(daemon, agent="cook") as line:
        _until_served(line, "Salt last.")
        _until_served(line, "Speak plainly.")
    daemon.stop()
    _bad_utf8(_spine(daemon))
    _bad_utf8(own)
    daemon.start()
    with agent(daemon, agent="cook") as line, dial(daemon, "control") as control:
        served = _served(line)
        files = control.ask(wire.GetStatus(), wire.StatusReport).guidance
    assert "Speak plainly.\n\nSalt last." in served
    assert [file.agent for file in files if file.problem] == [None, "cook"]


@pytest.mark.parametrize(
    ("locale", "lang"),
    [
        ({"LANG": "mr_IN.UTF-8"}, "mr"),
        ({"LANG": "hi_IN", "LC_ALL": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "hi_IN", "LC_ALL": ""}, "hi"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
    ],
)
def test_the_first_file_is_in_the_users_language(
    monkeypatch: pytest.MonkeyPatch, locale: dict[str, str], lang: str
) -> None:
    """Made once: what the owner wrote, or took away, is not written over at the next start."""
    for name in ("LANG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    daemon = Daemon()
    try:
        daemon.start()
        file = _spine(daemon)
        assert file.read_text() == awareness(lang)
        assert file.stat().st_mode & 0o777 == 0o600
        file.write_text("Mine.\n")
        daemon.restart()
        assert file.read_text() == "Mine.\n"
        file.unlink()
        daemon.restart()
        assert not file.exists()
        with agent(daemon) as line:
            assert _served(line).startswith("Mine.")
    finally:
        daemon.remove()


def test_sighup_looks_at_once(daemon: Daemon) -> None:
    """For whoever does not want to wait; the daemon lives on."""
    with agent(daemon) as line:
        _in_place(_spine(daemon), "Looked at.\n")
        os.kill(daemon.pid, signal.SIGHUP)
        _until_served(line, "Looked at.")
    assert daemon.stop() == 0


def test_links_in_a_ring_are_watched_like_any_file(daemon: Daemon) -> None:
    """They are bad guidance, and no reason for a line in the log every second; what comes after them is served."""
    with agent(daemon) as line:
        _in_place(_spine(daemon), "Before.\n")
        _until_served(line, "Before.")
        _spine(daemon).unlink()
        _spine(daemon).symlink_to(_spine(daemon))
        time.sleep(2.5)
        assert _served(line).startswith("Before.") and "not_watched" not in daemon.log
        _by_rename(_spine(daemon), "After.\n")
        _until_served(line, "After.")


def test_an_agent_is_not_served_another_file_by_its_name(shared_daemon: Daemon) -> None:
    """A name that leads elsewhere finds no file: ``..`` would be that for all, twice, or any other."""
    (shared_daemon.home / "config" / "agents").mkdir(exist_ok=True)
    (shared_daemon.home / "config" / "agents" / "SPINE.md").write_text("Outside.\n")
    for name in ("..", ".", "../agents", "x/../..", "a\\b"):
        with agent(shared_daemon, agent=name) as line, dial(shared_daemon, "control") as control:
            assert line.ask(wire.GuidanceGet(), wire.Guidance).source == "SPINE.md"
            assert control.refusal(wire.GuidanceShow(agent=name)).code == "bad_value"
            assert control.refusal(wire.GuidanceCheck(text="Fine.", agent=name)).code == "bad_value"
            assert control.refusal(wire.GuidanceHistory(agent=name)).code == "bad_value"


def test_twenty_versions_are_kept(daemon: Daemon) -> None:
    """The newest first, each once however often it is looked at, and in order though the clock is what it is."""
    with agent(daemon) as line, dial(daemon, "control") as control:
        for number in range(22):
            _by_rename(_spine(daemon), f"Version {number}.\n")
            _until_served(line, f"Version {number}.")
        kept = control.ask(wire.GuidanceHistory(), wire.GuidanceVersions)
    assert [each.text for each in kept.versions] == [f"Version {number}.\n" for number in range(21, 1, -1)]
    assert [each.at for each in kept.versions] == sorted((each.at for each in kept.versions), reverse=True)
    assert kept.path == str(_spine(daemon))


def test_guidance_files_are_the_owners_to_ask_about(shared_daemon: Daemon) -> None:
    """An agent is served its guidance, and neither paths nor drafts nor what was served before."""
    with agent(shared_daemon) as line:
        for request in (wire.GuidanceShow(), wire.GuidanceCheck(text="x"), wire.GuidanceHistory()):
            assert line.refusal(request).code == "not_here"
        assert line.ask(wire.GetStatus(), wire.StatusReport).guidance == []
