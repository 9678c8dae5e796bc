"""The files of a daemon: who may open them, what is refused, and that nothing is ever replaced by an empty file."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.memory import Memory
from memtrigd.store.interface import Change
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions


@pytest.fixture
def umask() -> Iterator[Callable[[int], object]]:
    """Set the umask for this test."""
    before = os.umask(0o022)
    os.umask(before)
    yield os.umask
    os.umask(before)


def test_what_was_saved_is_there_after_a_restart(used: Path) -> None:
    """Every level is available and holds its memory; the logs were folded in at the close."""
    assert not list(used.glob("*-wal"))
    with Vault.open(used) as vault:
        assert vault.unavailable == {}
        assert [reader.active("k", "default").level for reader in vault.readers().values()] == list(Level)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_all_is_private_whatever_the_umask(
    state: Path, umask: Callable[[int], object], mask: int, memory: Callable[..., Memory], change: Callable[[], Change]
) -> None:
    """Directories are 0700 and files 0600, SQLite's own logs and the lock among them."""
    state.parent.mkdir(exist_ok=True)
    umask(mask)
    with Vault.open(state) as vault:
        Transactions(vault).run_now(Level.PUBLIC, lambda h: h.writer.add(memory(level=Level.PUBLIC), [], change()))
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in state.rglob("*")}
    assert stat.S_IMODE(state.stat().st_mode) == 0o700 == modes.pop("keys")
    assert {"public.db", "public.db-wal", "public.db-shm", "control.db", "daemon.lock", "public.key"} <= modes.keys()
    assert set(modes.values()) == {0o600}


def test_modes_that_somebody_opened_up_are_closed_again(used: Path) -> None:
    """A file that was restored with the wrong mode does not stay readable for others."""
    (used / "public.db").chmod(0o644)
    (used / "keys" / "public.key").chmod(0o644)
    Vault.open(used).close()
    for path in (used / "public.db", used / "keys" / "public.key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_second_daemon_is_refused_and_told_who_holds_the_store(vault: Vault, state: Path) -> None:
    """Another process gets store_locked with our pid; the first one is not disturbed."""
    script = (
        "import sys, pathlib\nfrom memtrigd.store.vault import Vault\nfrom memtrigd.domain.errors import Refusal\n"
        "try: Vault.open(pathlib.Path(sys.argv[1]))\nexcept Refusal as r: print(r.code, r.message)"
    )
    done = subprocess.run([sys.executable, "-c", script, state], capture_output=True, text=True, check=True)
    assert done.stdout == f"store_locked Another memtrigd (process {os.getpid()}) has this store.\n"
    assert vault.unavailable == {}


def test_the_lock_is_let_go_at_the_close(state: Path) -> None:
    """The next daemon can have the store at once."""
    Vault.open(state).close()
    Vault.open(state).close()


def _foreign(path: Path) -> None:
    path.unlink()
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()


def _without_a_version(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 0)
    connection.pragma("journal_mode", "delete")
    connection.close()


def _a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _of_another_level(path: Path) -> None:
    path.write_bytes((path.parent / "restricted.db").read_bytes())


SPOILT = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("my shopping list " * 50),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "foreign": _foreign,
    "of another level": _of_another_level,
    "without a version": _without_a_version,
    "a directory": _a_directory,
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_file_that_is_not_ours_is_refused_and_left_alone(used: Path, spoil: Callable[[Path], object]) -> None:
    """The level is unavailable, the others work, and the file keeps every byte."""
    path = used / "public.db"
    spoil(path)
    before = path.is_file() and path.read_bytes()
    with Vault.open(used) as vault:
        assert {level: refusal.code for level, refusal in vault.unavailable.items()} == {
            Level.PUBLIC: "level_unavailable"
        }
        assert (
            sorted(vault.readers()) == sorted(vault.writers()) == [Level.INTERNAL, Level.CONFIDENTIAL, Level.RESTRICTED]
        )
        with pytest.raises(Refusal, match=r"public\.db"):
            Transactions(vault).run_now(Level.PUBLIC, lambda hands: None)
    assert (path.is_file() and path.read_bytes()) == before


@pytest.fixture
def immutable() -> Iterator[Callable[[Path], None]]:
    """Forbid every change of a file, for root too, until the test is over; skips where the file system can't."""
    locked: list[Path] = []

    def lock(path: Path) -> None:
        if shutil.which("chattr") is None or _chattr("+i", path):
            pytest.skip("files can't be made immutable here")
        locked.append(path)

    yield lock
    for path in locked:
        _chattr("-i", path)


def _chattr(change: str, path: Path) -> int:
    return subprocess.run(["chattr", change, path], capture_output=True, check=False).returncode


def test_a_file_that_may_not_be_changed_costs_its_level_only(used: Path, immutable: Callable[[Path], None]) -> None:
    """Such a database can't be written; a key is only read, and stays as good as it was."""
    immutable(used / "restricted.db")
    immutable(used / "keys" / "public.key")
    with Vault.open(used) as vault:
        assert {level: why.code for level, why in vault.unavailable.items()} == {Level.RESTRICTED: "level_unavailable"}
        assert "restricted.db can't be used: it may not be written" in vault.unavailable[Level.RESTRICTED].message
    (used / "public.db").chmod(0o644)
    immutable(used / "public.db")
    with Vault.open(used) as vault:
        assert vault.unavailable[Level.PUBLIC].message == "public.db can't be used: Operation not permitted."


def test_a_control_file_that_may_not_be_changed_refuses_the_start(
    used: Path, immutable: Callable[[Path], None]
) -> None:
    """With a sentence, where a traceback would tell the owner nothing."""
    immutable(used / "control.db")
    with pytest.raises(Refusal, match=r"control\.db") as refused:
        Vault.open(used)
    assert refused.value.hint


def test_a_level_that_can_no_longer_be_read_at_the_start_is_left_out(used: Path) -> None:
    """Between the two openings somebody took the file away: its level is missing, and the others' handles are there."""
    with Vault.open(used) as vault:
        (used / "internal.db").rename(used / "elsewhere")
        assert sorted(vault.readers()) == [Level.PUBLIC, Level.CONFIDENTIAL, Level.RESTRICTED]
        assert vault.unavailable[Level.INTERNAL].code == "level_unavailable"
        (used / "elsewhere").rename(used / "internal.db")


def test_a_damaged_level_is_not_written_at_the_close(used: Path, damage: Callable[[Level], None]) -> None:
    """Its log is not folded in: what can still be rescued from the file stays there."""
    damage(Level.PUBLIC)
    before = (used / "public.db").read_bytes()
    with Vault.open(used) as vault:
        vault.writers()[Level.PUBLIC].connection.execute("CREATE TABLE logged (x)")
        vault.unavailable[Level.PUBLIC] = Refusal("level_unavailable", "It is damaged.")
    assert (used / "public.db").read_bytes() == before
    assert (used / "public.db-wal").stat().st_size


@pytest.mark.parametrize("control", [True, False], ids=["", "control.db gone too"])
def test_a_lost_file_is_not_replaced_by_an_empty_one(used: Path, control: bool) -> None:
    """At no later start either; once the file is back, the level is."""
    saved = (used / "public.db").read_bytes()
    (used / "public.db").unlink()
    if not control:
        (used / "control.db").unlink()
    for _ in range(2):
        with Vault.open(used) as vault:
            assert "is gone" in vault.unavailable[Level.PUBLIC].message
        assert not (used / "public.db").exists()
    (used / "public.db").write_bytes(saved)
    with Vault.open(used) as vault:
        assert vault.readers()[Level.PUBLIC].active("k", "default") is not None


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"short")], ids=["gone", "short"])
def test_a_level_without_its_key_is_unavailable(used: Path, spoil: Callable[[Path], object]) -> None:
    """A new key would make the old journal worthless, so none is made."""
    key = used / "keys" / "public.key"
    spoil(key)
    with Vault.open(used) as vault:
        assert "keys/public.key" in vault.unavailable[Level.PUBLIC].message
    assert not key.exists() or key.read_bytes() == b"short"


