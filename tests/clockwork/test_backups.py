"""Backups by themselves: when they are made, what status tells of them, and that no level hears of another's."""

import errno
from pathlib import Path

import pytest
from memtrig import wire

from memtrigd.clockwork import backups
from memtrigd.clockwork.backups import FIRST, HOUR, Plan
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY
from memtrigd.domain.retention import Keep
from memtrigd.gate.doors import CONTROL
from memtrigd.store import copies as copies_of_store
from memtrigd.store import restore
from tests.serve.harness import Line, World

INTERNAL = Level.INTERNAL


def copies(line: Line, level: Level = INTERNAL) -> wire.Copies:
    """What status tells of a level's backups."""
    told = line.ask(wire.GetStatus())
    found = next(each.backups for each in told.levels if each.level == level.name)
    assert found is not None
    return found


def at(world: World, micros: int) -> None:
    """Let the clock go on, and the daemon look what is due."""
    world.now += micros
    world.backups.tick()


def listed(control: Line) -> list[wire.Copy]:
    """The backups that there are."""
    told = control.ask(wire.BackupList())
    assert told.unreadable == []
    return list(told.backups)


def newest(world: World) -> Path:
    """The directory of the newest backup."""
    return world.state / "backups" / world.backups.found[0].name


def spoil(path: Path) -> None:
    """Change a byte in the midst of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_one_a_day_and_a_drill_a_week(world: World) -> None:
    """The first some minutes after the first start, then daily; thinned out as planned; drills say that all is well."""
    agent, control = world.agent(INTERNAL), world.connect(CONTROL)
    at(world, 0)
    assert listed(control) == [] and not copies(agent).red
    at(world, FIRST)
    assert [(each.why, len(each.levels)) for each in listed(control)] == [("scheduled", 4)]
    for _ in range(48):
        at(world, HOUR // 2)
    assert len(listed(control)) == 2
    told = copies(agent)
    assert told.good is not None and told.drill is not None and not (told.red or told.drill_failed)
    for _ in range(20):
        at(world, DAY)
    assert 7 <= len(listed(control)) <= 13
    assert copies(agent).drill != told.drill


def test_a_drill_on_a_damaged_backup_turns_status_red_and_a_new_one_is_made(world: World) -> None:
    """Within one cycle; red for that level alone; the new backup is tried out the next day, and all is well again."""
    agent, above = world.agent(INTERNAL), world.agent(Level.RESTRICTED)
    for wait in (0, FIRST, 2 * HOUR):
        at(world, wait)
    before = len(world.backups.found)
    world.backups.plan = Plan(every=100 * DAY)
    spoil(newest(world) / "internal.db")
    at(world, 7 * DAY)
    assert copies(agent).red and copies(agent).drill_failed
    assert not copies(above, Level.RESTRICTED).red
    assert len(world.backups.found) == before + 1
    at(world, DAY)
    assert not copies(agent).red


def test_a_backup_that_fails_stays_red_until_one_succeeds(world: World) -> None:
    """BR-016: the time of the last good one stays old, the code says why, and it is tried again in an hour."""
    agent = world.agent(INTERNAL)
    for wait in (0, FIRST):
        at(world, wait)
    good = copies(agent).good
    (world.state / "keys" / "internal.key").rename(world.state / "away")
    at(world, DAY)
    told = copies(agent)
    assert (told.good, told.failed, told.red) == (good, "level_unavailable", True)
    (world.state / "away").rename(world.state / "keys" / "internal.key")
    at(world, DAY)
    assert copies(agent).good != good and not copies(agent).red


def test_an_old_one_is_red_even_if_nothing_failed(world: World) -> None:
    """As when the daemon did not run; where none are to be made, nothing is missing."""
    agent = world.agent(INTERNAL)
    for wait in (0, FIRST):
        at(world, wait)
    world.now += 3 * DAY
    assert copies(agent).red
    world.backups.plan = Plan(on=False)
    assert not copies(agent).red
    at(world, DAY)
    assert len(world.backups.found) == 1


def test_what_became_of_it_outlives_the_daemon(world: World) -> None:
    """Status tells the same after a restart, and no backup is made again for it."""
    for wait in (0, FIRST):
        at(world, wait)
    told = copies(world.agent(INTERNAL))
    world.restart()
    assert copies(world.agent(INTERNAL)) == told
    at(world, HOUR)
    assert len(world.backups.found) == 1


def test_an_agent_has_its_own_level_backed_up_once_an_hour(world: World) -> None:
    """Its level alone, whatever happens above it; and no lower level hears of it."""
    low, high, control = world.agent(INTERNAL), world.agent(Level.RESTRICTED), world.connect(CONTROL)
    before = low.ask(wire.GetStatus())
    assert high.ask(wire.Backup()) == wire.BackupQueued(level="RESTRICTED", outcome="queued")
    assert [(each.why, each.levels) for each in listed(control)] == [("agent", ["RESTRICTED"])]
    assert low.ask(wire.GetStatus()) == before
    assert high.ask(wire.Backup()).outcome == "recent"
    assert low.ask(wire.Backup()).outcome == "queued"
    world.now += HOUR
    again = high.ask(wire.Backup())
    assert again.outcome == "queued" and again.last is not None
    assert len(listed(control)) == 3


def test_further_directories_get_it_without_what_never_leaves(world: World, tmp_path: Path) -> None:
    """One that is not there is named to the owner."""
    control = world.connect(CONTROL)
    gone = tmp_path / "gone"
    world.backups.plan = Plan(directories=(tmp_path, gone), never_leaves=frozenset({Level.RESTRICTED}), keep=Keep())
    made = control.ask(wire.BackupNow())
    assert made.not_copied == [str(gone)]
    (copy,) = tmp_path.iterdir()
    assert copy.name == made.backup.name
    assert sorted(path.name for path in copy.glob("*.db")) == [
        "confidential.db",
        "control.db",
        "internal.db",
        "public.db",
    ]


def test_erase_names_the_backups_that_still_hold_it(world: World) -> None:
    """Those of its level that were made since it was said, and no others."""
    agent, control = world.agent(INTERNAL), world.connect(CONTROL)
    control.ask(wire.BackupNow())
    world.now += DAY
    agent.ask(wire.Save(key="tea", content="no sugar"))
    control.ask(wire.BackupNow(level="PUBLIC"))
    world.now += DAY
    holding = control.ask(wire.BackupNow()).backup.name
    erased = control.ask(wire.Act(request=wire.Erase(key="tea", confirm=1), level="INTERNAL"))
    assert erased.backups == [holding]


def test_a_memory_comes_back_as_a_change_of_the_owners(world: World) -> None:
    """With the step restore in its history; what replaced it makes way, and what was erased stays so."""
    agent, control = world.agent(INTERNAL), world.connect(CONTROL)
    first = agent.ask(wire.Save(key="tea", content="no sugar"))
    control.ask(wire.BackupNow())
    world.now += DAY
    second = agent.ask(wire.Save(key="tea", content="two spoons"))
    dry = control.ask(wire.Restore(memory=first.id, dry_run=True))
    assert dry.dry_run and agent.ask(wire.Get(key="tea")).memory.content == "two spoons"
    told = control.ask(wire.Restore(memory=first.id))
    assert told.memory == wire.Touched(id=first.id, key="tea", level="INTERNAL", status="active")
    assert agent.ask(wire.Get(key="tea")).memory.content == "no sugar"
    history = control.ask(wire.Act(request=wire.History(key="tea")))
    assert [(step.op, step.id) for step in history.steps][-2:] == [("superseded", second.id), ("restore", first.id)]
    agent.ask(wire.Forget(key="tea"))
    assert control.ask(wire.Restore(memory=first.id)).memory.status == "active"
    assert agent.ask(wire.Get(key="tea")).memory.content == "no sugar"
    assert control.ask(wire.Act(request=wire.Suppressions(), level="INTERNAL")).suppressions == []
    control.ask(wire.Act(request=wire.Erase(id=first.id, confirm=1)))
    assert control.ask(wire.Restore(memory=first.id)).code == "not_found"
    assert world.problems() == []


def test_a_memory_that_no_backup_has_is_not_found(world: World) -> None:
    """Nor one in a backup of another level, nor in one of a name that there is not."""
    control = world.connect(CONTROL)
    made = control.ask(wire.BackupNow()).backup
    for request in (
        wire.Restore(memory="m"),
        wire.Restore(name=made.name, memory="m", level="PUBLIC"),
        wire.Restore(name="../x", memory="m"),
        wire.Restore(name="nothing"),
        wire.BackupVerify(name="../../etc"),
    ):
        assert control.ask(request).code == "not_found"


def test_a_damaged_backup_is_found_and_not_restored(world: World) -> None:
    """verify says which file; restore refuses, and lays nothing ready."""
    control = world.connect(CONTROL)
    name = control.ask(wire.BackupNow()).backup.name
    assert control.ask(wire.BackupVerify()).problems == []
    spoil(newest(world) / "internal.db")
    assert any("internal.db" in each for each in control.ask(wire.BackupVerify(name=name)).problems)
    assert control.ask(wire.Restore(name=name)).code == "level_unavailable"
    assert not (world.state / "restore.json").exists()
    assert control.ask(wire.Restore(name=name, level="PUBLIC", dry_run=True)).levels == ["PUBLIC"]


def test_a_restore_waits_for_the_next_start_alone(world: World) -> None:
    """A second one is told to come again: laid over the first, a crash would leave half of it to be swapped in."""
    control = world.connect(CONTROL)
    name = control.ask(wire.BackupNow()).backup.name
    assert control.ask(wire.Restore(name=name)).restarting
    before = {path: path.read_bytes() for path in (world.state / "restoring").rglob("*.db")}
    again = control.ask(wire.Restore(name=name, level="PUBLIC"))
    assert (again.code, again.retryable) == ("stopping", True)
    assert {path: path.read_bytes() for path in (world.state / "restoring").rglob("*.db")} == before


def test_directories_that_cant_be_looked_into_keep_nobody_waiting(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backup that was made is answered as made, wherever the looking after it fails."""
    control = world.connect(CONTROL)
    world.backups.plan = Plan(directories=(tmp_path,))
    assert control.ask(wire.BackupNow()).not_copied == []

    def refuse(directory: Path) -> None:
        raise PermissionError(13, "refused", str(directory))

    monkeypatch.setattr(
        copies_of_store, "thin_out", lambda directory, *_: refuse(directory) if directory == tmp_path else []
    )
    monkeypatch.setattr(backups, "listing", refuse)
    assert control.ask(wire.BackupNow()).not_copied == []
    assert copies(control).failed is None


def test_a_disk_that_is_full_after_the_safety_copy_is_told_as_such(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is laid ready then, and it may be tried again."""
    control = world.connect(CONTROL)
    control.ask(wire.BackupNow())

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(restore, "copy_private", full)
        told = control.ask(wire.Restore())
        assert (told.code, told.retryable) == ("disk_full", True)
    assert not {"restore.json", "restoring"} & {path.name for path in world.state.iterdir()}
    assert control.ask(wire.Restore()).restarting
