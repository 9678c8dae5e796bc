"""control.db comes back from a backup, whole or not at all, wherever it is cut off."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from memtrig.homes import Home

from memtrigd.doctor.control_back import control_back
from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.domain.trust import Hearing
from memtrigd.store.backup import take
from memtrigd.store.interface_control import SessionRow
from memtrigd.store.restore import INTENT, STAGED, set_aside
from memtrigd.store.vault import Vault
from tests.doctor.conftest import NOW, TEXTS


def session(name: str) -> SessionRow:
    """A session that goes on."""
    return SessionRow(
        id=name,
        token_hash=name.encode(),
        agent="cook",
        conversation=None,
        space=None,
        origin="level-internal",
        start_level=Level.INTERNAL,
        level=Level.INTERNAL,
        ceiling=Level.INTERNAL,
        opened=NOW,
        seen=NOW,
        ended=None,
        hearing=Hearing.NONE,
        untrusted=False,
    )


@pytest.fixture(name="state")
def _state(home: Home) -> Path:
    """A state directory with a session in control.db and a backup of it; since then control.db was torn."""
    state = Path(home.state)
    with Vault.open(state) as vault:
        vault.control_writer().add(session("s-1"))
    take(state, at=NOW, why="owner", server="0")
    with (state / "control.db").open("r+b") as file:
        file.write(bytes(64))
    return state


def test_a_torn_control_db_keeps_the_daemon_from_starting_and_names_the_command(state: Path) -> None:
    """BR-013: no empty one is made over it."""
    with pytest.raises(Refusal) as caught:
        Vault.open(state)
    assert "memtrigctl restore --control" in caught.value.hint
    assert (state / "control.db").read_bytes()[:64] == bytes(64)


def test_that_of_the_newest_sound_backup_comes_back_and_every_session_ends(state: Path) -> None:
    """A newer backup with a damaged control.db is passed over; what made way is kept; the memories are as they were."""
    good = next((state / "backups").iterdir())
    newer = shutil.copytree(good, state / "backups" / "2999-01-01T000000Z")
    manifest = newer / "manifest.json"
    manifest.write_text(manifest.read_text().replace(str(NOW), str(NOW + 10**9)))
    with (newer / "control.db").open("r+b") as file:
        file.write(bytes(64))
    restored, aside = control_back(state, None)
    assert restored.name == good.name
    assert (state / aside / "control.db").read_bytes()[:64] == bytes(64)
    with Vault.open(state) as vault:
        row = vault.control_reader().by_id("s-1")
        assert row is not None and row.ended is not None
        assert vault.unavailable == {}
        assert vault.readers()[Level.INTERNAL].counts()["active"] == len(TEXTS)
        assert [problem for level in Level for problem in vault.verify(level)] == []


def test_a_running_daemon_keeps_its_control_db(home: Home) -> None:
    """Whoever has the store is named, and nothing is laid ready."""
    state = Path(home.state)
    with Vault.open(state), pytest.raises(Refusal) as caught:
        control_back(state, None)
    assert caught.value.code == "store_locked"
    assert not (state / STAGED).exists()


@pytest.mark.parametrize("name", [None, "2026-01-01T000000Z"])
def test_without_a_sound_backup_nothing_is_done(home: Home, name: str | None) -> None:
    """None at all, or none of that name."""
    before = (Path(home.state) / "control.db").read_bytes()
    with pytest.raises(Refusal) as caught:
        control_back(Path(home.state), name)
    assert caught.value.code == "not_found"
    assert (Path(home.state) / "control.db").read_bytes() == before


def test_a_home_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    """A wrong --home is told."""
    with pytest.raises(Refusal, match="no store"):
        control_back(tmp_path / "none", None)
    assert not (tmp_path / "none").exists()


KILLED = """
import os, pathlib, shutil, signal, sys
from memtrigd.doctor.control_back import control_back
whole, scratch = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
left, state = 0, whole
def watch(event, args):
    global left
    if event in ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir") and str(state) in str(args[0]):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
for step in range(500):
    state = scratch / str(step)
    shutil.copytree(whole, state)
    child = os.fork()
    if not child:
        left = step
        sys.addaudithook(watch)
        control_back(state, None)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        print("done")
        break
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_kill_at_any_step_is_finished_or_never_was(state: Path, template: Path) -> None:
    """The next start has the old file, and says so again, or the new one; the old one is kept in any case."""
    scratch = template.with_name("killed-control")
    command = [sys.executable, "-c", KILLED, str(state), str(scratch)]
    done = subprocess.run(command, check=False, timeout=250, capture_output=True, text=True)
    assert done.stdout, done.stderr
    outcomes = []
    for killed in sorted(scratch.iterdir(), key=lambda path: int(path.name)):
        try:
            with Vault.open(killed) as vault:
                row = vault.control_reader().by_id("s-1")
                assert row is not None and row.ended is not None, killed
                assert vault.unavailable == {}, killed
            outcomes.append(True)
            assert (set_aside(killed)[0][1] / "control.db").read_bytes()[:64] == bytes(64), killed
            assert not (killed / INTENT).exists()
        except Refusal:
            outcomes.append(False)
            assert (killed / "control.db").read_bytes()[:64] == bytes(64), killed
            control_back(killed, None)
    assert outcomes == sorted(outcomes) and outcomes.count(False) > 3 and outcomes.count(True) > 5
