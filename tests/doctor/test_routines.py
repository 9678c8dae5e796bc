"""What is done by itself, as control.db and the owner's files tell of it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from memtrig import wire
from memtrig.homes import Home

from memtrigd.clockwork.copybook import Page
from memtrigd.config import Config
from memtrigd.doctor import company, routines
from memtrigd.domain.levels import Level
from memtrigd.domain.moments import DAY
from memtrigd.embedder.client import Condition
from memtrigd.gate.peers import Process
from memtrigd.store.interface_control import SessionRow
from memtrigd.store.manifest import Manifest
from tests.doctor.conftest import NOW, Findings

INTERNAL = Level.INTERNAL


def noted(**fields: object) -> dict[str, str]:
    """What control.db has of a level's backups."""
    return {"backup.internal": msgspec.json.encode(Page(**{"since": NOW, "good": NOW, **fields})).decode()}


@pytest.mark.parametrize(
    ("page", "now", "found"),
    [
        ({}, NOW + DAY, [("backup", "ok")]),
        ({"drill": NOW}, NOW + DAY, [("backup", "ok")]),
        ({}, NOW + 3 * DAY, [("backup", "fail")]),
        ({"failed": "disk_full"}, NOW + DAY, [("backup", "fail")]),
        ({"drill": NOW, "drill_failed": True}, NOW + DAY, [("drill", "fail")]),
        ({"failed": "level_unavailable", "drill_failed": True}, NOW + DAY, [("backup", "fail"), ("drill", "fail")]),
        ({"drill": NOW - 30 * DAY}, NOW + DAY, [("drill", "warn")]),
    ],
)
def test_backups_and_drills_are_judged(
    home: Home, saved: Manifest, page: dict[str, object], now: int, found: list[tuple[str, str]]
) -> None:
    """BR-016: the last good one is told beside why the last try failed, and an old one is a failure."""
    assert saved.at == NOW
    findings = routines.backups(home, INTERNAL, Config(), noted(**page), now)
    assert [(each.check, each.verdict) for each in findings] == found
    assert all(each.todo for each in findings if each.verdict != "ok")
    if page.get("failed"):
        assert str(page["failed"]) in findings[0].says and "2026" in findings[0].says


def test_a_new_home_has_time_for_its_first_backup(home: Home) -> None:
    """Two periods; later the lack of one is a failure."""
    for now, verdict in ((NOW + DAY, "ok"), (NOW + 3 * DAY, "fail")):
        (finding,) = routines.backups(home, INTERNAL, Config(), noted(good=None), now)
        assert finding.verdict == verdict


def dreamt(**fields: object) -> dict[str, str]:
    """What control.db has of a level's dream cycle."""
    return {"dream.internal": msgspec.json.encode(wire.Dream(at="2026-09-21T08:53:20+00:00", **fields)).decode()}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"last_run.housekeeping": str(NOW), "last_run.dream": str(NOW)}, "was done"),
        ({"last_run.dream": str(NOW - 5 * DAY)}, "5 days ago"),
        ({"last_run.dream": str(NOW + DAY)}, "still to come"),
        (dreamt(failed=True), "failed"),
        (dreamt(stopped=True, expired=900), "900 memories"),
        ({"last_run.dream": "gibberish", "dream.internal": "{"}, "was done"),
    ],
)
def test_schedules_are_judged(settings: Mapping[str, str], says: str) -> None:
    """Overdue, begun in a future that was taken back, failed, or stopped before too much ran out."""
    (finding,) = routines.schedules(settings, NOW)
    assert says in finding.says
    assert (finding.verdict == "ok") == (says == "was done")


def test_a_bad_configuration_is_named_and_does_not_stop_the_rest(home: Home, found: Findings) -> None:
    """What is wrong in it is in the sentence."""
    (Path(home.config) / "memtrigd.toml").write_text("[backup]\nevery_hour = 1\n")
    (finding,) = found("config")
    assert finding.verdict == "fail" and "every_hour" in finding.says
    assert len(found("integrity")) == 4


def test_guidance_that_cant_be_used_is_named(home: Home, found: Findings) -> None:
    """That for all agents, and that of one."""
    own = Path(home.config) / "agents" / "cook"
    own.mkdir(parents=True)
    (own / "SPINE.md").write_bytes(b"\xff")
    (Path(home.config) / "SPINE.md").write_text("Be kind.\n")
    (finding,) = found("guidance")
    assert finding.verdict == "warn" and "cook/SPINE.md" in finding.says


@pytest.mark.parametrize("state", ["off", "warming", "ready", "failed"])
def test_a_model_that_failed_is_named_with_why(home: Home, state: Any) -> None:
    """It is a warning, with ways out; what is off, on its way or ready is well."""
    found = routines.model(home, Condition(state, message="model.onnx is cut off.", name="e5"))
    assert (found.check, found.verdict) == ("model", "warn" if state == "failed" else "ok")
    assert ("model.onnx is cut off." in found.says) is bool(found.todo) is (state == "failed")
    assert ("e5" in found.says) is (state == "ready")


def test_what_looks_like_a_backup_and_is_none_is_told(home: Home, found: Findings, saved: Manifest) -> None:
    """Nobody would find out before they need it."""
    manifest = Path(home.state) / "backups" / saved.name / "manifest.json"
    manifest.write_bytes(b"{")
    assert f"Backup {saved.name} can't be read." in [each.says for each in found("backup")]


def session(level: Level) -> SessionRow:
    """A session of the cook's."""
    return SessionRow(
        id="s",
        token_hash=b"",
        agent="cook",
        conversation=None,
        space=None,
        origin="level-internal",
        start_level=level,
        level=level,
        ceiling=level,
        opened=NOW,
        seen=NOW,
        ended=None,
    )


def test_a_session_whose_process_sees_the_same_files_is_unconfined(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is one whose process can't be looked at; one with file systems of its own is not."""
    here, elsewhere = Process(1, 1), Process(2, 1)
    links = {"/proc/1/ns/mnt": "mnt:[7]", "/proc/self/ns/mnt": "mnt:[7]", "/proc/2/ns/mnt": "mnt:[8]"}
    readlink: Callable[[Path], Path] = lambda path: Path(links[str(path)])  # noqa: E731
    monkeypatch.setattr(Path, "readlink", readlink)
    row = session(INTERNAL)
    assert company.sessions(home, []).verdict == "ok"
    assert company.sessions(home, [(row, [elsewhere])]).verdict == "ok"
    told = company.sessions(home, [(row, [elsewhere]), (row, [here]), (row, [])])
    assert told.verdict == "warn" and told.says.startswith("2 of 3") and "cook at INTERNAL" in told.says
