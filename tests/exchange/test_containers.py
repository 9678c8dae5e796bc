"""Folders and zips: nothing is unpacked, no name leads anywhere, and what is too much is told of and not read."""

import os
import stat
import struct
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import msgpack
import msgspec
import pytest

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import zips
from memtrigd.exchange.containers import opened
from memtrigd.exchange.formats import chosen, told
from memtrigd.exchange.items import Item, Left, Noted, Taken
from tests.exchange.test_formats import READING, contents, items

SAMPLES = Path(__file__).with_name("samples")


def packed(path: Path, files: dict[str, bytes | str]) -> Path:
    """Make a zip."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def left(found: list[Item]) -> dict[str, str]:
    """The codes of what was left, by place."""
    return {item.place: item.code for item in found if isinstance(item, Left)}


@pytest.mark.parametrize("sample", ["claude-export", "chatgpt-export", "pam-bundle", "portable.mem", "obsidian"])
def test_a_zip_holds_what_its_folder_holds(tmp_path: Path, sample: str) -> None:
    """The same records from the same places, whether its files are at its top or in a folder."""
    folder = SAMPLES / sample
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    flat = packed(tmp_path / "flat.zip", files)
    deep = packed(tmp_path / "deep.zip", {f"export/{name}": data for name, data in files.items()})
    assert told(flat).name == told(deep).name == told(folder).name
    assert contents(items(flat)) == contents(items(deep)) == contents(items(folder)) != []


def test_names_that_lead_out_of_a_zip_are_not_read(tmp_path: Path) -> None:
    """BR-070: up, from the root, by drive, and a link; all of it is told of, and what is good is taken."""
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("../up.md", "/etc/passwd.md", "a/../../b.md", "C:/x.md", "..\\w.md", "good.md"):
            archive.writestr(name, "- a line of a note")
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    found = items(path)
    assert contents(found) == ["a line of a note"]
    assert set(left(found).values()) == {"bad_value"} and len(left(found)) == 6
    assert [*tmp_path.iterdir()] == [path]


def test_a_bomb_is_told_of_and_not_read(tmp_path: Path) -> None:
    """By what it says that it unpacks to."""
    path = packed(tmp_path / "x.zip", {"bomb.md": b"- a\n" * (8 << 20), "good.md": "- good"})
    found = items(path)
    assert (contents(found), left(found)) == (["good"], {"bomb.md": "too_large"})


def test_a_member_that_unpacks_to_more_than_it_says_is_damaged(tmp_path: Path) -> None:
    """No more of it is read than was said, and that it is damaged is told."""
    path = packed(tmp_path / "x.zip", {"note.md": b"- a line\n" * 100_000})
    data = bytearray(path.read_bytes())
    where = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, where + 24, 900)
    path.write_bytes(data)
    found = items(path)
    assert contents(found) == [] and left(found) == {"note.md": "bad_value"}


def test_a_damaged_member_costs_only_itself(tmp_path: Path) -> None:
    """Its bytes are not what they were when the zip was made."""
    path = packed(tmp_path / "x.zip", {"a.md": "- first", "b.md": os.urandom(2000).hex(), "c.md": "- third"})
    data = bytearray(path.read_bytes())
    middle = data.index(b"b.md") + 600
    data[middle : middle + 8] = bytes(8)
    path.write_bytes(data)
    assert (contents(items(path)), left(items(path))) == (["first", "third"], {"b.md": "bad_value"})


def test_encrypted_and_strange_members_are_told_of(tmp_path: Path) -> None:
    """What needs a password, and what is compressed in a way that could grow without a bound."""
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("locked.md", "- x")
        archive.writestr("odd.md", "- x", zipfile.ZIP_BZIP2)
        archive.writestr("good.md", "- good")
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert left(items(path)) == {"locked.md": "bad_value", "odd.md": "bad_value"}


def test_a_zip_within_a_zip_is_not_opened(tmp_path: Path) -> None:
    """It is told of as a file of another kind."""
    inner = packed(tmp_path / "inner.zip", {"a.md": "- within"}).read_bytes()
    found = items(packed(tmp_path / "x.zip", {"inner.zip": inner, "a.md": "- without"}))
    assert contents(found) == ["without"]
    assert [item.place for item in found if isinstance(item, Noted)] == ["*.zip"]


def test_too_many_members_are_refused_before_one_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder and in a zip, by their number, and by the size of what the zip says of them."""
    monkeypatch.setattr(zips, "MEMBERS", 20)
    files = {f"{n}.md": "- x" for n in range(21)}
    path = packed(tmp_path / "x.zip", files)
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in files:
        (folder / name).write_text("- x")
    for each in (path, folder):
        with pytest.raises(Refusal, match="more than"):
            told(each)
    monkeypatch.setattr(zips, "MEMBERS", 30)
    monkeypatch.setattr(zips, "DIRECTORY_BYTES", 100)
    with pytest.raises(Refusal, match="more than"):
        told(path)
    monkeypatch.undo()
    monkeypatch.setattr(zips, "ALL_BYTES", 10)
    with pytest.raises(Refusal, match="unpacks to"):
        told(path)


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"PK\x05\x06" + b"\xff" * 18, b"PK\x03\x04" + b"x" * 100_000])
def test_what_only_begins_as_a_zip_is_refused(tmp_path: Path, data: bytes) -> None:
    """With a sentence, not a traceback."""
    (tmp_path / "x.zip").write_bytes(data)
    with pytest.raises(Refusal, match="zip"):
        told(tmp_path / "x.zip")


