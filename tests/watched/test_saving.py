"""A folder beside a real daemon, however its files are saved: a change is served soon, and once."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import Line, dial

WITHIN = 4.0
"""Seconds from an editor's last act until agents are served what is new in a file; one on a machine with time."""
CLOSED_WITHIN = 6.0
"""Seconds until they are no more served what is gone: a line may be back at once."""


def _in_place(file: Path, text: str) -> None:
    file.write_text(text)


def _by_rename(file: Path, text: str) -> None:
    beside = file.with_name(f"{file.name}~")
    beside.write_text(text)
    beside.rename(file)


def _with_a_copy_kept(file: Path, text: str) -> None:
    file.rename(file.with_name(f"{file.name}~"))
    file.write_text(text)


def _deleted_and_made_anew(file: Path, text: str) -> None:
    file.unlink()
    time.sleep(0.3)
    file.write_text(text)


def _in_two_parts(file: Path, text: str) -> None:
    with file.open("w") as writing:
        writing.write(text[: len(text) // 2])
        writing.flush()
        time.sleep(0.3)
        writing.write(text[len(text) // 2 :])


def _by_another_folder(file: Path, text: str) -> None:
    folder = file.parent
    other, old = folder.with_name(f"{folder.name}~"), folder.with_name(f"{folder.name}.old")
    shutil.copytree(folder, other)
    (other / file.name).write_text(text)
    folder.rename(old)
    other.rename(folder)
    shutil.rmtree(old)


@pytest.fixture(name="owner")
def _owner(shared_daemon: Daemon) -> Iterator[Line]:
    """The owner's line to a daemon whose owner keeps notes."""
    with dial(shared_daemon, "control") as line:
        yield line


def _texts(owner: Line) -> set[str]:
    return {each.content for each in _memories(owner)}


def _memories(owner: Line) -> list[wire.Record]:
    return owner.ask(wire.Act(request=wire.List(limit=200)), wire.Listed).memories


def _until(owner: Line, said: Callable[[set[str]], bool], within: float) -> None:
    """Wait until what is in service is as it should be."""
    end = time.monotonic() + within
    while not said(texts := _texts(owner)):
        assert time.monotonic() < end, texts
        time.sleep(0.02)


@pytest.mark.parametrize(
    "save",
    [
        _in_place,
        pytest.param(_by_rename, marks=pytest.mark.slow),
        pytest.param(_with_a_copy_kept, marks=pytest.mark.slow),
        pytest.param(_deleted_and_made_anew, marks=pytest.mark.slow),
        pytest.param(_in_two_parts, marks=pytest.mark.slow),
        pytest.param(_by_another_folder, marks=pytest.mark.slow),
    ],
)
def test_each_way_of_saving_is_seen(owner: Line, tmp_path: Path, save: Callable[[Path, str], None]) -> None:
    """BR-085: twice in a row new lines are served and old ones are not; what stays is the same memory all along."""
    root, mark = tmp_path / "notes", save.__name__
    root.mkdir()
    file = root / "tea.md"
    file.write_text(f"- {mark} stays\n- {mark} first\n- {mark} also\n")
    owner.ask(wire.WatchAdd(path=os.fspath(root), by="me"), wire.Watched)
    _until(owner, lambda texts: f"{mark} first" in texts, WITHIN)
    time.sleep(1.2)  # until the watch is set up
    before = {each.content: each.id for each in _memories(owner)}
    save(file, f"- {mark} stays\n- {mark} also\n- {mark} चहा\n")
    _until(owner, lambda texts: f"{mark} चहा" in texts, WITHIN)
    _until(owner, lambda texts: f"{mark} first" not in texts, CLOSED_WITHIN)
    save(file, f"- {mark} stays\n- {mark} 茶\n")
    _until(owner, lambda texts: f"{mark} 茶" in texts and f"{mark} also" not in texts, CLOSED_WITHIN)
    after = {each.content: each for each in _memories(owner)}
    assert after[f"{mark} stays"].id == before[f"{mark} stays"] and after[f"{mark} stays"].seen_count == 1
    owner.ask(wire.WatchRemove(folder=os.fspath(root)), wire.Watched)


@pytest.mark.slow
def test_what_changed_while_the_daemon_was_down_is_taken_up(daemon: Daemon, tmp_path: Path) -> None:
    """After a kill too; and a daemon that stops in the middle of many lines goes on with them."""
    file = tmp_path / "a.md"
    file.write_text("".join(f"- Number {number}\n" for number in range(400)))
    with dial(daemon, "control") as owner:
        owner.send(wire.WatchAdd(path=os.fspath(tmp_path), by="me"))
        with dial(daemon, "control") as another:
            _until(another, lambda texts: len(texts) > 8, 10)
    daemon.kill()
    file.write_text("".join(f"- Number {number}\n" for number in range(399)) + "- Another\n")
    daemon.start()
    with dial(daemon, "control") as owner:
        end = time.monotonic() + 60
        while owner.ask(wire.WatchList(), wire.Watched).folders[0].lines != 400:
            assert time.monotonic() < end
            time.sleep(0.1)
        levels = owner.ask(wire.Act(request=wire.Stats()), wire.Statistics).levels
        counts = {curve.level: curve.statuses for curve in levels}["INTERNAL"]
        assert counts.get("active") == 400, counts
    assert daemon.stop() == 0
