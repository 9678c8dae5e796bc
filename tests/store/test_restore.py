"""Restores: whole, or not begun, wherever they are cut off."""

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from memtrigd.domain.errors import Refusal
from memtrigd.domain.levels import Level
from memtrigd.store.audit import Head
from memtrigd.store.backup import backups_of, take
from memtrigd.store.database import create
from memtrigd.store.drill import drill
from memtrigd.store.interface import Change
from memtrigd.store.manifest import Manifest, find, listing
from memtrigd.store.restore import INTENT, OP, REPLACED, STAGED, Intent, set_aside, stage
from memtrigd.store.schema import LEVELS, Schema
from memtrigd.store.vault import Vault
from memtrigd.store.writer import Transactions

pytestmark = pytest.mark.slow

INTERNAL = Level.INTERNAL
AT = 1_790_000_000_000_000


@pytest.fixture(name="saved")
def _saved(used: Path) -> Manifest:
    """A backup with ``k`` in it; since then ``k`` has another text at INTERNAL and PUBLIC."""
    manifest = take(used, at=AT, why="owner", server="0")
    change(used, "later")
    return manifest


def change(state: Path, text: str) -> None:
    """Say something else at two levels, and let control.db know where their journals end."""
    told = Change(op="amend", actor="owner", session=None, at=AT + 1, reason=text)
    with Vault.open(state) as vault:
        for level in (INTERNAL, Level.PUBLIC):
            row = vault.readers()[level].active("k", "default")
            assert row is not None
            amended = replace(row, reason=text)
            Transactions(vault).run_now(level, lambda hands, amended=amended: hands.writer.amend(amended, told))
            vault.control_writer().keep_journal_end(level, *vault.readers()[level].journal_end())


def texts(state: Path) -> dict[Level, str | None]:
    """What each level has now; its journals are sound."""
    with Vault.open(state) as vault:
        assert vault.unavailable == {}
        assert [problem for level in Level for problem in vault.verify(level)] == []
        found = {level: vault.readers()[level].active("k", "default") for level in Level}
        return {level: None if row is None else row.reason for level, row in found.items()}


BEFORE = {Level.PUBLIC: "later", INTERNAL: "later", Level.CONFIDENTIAL: None, Level.RESTRICTED: None}


def test_one_level_goes_back_and_the_others_stay(used: Path, saved: Manifest) -> None:
    """Its journal tells of it, its end is known anew, and what made way is set aside."""
    stage(used, saved, Intent(name=saved.name, at=AT + 2, levels=[INTERNAL]))
    assert texts(used) == {**BEFORE, INTERNAL: None}
    with Vault.open(used) as vault:
        (event,) = vault.readers()[INTERNAL].events_since(0)
        assert (event.op, event.actor, event.at) == (OP, "owner", AT + 2)
        assert vault.control_reader().journal_end(INTERNAL) == vault.readers()[INTERNAL].journal_end()
        assert vault.restored is None
    ((at, aside),) = set_aside(used)
    assert at == AT + 2 and (aside / "internal.db").exists() and (aside / "keys" / "internal.key").exists()
    assert not (used / STAGED).exists() and not (used / INTENT).exists()


@pytest.mark.parametrize("harm", ["lost", "torn", "foreign", "keyless"])
def test_a_level_that_could_not_be_used_comes_back(used: Path, saved: Manifest, harm: str) -> None:
    """BR-013: the daemon had refused it and left it alone; the restore sets it aside as it was."""
    path, key = used / "internal.db", used / "keys" / "internal.key"
    match harm:
        case "lost":
            path.unlink()
        case "torn":
            with path.open("r+b") as file:
                file.write(bytes(64))
        case "foreign":
            shutil.copyfile(used / "public.db", path)
        case "keyless":
            key.unlink()
    with Vault.open(used) as vault:
        assert set(vault.unavailable) == {INTERNAL}
    stage(used, saved, Intent(name=saved.name, at=AT + 2, levels=[INTERNAL]))
    assert texts(used) == {**BEFORE, INTERNAL: None}
    if harm == "torn":
        assert (set_aside(used)[0][1] / "internal.db").read_bytes()[:64] == bytes(64)


