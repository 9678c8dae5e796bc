"""What the holder of a read handle is told when its file can't be read."""

import gc
import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import apsw
import pytest

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store.control import SqliteControlReader
from memtrigd.store.sqlite_level import SqliteLevelReader
from memtrigd.store.vault import Vault

READS: dict[str, Callable[[SqliteLevelReader], object]] = {
    "active": lambda reader: reader.active("k", "default"),
    "pending": lambda reader: reader.pending("k", "default"),
    "by_id": lambda reader: reader.by_id("id-0001"),
    "refused": lambda reader: reader.refused("k", "default"),
    "told": lambda reader: reader.told("k", ["default"]),
    "select": lambda reader: list(reader.select(["default"], ["active"])),
    "after": lambda reader: reader.after(0, 3),
    "versions": lambda reader: reader.versions("id-0001"),
    "session_versions": lambda reader: reader.session_versions("s-1"),
    "suppressions": lambda reader: reader.suppressions(),
    "ledger": lambda reader: reader.ledger("id-0001"),
    "masks": lambda reader: reader.masks("k", ["default"]),
    "newest": lambda reader: list(reader.newest(["default"], None, None)),
    "newest, tagged": lambda reader: list(reader.newest(["default"], "tag", None)),
    "spaces": lambda reader: reader.spaces(),
    "facet": lambda reader: reader.facet(["asha"], "event", ["default"], 3),
    "corpus": lambda reader: reader.corpus(),
    "indexed": lambda reader: list(reader.indexed()),
    "changed_since": lambda reader: reader.changed_since(reader.place()),
    "document": lambda reader: reader.document(1),
    "counts": lambda reader: reader.counts(),
    "remembered": lambda reader: reader.remembered(None, "key"),
    "journal_end": lambda reader: reader.journal_end(),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_damage_is_told_as_a_refusal_that_names_the_file(
    damage: Callable[[Level], None], used: Path, read: Callable[[SqliteLevelReader], object]
) -> None:
    """Whatever is read, also inside a snapshot; the other levels are read as ever."""
    damage(Level.PUBLIC)
    with Vault.open(used) as vault:
        readers = vault.readers()
        with pytest.raises(Refusal, match=r"public\.db can't be read \(Corrupt\)") as refused:
            read(readers[Level.PUBLIC])
        assert refused.value.code == "level_unavailable"
        with pytest.raises(Refusal, match=r"public\.db"), readers[Level.PUBLIC].snapshot():
            read(readers[Level.PUBLIC])
        with readers[Level.PUBLIC].snapshot():
            pass  # the one before is over, though SQLite refuses to release it
        read(readers[Level.INTERNAL])


def test_an_error_of_the_disk_ends_a_snapshot_without_another_error(used: Path) -> None:
    """SQLite ends the transaction by itself then; the reader is told of the file and not of the transaction."""
    with Vault.open(used) as vault:
        before = _descriptors(used / "public.db")
        reader = vault.readers()[Level.PUBLIC]
        unreadable = os.open(used / "public.db", os.O_WRONLY)
        for descriptor in _descriptors(used / "public.db") - before:
            os.dup2(unreadable, descriptor)
        os.close(unreadable)
        with pytest.raises(Refusal, match=r"public\.db can't be read \(IO\)"), reader.snapshot():
            reader.active("k", "default")


def test_a_lock_is_told_as_a_refusal_that_may_pass(tmp_path: Path) -> None:
    """It names the file, and can be retried."""
    path = str(tmp_path / "control.db")
    holder, reader = apsw.Connection(path), SqliteControlReader(apsw.Connection(path))
    holder.execute("CREATE TABLE setting (name, value); BEGIN EXCLUSIVE")
    with pytest.raises(Refusal, match=r"holds control\.db") as refused:
        reader.setting("zone")
    assert (refused.value.code, refused.value.retryable) == ("store_locked", True)
    holder.execute("COMMIT")
    assert reader.setting("zone") is None
    for connection in (holder, reader.connection):
        connection.close()


def _descriptors(path: Path) -> set[int]:
    """Those that this process has open on a file."""
    return {int(fd.name) for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink() and _leads_to(fd, path)}


def _leads_to(descriptor: Path, path: Path) -> bool:
    try:
        return descriptor.readlink() == path
    except FileNotFoundError:  # it was the one by which the directory is listed
        return False


@pytest.mark.parametrize("most", [9, 3])
@pytest.mark.slow
def test_reads_leave_nothing_behind(vault: Vault, save: Callable[..., Memory], most: int) -> None:
    """No cursor more than a few, read to the end or not, with others meanwhile: they would add up as long as we run."""
    for _ in range(9):
        save()
    reader = vault.readers()[Level.INTERNAL]
    before = _cursors()
    for _ in range(20):
        for memory in islice(reader.newest(["default"], None, None), most):
            assert reader.by_id(memory.id) == memory
            assert next(reader.newest(["default"], None, None)).id == "id-0009"
    assert _cursors() <= before + 2
    assert reader.connection.txn_state("main") == apsw.SQLITE_TXN_NONE


def test_what_is_left_half_read_holds_no_snapshot(vault: Vault, save: Callable[..., Memory]) -> None:
    """Else every later read would be of that time, and the log could never be folded in."""
    for _ in range(9):
        save()
    reader = vault.readers()[Level.INTERNAL]
    half = reader.newest(["default"], None, None)
    assert next(half).id == "id-0009" and reader.connection.txn_state("main") == apsw.SQLITE_TXN_READ
    del half
    assert reader.connection.txn_state("main") == apsw.SQLITE_TXN_NONE


def _cursors() -> int:
    gc.collect()
    return sum(isinstance(each, apsw.Cursor) for each in gc.get_objects())