def test_a_cut_zip_is_refused_whole(tmp_path: Path) -> None:
    """What it holds stands at its end."""
    path = packed(tmp_path / "x.zip", {"a.md": "- x" * 100})
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(Refusal, match="can't be read"):
        told(path)


def test_links_that_leave_a_folder_are_not_followed(tmp_path: Path) -> None:
    """BR-070: files and folders; one that stays within is read once, where it leads to; a loop ends."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.md").write_text("- a secret")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("- a line")
    (folder / "file.md").symlink_to(tmp_path / "secret" / "key.md")
    (folder / "folder").symlink_to(tmp_path / "secret")
    (folder / "within.md").symlink_to(folder / "a.md")
    (folder / "loop").symlink_to(folder)
    found = items(folder)
    assert contents(found) == ["a line"]
    assert left(found) == {"file.md": "bad_value", "folder": "bad_value"}
    assert {item.place for item in found if isinstance(item, Noted)} == {"within.md", "loop"}


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    """Between looking and reading."""
    (tmp_path / "key").write_text("- a secret")
    folder = tmp_path / "notes"
    folder.mkdir()
    note = folder / "a.md"
    note.write_text("- a line")
    with opened(folder) as tree:
        note.unlink()
        note.symlink_to(tmp_path / "key")
        assert left(list(tree.each(tree.names, lambda _, file: iter(())))) == {"a.md": "bad_value"}


def test_pipes_hidden_folders_and_unreadable_names_hold_up_nothing(tmp_path: Path) -> None:
    """A pipe is told of; what other programs keep hidden is not looked at."""
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "workspace.md").write_text("- a setting")
    (tmp_path / "चहा.md").write_text("- चहा आवडतो")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    found = items(tmp_path)
    assert contents(found) == ["चहा आवडतो"] and left(found) == {"pipe.md": "bad_value"}
    assert {item.place for item in found if isinstance(item, Noted)} == {"hidden", "*.png"}


def test_names_that_are_no_text_and_links_in_a_circle_are_told_of(tmp_path: Path) -> None:
    """The first are read all the same, and told in signs that can be shown."""
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("- a line")
    (tmp_path / "circle.md").symlink_to("circle.md")
    found = items(tmp_path)
    assert contents(found) == ["a line"] and left(found) == {"circle.md": "bad_value"}
    assert msgspec.msgpack.encode(found) and any("\ufffd.md" in item.place for item in found)


def test_what_systems_put_into_zips_is_no_note(tmp_path: Path) -> None:
    """Nor are hidden files; a zip of a hidden folder is looked into, and backslashes part names as slashes do."""
    files = {".claude/memory/MEMORY.md": "- Uses pnpm", ".claude/memory/._MEMORY.md": b"\0\5\x16\7", ".claude/.x": ""}
    found = items(packed(tmp_path / "x.zip", files))
    assert contents(found) == ["Uses pnpm"] and left(found) == {}
    assert [item.message for item in found if isinstance(item, Noted)] == [
        "Hidden files and folders were not looked at: 2."
    ]
    sample = (SAMPLES / "claude-export" / "memories.json").read_bytes()
    windows = packed(tmp_path / "y.zip", {"export/a.txt": "- x"})
    with zipfile.ZipFile(windows, "a") as archive:
        member = zipfile.ZipInfo("x")
        member.filename = "export\\memories.json"
        archive.writestr(member, sample)
    assert len(contents(items(windows))) == 4


def test_the_reader_tells_what_it_finds_or_why_it_can_t(tmp_path: Path) -> None:
    """As a process of its own, map after map; a zip that is none is an error with a code, and no traceback."""
    for path, rc, last in (
        (packed(tmp_path / "x.zip", {"a.md": "- चहा"}), 0, {"type": "end"}),
        (tmp_path / "y.zip", 1, {"type": "error", "code": "bad_value"}),
    ):
        if not path.exists():
            path.write_bytes(b"PK\x03\x04")
        done = subprocess.run(
            [sys.executable, "-m", "memtrigd.exchange", path], capture_output=True, timeout=60, check=False
        )
        told_of = list(msgpack.Unpacker(BytesIO(done.stdout)))
        assert (done.returncode, done.stderr, {**told_of[-1], **last}) == (rc, b"", told_of[-1])
    assert told_of[-1]["message"]


def test_a_format_of_files_takes_no_folder_and_no_zip(tmp_path: Path) -> None:
    """Named before a path that holds many."""
    path = packed(tmp_path / "x.zip", {"a.md": "- x"})
    for each in (tmp_path, path):
        with pytest.raises(Refusal, match="format of files"):
            chosen("mem0", each)


def test_a_folder_without_anything_known_is_refused(tmp_path: Path) -> None:
    """And so is an empty zip."""
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    with pytest.raises(Refusal, match="folder looks like no format"):
        told(tmp_path)
    with pytest.raises(Refusal, match="zip looks like no format"):
        told(packed(tmp_path / "x.zip", {}))


def test_places_name_the_file(tmp_path: Path) -> None:
    """So that what was left can be found."""
    found = items(packed(tmp_path / "x.zip", {"in/a.md": "- x\n- y"}))
    assert [item.place for item in found if isinstance(item, Taken)] == ["in/a.md: line 1", "in/a.md: line 2"]
    assert READING.undated is False
