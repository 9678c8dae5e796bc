"""What keeps memories in service: a folder that is away, a file that can't be read, much that goes at once."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from memtrig import wire

from memtrigd.watched import following, looking
from tests.watched.conftest import Notes

LINES = [f"- Line {number}" for number in range(12)]


def test_a_folder_that_is_away_closes_nothing(notes: Notes) -> None:
    """A disk that is not mounted, a folder that is being replaced: told in status, gone when the folder is back."""
    notes.write("a.md", "- one", "- two")
    notes.watch()
    away = notes.root.rename(notes.root.with_name("away"))
    assert notes.look().troubles == ["the folder is not there"]
    assert notes.texts() == {"one", "two"}
    status = notes.owner.ask(wire.GetStatus())
    assert [each.path for each in status.folders] == [str(notes.root)]
    away.rename(notes.root)
    assert notes.look().troubles == [] and notes.owner.ask(wire.GetStatus()).folders == []


def test_an_empty_folder_in_its_place_closes_nothing_unasked(notes: Notes) -> None:
    """The place where a disk is mounted is there without it, too. Once it is back all is as it was."""
    notes.write("a.md", "- one", "- two")
    notes.watch()
    away = notes.root.rename(notes.root.with_name("away"))
    notes.root.mkdir()
    assert notes.look().held == 2 and notes.texts() == {"one", "two"}
    notes.root.rmdir()
    away.rename(notes.root)
    assert notes.look().held == 0 and notes.texts() == {"one", "two"}


def test_more_than_half_at_once_is_held_until_the_owner_says_so(notes: Notes) -> None:
    """What is new meanwhile is taken up, here and in other files; a wrong count is refused, over a restart too."""
    notes.write("a.md", *LINES)
    notes.write("b.md", "- another")
    notes.watch()
    notes.write("a.md", *LINES[:4], "- new here")
    notes.write("b.md", "- another", "- new there")
    assert notes.look().held == 8
    assert len(notes.texts()) == 15 and {"new here", "new there"} <= notes.texts()
    notes.world.restart()
    notes.look()
    assert notes.look().held == 8
    owner = notes.owner
    assert owner.ask(wire.WatchConfirm(folder=str(notes.root), count=7)).code == "bad_value"
    assert len(notes.texts()) == 15
    folder = notes.only(owner.ask(wire.WatchConfirm(folder=str(notes.root), count=8)))
    assert (folder.held, folder.lines) == (0, 7)
    assert notes.texts() == {"another", "new there", "new here", *(each[2:] for each in LINES[:4])}


def test_half_or_few_are_not_held(notes: Notes) -> None:
    """Nobody is asked about an edit by hand."""
    notes.write("a.md", *LINES)
    notes.watch()
    notes.write("a.md", *LINES[6:])
    assert notes.look().held == 0 and len(notes.texts()) == 6
    notes.write("a.md", *LINES[11:])
    assert notes.look().held == 0 and notes.texts() == {"Line 11"}


def test_a_memory_closes_only_once_its_line_is_gone_for_a_while(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever saves by deleting and writing anew, or in two parts, closes nothing."""
    monkeypatch.setattr(following, "RIPE", 0.4)
    file = notes.write("a.md", "- one", "- two")
    notes.write("b.md", "- three", "- four", "- five")
    notes.watch()
    file.unlink()
    notes.write("b.md", "- three")
    notes.look()
    assert len(notes.texts()) == 5
    notes.write("a.md", "- one", "- two", "- six")
    time.sleep(0.5)
    notes.look()
    assert notes.texts() == {"one", "two", "six", "three"}


