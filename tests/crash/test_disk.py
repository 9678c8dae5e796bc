"""The simulated disk loses what a disk may lose, and nothing else: without that its cuts would prove nothing."""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import apsw
import pytest

from tests.crash.disk import Disk
from tests.crash.recorder import Recorder

pytestmark = pytest.mark.crash

Held = dict[str, bytes | None]


@pytest.fixture(name="after")
def _after(recorder: Recorder, tmp_path: Path) -> Callable[[Callable[[Path], None]], list[Held]]:
    """What the disk may hold after something was done in a directory with the synced file ``old``: 60 cuts' worth."""

    def cut(act: Callable[[Path], None]) -> list[Held]:
        (tmp_path / "old").write_bytes(b"old")
        disk = Disk(tmp_path)
        with recorder.recording(tmp_path) as steps:
            act(tmp_path)
        for step in steps:
            disk.take(step)
        held = [disk.cut(Random(seed)) for seed in range(60)]
        return [{os.path.relpath(path, tmp_path): data for path, data in each.items()} for each in held]

    return cut


def write(path: Path, data: bytes, *, sync: bool) -> None:
    """Write a new file."""
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(descriptor, data)
    if sync:
        os.fsync(descriptor)
    os.close(descriptor)


def sync(path: Path) -> None:
    """Sync the names in a directory."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(descriptor)
    os.close(descriptor)


def test_what_is_synced_with_its_name_is_there(after: Callable[..., list[Held]]) -> None:
    """At every cut, whole."""

    def act(place: Path) -> None:
        write(place / "new", b"new", sync=True)
        sync(place)

    assert all(held["new"] == b"new" and held["old"] == b"old" for held in after(act))


def test_a_synced_file_whose_name_is_not_may_be_gone(after: Callable[..., list[Held]]) -> None:
    """And may be there; what it holds then is whole."""
    found = [held.get("new") for held in after(lambda place: write(place / "new", b"new", sync=True))]
    assert set(found) == {None, b"new"}


def test_what_is_renamed_unsynced_may_be_empty_under_its_new_name(after: Callable[..., list[Held]]) -> None:
    """The fault of many programs: a rename before the fsync."""

    def act(place: Path) -> None:
        write(place / "new", b"new", sync=False)
        (place / "new").rename(place / "old")
        sync(place)

    assert {held["old"] for held in after(act)} == {b"", b"new"}


def test_a_directory_takes_along_only_the_names_that_were_synced(after: Callable[..., list[Held]]) -> None:
    """Renamed and synced above, it may lack a file whose name in it was not."""

    def act(place: Path) -> None:
        (place / "draft").mkdir()
        write(place / "draft" / "one", b"1", sync=True)
        sync(place / "draft")
        write(place / "draft" / "two", b"2", sync=True)
        (place / "draft").rename(place / "done")
        sync(place)

    found = after(act)
    assert all(held["done/one"] == b"1" and "draft" not in held for held in found)
    assert {held.get("done/two") for held in found} == {None, b"2"}


def test_what_is_removed_may_come_back(after: Callable[..., list[Held]]) -> None:
    """Until the names are synced."""
    assert {held.get("old") for held in after(lambda place: (place / "old").unlink())} == {None, b"old"}


def test_a_commit_of_sqlite_is_lost_without_its_sync_alone(after: Callable[..., list[Held]], tmp_path: Path) -> None:
    """The same commit, with ``synchronous`` full and off: always there, and not always."""

    def commits(synchronous: str) -> set[bool]:
        def act(place: Path) -> None:
            connection = apsw.Connection(str(place / synchronous))
            connection.execute("PRAGMA journal_mode = wal; CREATE TABLE t (x)").fetchall()
            connection.execute(f"PRAGMA synchronous = {synchronous}; INSERT INTO t VALUES ('committed')").fetchall()
            states.append(connection)

        return {b"committed" in (held.get(f"{synchronous}-wal") or b"") for held in after(act)}

    states: list[apsw.Connection] = []
    assert (commits("full"), commits("off")) == ({True}, {True, False})
    for connection in states:
        connection.close()