def test_a_crash_while_a_level_is_made_does_not_cost_the_level(state: Path) -> None:
    """A key without a database, or half a database beside its place, are used or made anew at the next start."""
    Vault.open(state).close()
    with Vault.open(state) as vault:
        control = vault.control_writer()
        control.connection.execute("DELETE FROM setting WHERE name = 'created.public'")
    (state / "public.db").rename(state / "public.new")
    os.truncate(state / "public.new", 5000)
    key = (state / "keys" / "public.key").read_bytes()
    with Vault.open(state) as vault:
        assert vault.unavailable == {}
    assert (state / "keys" / "public.key").read_bytes() == key


def test_a_log_without_its_database_is_not_mixed_into_a_new_one(state: Path) -> None:
    """SQLite would replay it into whatever file bears the name; so no file gets the name."""
    state.mkdir()
    (state / "public.db-wal").write_bytes(b"pages of a lost database")
    with Vault.open(state) as vault:
        assert "its log is there" in vault.unavailable[Level.PUBLIC].message
    assert not (state / "public.db").exists()


def test_a_level_that_an_older_control_file_does_not_know_is_known_again(used: Path) -> None:
    """It was restored from before the level was made; the level's later loss is noticed all the same."""
    with Vault.open(used) as vault:
        vault.control_writer().connection.execute("DELETE FROM setting")
    Vault.open(used).close()
    (used / "public.db").unlink()
    with Vault.open(used) as vault:
        assert "is gone" in vault.unavailable[Level.PUBLIC].message


def test_a_spoilt_control_file_stops_the_start_and_frees_the_lock(used: Path) -> None:
    """Nothing is opened without the sessions; after the repair the same process can open the store."""
    path = used / "control.db"
    saved = path.read_bytes()
    path.write_bytes(b"not a database")
    with pytest.raises(Refusal, match=r"control\.db"):
        Vault.open(used)
    path.write_bytes(saved)
    Vault.open(used).close()


def test_each_set_of_read_handles_is_its_own(vault: Vault) -> None:
    """Two threads never share a connection."""
    first, second = vault.readers(), vault.readers()
    assert all(first[level].connection is not second[level].connection for level in Level)


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("secure_delete", 1), ("foreign_keys", 1), ("trusted_schema", 0)],
)
def test_writers_are_set_up_for_durability(vault: Vault, pragma: str, value: object) -> None:
    """SQLite confirms what an acknowledgement rests on, for each file that is written."""
    connections = [vault.control_writer().connection, *(writer.connection for writer in vault.writers().values())]
    assert [connection.pragma(pragma) for connection in connections] == [value] * 5