def test_a_file_that_is_just_written_is_left_alone(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a file is not what it says, and a file that is new is not looked at before it is whole."""
    monkeypatch.setattr(following, "SETTLED", 60.0)
    monkeypatch.setattr(following, "PATIENCE", 0.0)
    file = notes.write("a.md", "- one", "- two")
    then = time.time_ns() - 100_000_000_000
    os.utime(file, ns=(then, then))
    notes.watch()
    file.write_text("- one\n- tw")
    (notes.root / "b.md").write_text("- thr")
    assert notes.look().troubles == ["b.md is being written"]
    assert notes.texts() == {"one", "two"}
    for path in (file, notes.root / "b.md"):
        os.utime(path, ns=(then, then))
    assert notes.look().troubles == []
    assert notes.texts() == {"one", "tw", "thr"}


def _no_utf8(file: Path) -> None:
    file.write_bytes(b"- one\n- \xff\xfe\n")


def _binary(file: Path) -> None:
    file.write_bytes(b"- one\n\0\n")


def _huge(file: Path) -> None:
    file.write_bytes(b"- one\n" * (looking.MAX_BYTES // 6 + 1))


def _crowded(file: Path) -> None:
    file.write_text("".join(f"- {number}\n" for number in range(6000)))


def _for_all_to_write(file: Path) -> None:
    file.chmod(0o666)


def _a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _a_link_out(file: Path) -> None:
    secret = file.parent.parent / "secret.md"
    secret.write_text("- A secret\n")
    file.unlink()
    file.symlink_to(secret)


def _a_link_to_nothing(file: Path) -> None:
    file.unlink()
    file.symlink_to("nowhere.md")


def _in_a_link_out(file: Path) -> None:
    secrets = file.parent.parent / "secrets"
    secrets.mkdir()
    (secrets / "b.md").write_text("- A secret\n")
    (file.parent / "linked").symlink_to(secrets)
    _no_utf8(file)


@pytest.mark.parametrize(
    "spoil",
    [
        _no_utf8,
        _binary,
        _huge,
        _crowded,
        _for_all_to_write,
        _a_pipe,
        _a_link_out,
        _a_link_to_nothing,
        _in_a_link_out,
    ],
)
def test_a_file_that_cant_be_taken_up_keeps_what_it_said(notes: Notes, spoil: Callable[[Path], None]) -> None:
    """BR-085, BR-070: the last good lines stay, nothing outside the folder is read, and the owner is told."""
    file = notes.write("a.md", "- one", "- two")
    notes.write("b.md", "- three")
    notes.watch()
    spoil(file)
    then = time.time_ns() - 3_000_000_000
    if not file.is_symlink():
        os.utime(file, ns=(then, then))
    notes.write("b.md", "- three", "- four")
    (trouble,) = notes.look().troubles
    assert trouble.startswith("a.md ")
    assert notes.texts() == {"one", "two", "three", "four"}
    file.unlink()
    notes.write("a.md", "- one", "- five")
    assert notes.look().troubles == []
    assert notes.texts() == {"one", "five", "three", "four"}


@pytest.mark.parametrize("text", ["{", '["a" "b"]', '{"a": 1}', '["a", null]', '"a"', "[1", '{"a": "b"} x', "[" * 9999])
def test_broken_json_keeps_what_it_said(notes: Notes, text: str) -> None:
    """Whoever edits JSON by hand has it broken now and then."""
    notes.write("a.json", '["one", {"content": "two", "tags": ["x"]}]')
    notes.watch()
    notes.write("a.json", text)
    assert len(notes.look().troubles) == 1
    assert notes.texts() == {"one", "two"}


def test_a_folder_has_room_for_so_many_lines(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody floods the review by a file; a file that has no room is told of, and taken once it has."""
    monkeypatch.setattr(following, "MAX_LINES", 4)
    notes.write("a.md", "- one", "- two", "- three")
    notes.write("b.md", "- four", "- five")
    folder = notes.watch()
    assert (folder.lines, folder.troubles) == (3, ["b.md is beyond the first 4 lines of the folder"])
    notes.write("a.md", "- one", "- two")
    notes.look()
    assert notes.look().troubles == [] and notes.texts() == {"one", "two", "four", "five"}


def test_what_editors_leave_beside_a_file_is_no_memory(notes: Notes) -> None:
    """Copies, locks and drafts, hidden folders, other kinds of file."""
    notes.write("a.md", "- one")
    for name in (
        "a.md~",
        ".a.md.swp",
        "#a.md#",
        ".#a.md",
        "a.md.tmp",
        "4913",
        "a.html",
        ".git/b.md",
        ".obsidian/c.json",
    ):
        notes.write(name, "- A draft")
    folder = notes.watch()
    assert (folder.files, folder.troubles) == (1, []) and notes.texts() == {"one"}


def test_a_folder_within_that_cant_be_read_keeps_what_it_said(notes: Notes) -> None:
    """Its files are not gone because nobody sees them."""
    notes.write("in/a.md", "- one")
    notes.write("b.md", "- two")
    notes.watch()
    (notes.root / "in").chmod(0o777)
    assert notes.look().troubles == ["in can be written by everybody"]
    assert notes.texts() == {"one", "two"}


@pytest.mark.parametrize("path", ["notes", "../notes", "~root", "/", "/nowhere", "/etc/passwd", "/x\0y", "%2e%2e", ""])
def test_what_is_no_folder_of_the_user_is_refused(notes: Notes, path: str) -> None:
    """BR-070: a path is absolute, and names a folder of their own; nothing of it is read."""
    assert notes.owner.ask(wire.WatchAdd(path=path)).code == "bad_value"
    assert notes.owner.ask(wire.WatchList()).folders == []


def test_the_daemons_own_files_are_no_source(notes: Notes) -> None:
    """Neither the state directory, nor what lies in it or holds it, by a link or by dots."""
    state = notes.world.state
    link = notes.root / "link"
    link.symlink_to(state)
    for path in (state, state / "keys", state.parent, link, notes.root / ".." / state.name):
        assert notes.owner.ask(wire.WatchAdd(path=str(path))).code == "bad_value"


def test_a_folder_is_watched_once(notes: Notes) -> None:
    """Nor one in another; by a link it is the same."""
    notes.write("in/a.md", "- one")
    notes.watch()
    link = notes.root.with_name("link")
    link.symlink_to(notes.root)
    for path in (notes.root, notes.root / "in", notes.root.parent, link):
        assert notes.owner.ask(wire.WatchAdd(path=str(path), level="PUBLIC")).code == "bad_value"
    assert notes.owner.ask(wire.WatchRemove(folder="/nowhere")).code == "not_found"
    assert notes.only(notes.owner.ask(wire.WatchRemove(folder=str(link)))).path == str(notes.root)


def test_agents_cant_name_a_folder(notes: Notes) -> None:
    """BR-070: agents can't name paths of the daemon's machine at all."""
    from memtrigd.domain.levels import Level

    agent = notes.world.agent(Level.RESTRICTED)
    for request in (
        wire.WatchAdd(path=str(notes.root)),
        wire.WatchList(),
        wire.WatchRemove(folder="x"),
        wire.WatchConfirm(folder="x", count=1),
    ):
        assert agent.ask(request).code == "not_here"
