"""Homes that others can get at, sockets that are in the way, disks that are full."""

import os
import shutil
import socket
from collections import namedtuple
from pathlib import Path

import pytest
from memtrig.homes import Home

from memtrigd.doctor import places
from memtrigd.doctor.examination import examined
from tests.doctor.conftest import Findings, bad

Usage = namedtuple("Usage", "total used free")


def test_a_home_as_the_daemon_makes_it_is_well(home: Home, found: Findings) -> None:
    """Beside that no daemon runs and no backup was made there is nothing to say; and looking leaves no trace."""
    before = [(path, path.lstat().st_mtime_ns) for path in sorted(Path(home.root or "").rglob("*"))]
    assert {each[:2] for each in bad(found())} == {("daemon", "warn"), ("backup", "fail")}
    assert [(path, path.lstat().st_mtime_ns) for path in sorted(Path(home.root or "").rglob("*"))] == before


def test_a_home_that_was_never_used_is_no_failure_and_stays_unmade(tmp_path: Path) -> None:
    """Nothing is there, and nothing is made."""
    root = tmp_path / "no"  # the paths of its sockets must fit
    home = Home(*(os.fspath(root / part) for part in ("config", "state", "run")), root=os.fspath(root))
    assert {each.verdict for each in examined(home, 0, None).findings} <= {"ok", "warn"}
    assert not root.exists()


@pytest.mark.parametrize("name", ["state/internal.db", "state/keys/internal.key", "state/keys", "state", "run"])
def test_what_others_can_read_is_a_failure_with_the_command(home: Home, found: Findings, name: str) -> None:
    """The path is named, and the command quotes the space in it."""
    path = Path(home.root or "") / name
    path.chmod(path.stat().st_mode | 0o040)
    (finding,) = found("permissions")
    assert finding.verdict == "fail"
    assert str(path) in finding.says
    assert (
        finding.todo is not None
        and f"chmod -R go-rwx '{Path(home.root or '') / name.split('/', maxsplit=1)[0]}'" in finding.todo
    )


def test_a_configuration_that_others_read_is_well_and_one_that_they_write_is_not(home: Home, found: Findings) -> None:
    """It is no secret, but it is obeyed."""
    Path(home.config).chmod(0o755)
    assert bad(found("permissions")) == []
    (Path(home.config) / "SPINE.md").write_text("Be kind.\n")
    (Path(home.config) / "SPINE.md").chmod(0o664)
    (finding,) = found("permissions")
    assert finding.verdict == "fail" and "go-w" in (finding.todo or "")


def test_a_directory_above_that_everybody_writes_is_a_failure(home: Home, found: Findings) -> None:
    """Unless it is sticky, as /tmp is."""
    above = Path(home.root or "")
    above.chmod(0o777)
    assert [each.verdict for each in found("parents")] == ["fail"]
    above.chmod(0o1777)
    assert [each.verdict for each in found("parents")] == ["ok"]


def listening(path: Path) -> socket.socket:
    """A socket that somebody listens on."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.fspath(path))
    listener.listen()
    return listener


def test_a_socket_that_nobody_listens_on_is_told_and_left(home: Home) -> None:
    """The daemon replaces it; until then it is only in the way."""
    path = Path(home.control_socket)
    listening(path).close()
    (finding,) = places.sockets(home, None)
    assert (finding.verdict, "control.sock" in finding.says) == ("warn", True)
    assert path.exists()


def test_a_socket_of_another_process_is_named_by_its_pid(home: Home) -> None:
    """Whether or not the daemon runs; the daemon's own is well, but then the others are missing."""
    with listening(Path(home.control_socket)):
        (finding,) = places.sockets(home, None)
        assert finding.verdict == "fail" and f"Process {os.getpid()}" in finding.says
        assert [each.verdict for each in places.sockets(home, 1)] == ["fail", "fail"]
        (finding,) = places.sockets(home, os.getpid())
        assert "nobody answers at" in finding.says


def test_a_file_in_the_place_of_a_socket_is_a_failure(home: Home) -> None:
    """It was not made by the daemon, which will not touch it."""
    Path(home.hook_socket).write_text("notes")
    (finding,) = places.sockets(home, None)
    assert (finding.verdict, "hook.sock" in finding.says) == ("fail", True)


@pytest.mark.parametrize(("free", "verdict"), [(1 << 20, "fail"), (40 << 20, "warn"), (1 << 40, "ok")])
def test_a_full_disk_is_foreseen(
    home: Home, found: Findings, monkeypatch: pytest.MonkeyPatch, free: int, verdict: str
) -> None:
    """Before a backup no longer fits, and before the reserve for writers is gone."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 41, 1, free))
    assert [each.verdict for each in found("disk")] == [verdict]


def test_a_directory_for_copies_that_is_not_there_is_told(home: Home, found: Findings, tmp_path: Path) -> None:
    """None is made: it is a disk that is not plugged in."""
    copies = tmp_path / "stick"
    (Path(home.config) / "memtrigd.toml").write_text(f"[backup]\ncopies = ['{copies}']\n")
    assert [each.verdict for each in found("copies")] == ["warn"]
    copies.mkdir()
    assert [each.verdict for each in found("copies")] == ["ok"]
