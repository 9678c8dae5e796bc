"""Databases that are torn, foreign, old, new, gone or edited, looked at while no daemon runs."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from memtrig.homes import Home

from memtrigd.doctor.files import clock
from memtrigd.doctor.findings import span
from memtrigd.domain.levels import Level
from memtrigd.store.database import create
from memtrigd.store.manifest import Manifest
from memtrigd.store.schema import LEVELS, Schema
from tests.doctor.conftest import NOW, Findings, bad, on


def zeroed(path: Path) -> None:
    """The head of the file."""
    with path.open("r+b") as file:
        file.write(bytes(64))


def cut(path: Path) -> None:
    """Its second half."""
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def foreign(path: Path) -> None:
    """Another level's file."""
    shutil.copyfile(path.with_name("public.db"), path)


def scribbled(path: Path) -> None:
    """Its pages, but for those that tell which tables there are."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * (size - size // 2))


@pytest.mark.parametrize("harm", [zeroed, cut, foreign, scribbled, Path.unlink])
def test_a_level_that_cant_be_used_names_the_newest_sound_backup_and_the_command(
    home: Home, found: Findings, saved: Manifest, harm: Callable[[Path], object]
) -> None:
    """BR-013: the command is complete, nothing is made in its place, and no damaged backup is named."""
    state = Path(home.state)
    newer = shutil.copytree(state / "backups" / saved.name, state / "backups" / "2999-01-01T000000Z")
    manifest = newer / "manifest.json"
    manifest.write_text(manifest.read_text().replace(str(NOW), str(NOW + 10**9)))
    zeroed(newer / "internal.db")
    harm(state / "internal.db")
    before = (state / "internal.db").exists()
    (finding,) = [each for each in found("integrity") if each.verdict != "ok"]
    assert (finding.verdict, finding.level) == ("fail", "INTERNAL")
    assert f"memtrigctl --home '{home.root}' restore {saved.name} --level internal" in (finding.todo or "")
    assert (state / "internal.db").exists() == before


def test_without_a_backup_nobody_is_sent_to_one(home: Home, found: Findings) -> None:
    """The file is all there is."""
    zeroed(Path(home.state) / "internal.db")
    (finding,) = [each for each in found("integrity") if each.verdict != "ok"]
    assert "No sound backup" in (finding.todo or "")


@pytest.mark.parametrize("harm", [zeroed, scribbled])
def test_a_damaged_control_db_is_told_with_the_command(
    home: Home, found: Findings, saved: Manifest, harm: Callable[[Path], object]
) -> None:
    """The levels are still looked into: they need nothing of it."""
    harm(Path(home.state) / "control.db")
    (finding,) = found("control")
    assert finding.verdict == "fail" and "restore --control" in (finding.todo or "")
    assert [each.verdict for each in found("integrity")] == ["ok"] * 4


@pytest.mark.parametrize(
    ("statements", "check"),
    [
        ("DELETE FROM lexicon WHERE rowid = 2", "index"),
        ("DELETE FROM tag WHERE number = 3", "index"),
        ("UPDATE document SET terms = terms + 1 WHERE number = 1", "index"),
        ("UPDATE corpus SET documents = 9", "index"),
        ("UPDATE memory SET content = 'FORGED' WHERE number = 1", "audit"),
        ("DROP INDEX memory_slot", "integrity"),
    ],
)
def test_an_edit_is_found_under_what_can_be_done_about_it(
    home: Home, found: Findings, statements: str, check: str
) -> None:
    """An index is made anew, a row is not; no content is in what is said."""
    on(home, statements)
    wrong = [each for each in found() if each.level == "INTERNAL" and each.check in ("integrity", "index", "audit")]
    assert check in {each.check for each in wrong}
    assert all(each.verdict == "fail" for each in wrong)
    assert ("--repair" in str(wrong[0].todo)) == (check == "index" or wrong[0].check == "index")
    assert "FORGED" not in repr(wrong) and "tea" not in repr(wrong)


def test_a_log_that_is_not_folded_in_is_left_to_the_daemon(home: Home, found: Findings) -> None:
    """Reading it would write beside it; what the file says without it may be false."""
    (Path(home.state) / "internal.db-wal").write_bytes(b"x" * 64)
    findings = {each.level: each for each in found("integrity")}
    assert (findings["INTERNAL"].verdict, findings["PUBLIC"].verdict) == ("warn", "ok")
    assert not (Path(home.state) / "internal.db-shm").exists()


def test_schemas_of_other_versions_are_told_apart(home: Home, found: Findings) -> None:
    """BR-017: an older one will be brought up to date after a backup, a newer one asks for its memtrigd."""
    schema, state = LEVELS[Level.INTERNAL], Path(home.state)
    (state / "internal.db").unlink()
    create(state / "internal.db", Schema(schema.application_id, schema.steps[:1]))
    on(home, f"PRAGMA user_version = {LEVELS[Level.PUBLIC].version + 1}", Level.PUBLIC)
    findings = {each.level: each for each in found("integrity")}
    assert findings["INTERNAL"].verdict == "warn" and "next start" in findings["INTERNAL"].says
    assert findings["PUBLIC"].verdict == "fail" and "newer" in (findings["PUBLIC"].todo or "")


def test_a_clock_behind_the_newest_row_is_told(found: Findings) -> None:
    """By how much; within a minute two clocks may differ."""
    assert bad(found("clock", NOW - 30_000_000)) == []
    (finding,) = found("clock", NOW - 3 * 24 * 3600 * 1_000_000)
    assert finding.verdict == "warn" and "3 days behind" in finding.says


@pytest.mark.parametrize(("drift", "says"), [(-7200_000_000, "back by 2 hours"), (300_000_000, "forward by 5 minutes")])
def test_a_clock_that_was_set_is_told(drift: int, says: str) -> None:
    """Which way, and by how much."""
    (finding,) = clock(NOW, NOW, drift)
    assert finding.verdict == "warn" and says in finding.says


def test_spans_are_said_in_the_unit_that_fits() -> None:
    """Two of a unit at least, so that not too much is lost by rounding."""
    assert [span(each * 1_000_000) for each in (1, 90, 150, 86_400, 200_000)] == [
        "1 second",
        "90 seconds",
        "2 minutes",
        "24 hours",
        "2 days",
    ]
