"""Backups: made while somebody writes, sound or not there at all."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.retention import Keep
from memtrigd.store import backup, copies
from memtrigd.store.backup import backups_of, describe, take
from memtrigd.store.checking import verify
from memtrigd.store.drill import SCRATCH, drill
from memtrigd.store.manifest import DRAFT, find, listing, open_copy
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

Save = Callable[..., object]
INTERNAL = Level.INTERNAL


def made(state: Path, at: int = 1_790_000_000_000_000, **more: object) -> Path:
    """Take a backup; returns its directory."""
    return backups_of(state) / take(state, at=at, why="owner", server="0", **more).name  # type: ignore[arg-type]


def wrong(place: Path) -> list[str]:
    """What a backup's verification finds."""
    return [each for said in verify(place, find(place.parent, place.name)).values() for each in said]


def test_what_was_not_folded_in_yet_is_in_the_backup(vault: Vault, state: Path, save: Save) -> None:
    """BR-014: fifty memories saved and backed up at once, no checkpoint in between: all fifty are there."""
    for _ in range(50):
        save()
    place = made(state)
    with closing(open_copy(place / "internal.db")) as copy:
        assert copy.execute("SELECT count(*) FROM memory").fetchall() == [(50,)]
    assert wrong(place) == []
    assert {path.name for path in place.iterdir()} == {
        *(f"{level.slug}.db" for level in Level),
        *("control.db", "keys", "manifest.json"),
    }
    assert {path.stat().st_mode & 0o777 for path in place.rglob("*") if path.is_file()} == {0o600}
    assert place.stat().st_mode & 0o777 == 0o700


def test_it_holds_one_moment_while_somebody_writes(vault: Vault, state: Path, save: Save) -> None:
    """What was there when it began is there, in the same rows, and nothing of what was written while it ran."""
    for _ in range(100):
        save()
    with closing(apsw.Connection(str(state / "internal.db"), flags=apsw.SQLITE_OPEN_READONLY)) as reader:
        before = describe(reader, INTERNAL)
    pinned, written = threading.Event(), 0

    def pace() -> None:
        nonlocal written
        pinned.set()
        save(content="x" * 5000)
        written += 1

    manifest = find(backups_of(state), made(state, pace=pace).name)
    part = manifest.parts["internal.db"]
    assert written > 3
    assert (part.counts, part.digests, part.journal) == (before.counts, before.digests, before.journal)
    assert drill(state, manifest, Level) == {level: [] for level in Level}


@pytest.mark.parametrize("file", ["internal.db", "control.db", "keys/internal.key"])
@pytest.mark.parametrize("place_of", [0, 0.5, 0.99])
def test_a_changed_byte_is_found(used: Path, file: str, place_of: float) -> None:
    """Anywhere in any file: by the verification and by the drill, which blame no other level for a level's own."""
    place = made(used)
    with (place / file).open("r+b") as damaged:
        damaged.seek(int((place / file).stat().st_size * place_of))
        byte = damaged.read(1)
        damaged.seek(-1, os.SEEK_CUR)
        damaged.write(bytes([byte[0] ^ 0x40]))
    assert len(wrong(place)) >= 1
    found = drill(used, find(place.parent, place.name), Level)
    assert found[INTERNAL] and bool(found[Level.PUBLIC]) == (file == "control.db")
    assert not (used / SCRATCH).exists()


def test_a_backup_that_lost_a_file_or_its_manifest_is_no_good(used: Path) -> None:
    """The one is found damaged, the other is named as unreadable; neither is mistaken for a good one."""
    first, second = made(used), made(used, at=1_790_000_001_000_000)
    (first / "restricted.db").unlink()
    (second / "manifest.json").write_bytes(b"{")
    assert any("restricted.db" in each for each in wrong(first))
    assert [[each.name for each in listing(backups_of(used))[0]], listing(backups_of(used))[1]] == [
        [first.name],
        [second.name],
    ]


def test_a_level_that_cant_be_read_is_left_out_and_named(used: Path, damage: Callable[[Level], None]) -> None:
    """BR-016: the rest is there, marked partial, and no backup says of itself that it has what it could not read."""
    damage(Level.CONFIDENTIAL)
    place = made(used)
    manifest = find(place.parent, place.name)
    assert place.name.endswith("-partial") and set(manifest.failed) == {"confidential"}
    assert set(manifest.levels) == set(Level) - {Level.CONFIDENTIAL}
    assert wrong(place) == []
    assert not (place / "confidential.db").exists() and not (place / "keys" / "confidential.key").exists()


def test_an_interrupted_one_leaves_nothing(used: Path) -> None:
    """It may be ended between any two slices: what there was of it is gone."""

    def end() -> None:
        raise InterruptedError

    for _ in range(3):
        with pytest.raises(Refusal, match="failed"):
            made(used, pace=end)
        assert list(backups_of(used).iterdir()) == []