def test_a_damaged_backup_is_not_laid_ready(used: Path, saved: Manifest) -> None:
    """Nothing is staged, and what there is stays."""
    with (backups_of(used) / saved.name / "internal.db").open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff")
    with pytest.raises(Refusal, match="damaged"):
        stage(used, saved, Intent(name=saved.name, at=AT + 2, levels=list(Level)))
    assert not (used / STAGED).exists() and not (used / INTENT).exists()
    assert texts(used) == BEFORE


def test_an_intent_that_cant_be_read_is_not_guessed_at(used: Path) -> None:
    """The store is not opened, and nothing of it is touched."""
    (used / INTENT).write_bytes(b"{")
    before = (used / "internal.db").read_bytes()
    with pytest.raises(Refusal, match=INTENT):
        Vault.open(used)
    assert (used / "internal.db").read_bytes() == before


KILLED = """
import os, pathlib, signal, sys
from memtrigd.domain.levels import Level
from memtrigd.store.manifest import find
from memtrigd.store.restore import Intent, stage
from memtrigd.store.vault import Vault
state, left, at = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
def watch(event, args):
    global left
    if event in ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir") and str(state) in str(args[0]):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
if not (state / "restore.json").exists():
    newest = find(state / "backups", None)
    stage(state, newest, Intent(name=newest.name, at=at, levels=list(Level)))
Vault.open(state).close()
print("done")
"""


def test_a_kill_at_any_step_is_finished_or_never_was(used: Path, saved: Manifest, tmp_path: Path) -> None:
    """BR-011: killed at each step, the next start has the old state of all levels, or the new of all, and its copy."""
    new, outcomes = dict.fromkeys(Level), list[bool]()
    for step in range(0, 400, 3):
        state = tmp_path / "killed"
        shutil.copytree(used, state)
        command = [sys.executable, "-c", KILLED, str(state), str(step), str(AT + 2)]
        done = subprocess.run(command, check=False, timeout=60, capture_output=True)
        found = texts(state)
        assert found in (BEFORE, new), step
        restored = found == new
        assert restored == bool(set_aside(state)), step
        if restored:
            with Vault.open(state) as vault:
                assert len(list(vault.readers()[INTERNAL].events_since(0))) == 1
            assert (state / REPLACED / str(AT + 2) / "internal.db").exists()
        assert (state / "backups" / saved.name).is_dir()
        shutil.rmtree(state)
        outcomes.append(restored)
        if done.stdout:
            break
    assert done.stdout, done.stderr
    assert outcomes == sorted(outcomes) and outcomes.count(False) > 3 and outcomes.count(True) > 5


def test_a_newer_schema_comes_after_a_backup(tmp_path: Path) -> None:
    """BR-017: the older files are kept as they were, and how many memories there were before and after is known."""
    state = tmp_path / "state"
    Vault.open(state).close()
    (state / "internal.db").unlink()
    schema = LEVELS[INTERNAL]
    create(state / "internal.db", Schema(schema.application_id, schema.steps[:1]))
    with Vault.open(state) as vault:
        assert vault.before is not None and vault.before.why == "migration"
        assert vault.before.parts["internal.db"].schema == 1
        assert vault.brought_up_to_date() == dict.fromkeys(Level, (0, 0))
        assert vault.unavailable == {}
    with Vault.open(state) as vault:
        assert vault.before is None
    assert len(listing(backups_of(state))[0]) == 1
    assert find(backups_of(state), None).levels == tuple(Level)