KILLED = """
import os, pathlib, signal, sys
from memtrigd.store.backup import take
left = 0
def watch(event, args):
    global left
    if event in ("open", "os.rename", "os.mkdir") and any("backups" in str(arg) for arg in args):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
for step in sys.stdin:
    pid = os.fork()
    if pid == 0:
        left = int(step)
        sys.addaudithook(watch)
        take(pathlib.Path(sys.argv[1]), at=1, why="owner", server="0")
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""
"""Takes the number of a step, and makes a backup in a process that ends there; says how that ended."""


def test_a_kill_at_any_step_leaves_no_half_backup(used: Path) -> None:
    """Killed at each of its steps: either there is none, or it is whole; what was left is swept by the next."""
    command, pipe = [sys.executable, "-c", KILLED, str(used)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as running:
        assert running.stdin is not None and running.stdout is not None
        for step in range(200):
            print(step, file=running.stdin, flush=True)
            ended = int(running.stdout.readline())
            found, unreadable = listing(backups_of(used))
            assert unreadable == []
            for each in found:
                assert wrong(backups_of(used) / each.name) == []
            if ended == 0:
                break
            assert ended == -signal.SIGKILL and (not found or step > 10)
    assert ended == 0 and step > 10
    made(used)
    assert not list(backups_of(used).glob(DRAFT + "*"))


@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("mount"), reason="a small file system takes root")
def test_a_full_disk_leaves_nothing(used: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that is too small for the backup: it is refused as such, and there is not one file of it."""
    root = backups_of(used)
    root.mkdir(mode=0o700)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=500k", "none", str(root)], check=False)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        for reserve in (backup.RESERVE, -(1 << 40)):
            monkeypatch.setattr(backup, "RESERVE", reserve)
            with pytest.raises(Refusal) as refused:
                made(used)
            assert (refused.value.code, refused.value.retryable, list(root.iterdir())) == ("disk_full", True, [])
    finally:
        subprocess.run(["umount", str(root)], check=True)


def test_copies_leave_out_what_never_leaves(used: Path, tmp_path: Path) -> None:
    """Whole and sound without that level, neither its database nor its key; a directory that is not there is missed."""
    away, gone = tmp_path / "away", tmp_path / "gone"
    away.mkdir()
    place = made(used)
    manifest = find(place.parent, place.name)
    missed = copies.copy_out(used, manifest, [away, gone], frozenset({Level.RESTRICTED}))
    assert missed == [str(gone)] and not gone.exists()
    assert wrong(away / place.name) == []
    names = {path.name for path in (away / place.name).rglob("*")}
    assert not names & {"restricted.db", "restricted.key"} and {"internal.db", "internal.key"} <= names


def test_thinning_out_never_drops_the_only_one_of_a_kind(used: Path, damage: Callable[[Level], None]) -> None:
    """A partial backup, however new, does not stand in for the last one that has its level; nor for the safety copy."""
    day = 86_400_000_000
    safety = take(used, at=day, why="restore", server="0").name
    whole = made(used, at=2 * day).name
    damage(Level.PUBLIC)
    partial = made(used, at=300 * day).name
    assert copies.thin_out(backups_of(used), Keep(0, 0, 0), 400 * day) == []
    assert {each.name for each in listing(backups_of(used))[0]} == {safety, whole, partial}


def test_two_stores_share_a_directory_of_copies(used: Path, tmp_path: Path) -> None:
    """Each keeps its own: the newest of one does not stand in for that of the other, of the same day or not."""
    other, shared = tmp_path / "other", tmp_path / "shared"
    Vault.open(other).close()
    shared.mkdir()
    for number, state in enumerate((used, other, used, other)):
        manifest = take(state, at=(number + 1) * 1_000_000, why="owner", server="0")
        assert copies.copy_out(state, manifest, [shared], frozenset()) == []
    newest = {listing(backups_of(state))[0][0].name for state in (used, other)}
    copies.thin_out(shared, Keep(1, 0, 0), 400 * 86_400_000_000)
    assert {each.name for each in listing(shared)[0]} == newest


def test_a_manifest_that_is_nested_too_deeply_is_one_that_cant_be_read(used: Path) -> None:
    """It stands in nobody's way: the others are listed and found."""
    place = made(used)
    spoilt = place.with_name("spoilt")
    spoilt.mkdir()
    (spoilt / "manifest.json").write_bytes(b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}")
    found, unreadable = listing(place.parent)
    assert ([each.name for each in found], unreadable) == ([place.name], ["spoilt"])


def test_a_name_is_never_a_path(used: Path) -> None:
    """BR-070: only what is listed can be named."""
    made(used)
    for name in ("../../etc", "/etc/passwd", "..", ".", "", "%2e%2e", "a\0b", "~root"):
        with pytest.raises(Refusal) as refused:
            find(backups_of(used), name)
        assert refused.value.code == "not_found"


def test_the_journal_of_a_backup_is_held_against_its_key(used: Path) -> None:
    """Rows changed by whoever can write the files and the manifest, but has no key of the journal."""
    place = made(used)
    with closing(apsw.Connection(str(place / "internal.db"))) as connection:
        connection.execute("UPDATE memory SET content = 'forged'")
    forged = take_again(place)
    assert verify(place, forged)[INTERNAL] == ["Memory id-0002 is not as the journal left it."]


def take_again(place: Path) -> object:
    """The manifest that would fit the files as they are now."""
    import msgspec

    from memtrigd.store.manifest import sha256

    manifest = find(place.parent, place.name)
    with closing(open_copy(place / "internal.db")) as copy:
        part = describe(copy, INTERNAL)
    part = msgspec.structs.replace(part, bytes=0, sha256=sha256(place / "internal.db"))
    return msgspec.structs.replace(manifest, parts={**manifest.parts, "internal.db": part})


def test_transactions_go_on_beside_it(vault: Vault, state: Path, transactions: Transactions, save: Save) -> None:
    """The snapshot that a backup holds blocks no commit."""
    waits: list[float] = []

    def pace() -> None:
        save()
        waits.append(0)

    for _ in range(20):
        save()
    made(state, pace=pace)
    assert waits