def test_a_level_that_cant_be_brought_up_to_date_is_backed_up_once(tmp_path: Path) -> None:
    """BR-017: it is refused and left alone at each start; a backup more comes only when it has changed."""
    state = tmp_path / "state"
    Vault.open(state).close()
    (state / "internal.db").unlink()
    schema = LEVELS[INTERNAL]
    create(state / "internal.db", Schema(schema.application_id, schema.steps[:1]))
    with closing(apsw.Connection(str(state / "internal.db"))) as connection:
        connection.execute("CREATE TABLE entry (other)")  # in the way of the next step
    for _ in range(3):
        with Vault.open(state) as vault:
            assert set(vault.unavailable) == {INTERNAL}
    assert len(listing(backups_of(state))[0]) == 1
    with closing(apsw.Connection(str(state / "internal.db"))) as connection:
        connection.execute("DROP TABLE entry; INSERT INTO mask VALUES ('k', 'default', 'id', 1)")
    with Vault.open(state) as vault:
        assert vault.unavailable == {}
        assert vault.brought_up_to_date() == dict.fromkeys(Level, (0, 0))
    assert len(listing(backups_of(state))[0]) == 2


def test_a_backup_of_an_older_schema_can_be_tried_out_and_restored(tmp_path: Path) -> None:
    """It is brought up to date where it is put, not in the backup."""
    state = tmp_path / "state"
    Vault.open(state).close()
    (state / "internal.db").unlink()
    schema = LEVELS[INTERNAL]
    create(state / "internal.db", Schema(schema.application_id, schema.steps[:1]))
    old = take(state, at=AT, why="owner", server="0")
    with Vault.open(state):
        pass
    assert drill(state, old, Level) == {level: [] for level in Level}
    stage(state, old, Intent(name=old.name, at=AT + 2, levels=list(Level)))
    with Vault.open(state) as vault:
        assert vault.unavailable == {} and vault.restored is not None
    assert find(backups_of(state), old.name).parts["internal.db"].schema == 1


def test_a_head_of_the_time_line_that_was_left_is_held_against_nothing(used: Path, saved: Manifest) -> None:
    """The end that control.db kept before the restore is no more an anchor; the one after it is."""
    stage(used, saved, Intent(name=saved.name, at=AT + 2, levels=list(Level)))
    with Vault.open(used) as vault:
        kept = vault.control_reader().journal_end(INTERNAL)
        assert kept is not None and Head(kept[0], bytes.fromhex(kept[1])).seq == 2


def put_back(state: Path, manifest: Manifest, at: int, levels: list[Level], *, control: bool = False) -> None:
    """Restore as the daemon does: what there is is backed up, then the next start swaps."""
    take(state, at=at, why="restore", server="0")
    stage(state, manifest, Intent(name=manifest.name, at=at, levels=levels, control=control, made=manifest.at))
    Vault.open(state).close()


def test_a_control_db_of_the_time_line_that_a_restore_left_is_no_sign_of_an_edit(used: Path, saved: Manifest) -> None:
    """Its journal ends are kept anew where the journal tells, sealed, of a restore since."""
    for text in ("later still", "the latest"):
        change(used, text)
    put_back(used, saved, AT + 2, list(Level))
    safety = find(backups_of(used), None)
    assert safety.why == "restore"
    put_back(used, safety, AT + 3, [], control=True)
    assert texts(used)[INTERNAL] is None


def test_an_end_that_no_restore_explains_stays(used: Path, saved: Manifest) -> None:
    """A journal that lost rows by other means is told of after control.db was put back, too."""
    newer = take(used, at=AT + 2, why="owner", server="0")
    older = backups_of(used) / saved.name / "internal.db"
    shutil.copyfile(older, used / "internal.db")
    put_back(used, newer, AT + 3, [], control=True)
    with Vault.open(used) as vault:
        assert any("journal" in problem.lower() for problem in vault.verify(INTERNAL))


def test_unnamed_the_newest_of_all_levels_is_meant_and_no_safety_copy(used: Path, saved: Manifest) -> None:
    """What was made of one level alone does not stand for all, and one restore does not take back the other."""
    take(used, at=AT + 2, why="agent", server="0", levels=[INTERNAL])
    newest = take(used, at=AT + 3, why="restore", server="0")
    assert find(backups_of(used), None).name == newest.name
    assert find(backups_of(used), None, but="restore").name == saved.name
    assert find(backups_of(used), None, (INTERNAL,), but="restore").levels == (INTERNAL,)
