"""memtrigctl export, and import of what it wrote, with real daemons: nothing lost, half there or written over."""

import os
import re
import signal
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Daemon
from tests.exchange.test_moving_in import run, start, stored, written


@pytest.fixture(name="other")
def _other() -> Iterator[Daemon]:
    """Another daemon on another home."""
    daemon = Daemon()
    try:
        yield daemon.start()
    finally:
        daemon.remove()


def rows(place: Path) -> dict[str, bytes]:
    """What a bundle says, by file."""
    return {each.name: each.read_bytes() for each in sorted(place.glob("*.jsonl"))}


def test_one_leaves_with_everything_and_comes_back(daemon: Daemon, other: Daemon, tmp_path: Path) -> None:
    """As a folder and as a zip; for oneself alone; a name that is taken is refused before anything is done."""
    with_level = (
        ("public", "चहा", "तिला चहा आवडतो."),
        ("internal", "住", "她住在上海。"),
        ("restricted", "pin", "1.5"),
    )
    for level, key, text in with_level:
        assert run(daemon, "save", key, text, "--level", level)[0] == 0
    run(daemon, "save", "住", "她住在北京。")
    code, done = run(daemon, "export", str(tmp_path / "all"))
    assert (code, done["left_out"], done["missing"]) == (0, {}, [])
    assert {level: each.get("memory", 0) for level, each in done["rows"].items()} == {
        "PUBLIC": 1,
        "INTERNAL": 2,
        "CONFIDENTIAL": 0,
        "RESTRICTED": 1,
    }
    assert stat.S_IMODE((tmp_path / "all").stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "all").rglob("*") if each.is_file()} == {0o600}
    assert (tmp_path / "all" / "settings" / "SPINE.md").is_file()
    before = run(daemon, "backup", "list")[1]["backups"]
    assert run(daemon, "export", "markdown", str(tmp_path / "all"))[0] == 2
    assert run(daemon, "backup", "list")[1]["backups"] == before
    code, done = run(
        daemon, "export", "bundle", str(tmp_path / "low.zip"), "--max-level", "internal", "--from", done["backup"]
    )
    assert (code, done["levels"], done["left_out"]) == (0, ["PUBLIC", "INTERNAL"], {"RESTRICTED": 1})
    assert b"RESTRICTED" not in (tmp_path / "low.zip").read_bytes()
    said, _ = start(daemon, "export", "markdown", str(tmp_path / "pages"), "--level", "internal").communicate(
        timeout=60
    )
    assert "Warning: left out, as you asked: PUBLIC (1 memory), RESTRICTED (1 memory)." in said
    assert "她住在北京。" in (tmp_path / "pages" / "internal-default.md").read_text(encoding="utf-8")
    code, told = run(other, "import", "bundle", str(tmp_path / "low.zip"))
    assert (code, told["counts"]) == (0, {"PUBLIC": {"new": 1}, "INTERNAL": {"new": 2}})
    code, told = run(other, "import", str(tmp_path / "all"))  # the files of both levels are those that were taken
    assert told["counts"] == {"PUBLIC": {"known": 1}, "INTERNAL": {"known": 2}, "RESTRICTED": {"new": 1}}
    assert told["backup"] and run(other, "import", str(tmp_path / "all"))[1]["backup"] is None
    assert stored(other) == stored(daemon)
    run(other, "export", str(tmp_path / "again"))
    assert rows(tmp_path / "again") == rows(tmp_path / "all")


@pytest.mark.slow
def test_what_conflicts_is_a_files_word_from_the_repair_file(daemon: Daemon, other: Daemon, tmp_path: Path) -> None:
    """BR-076: exit code 4, the row with its reason; imported, it waits beside what stands."""
    run(daemon, "save", "tea", "Likes green tea.")
    run(daemon, "export", str(tmp_path / "all"))
    run(other, "save", "tea", "Likes black tea.")
    refused = start(other, "import", str(tmp_path / "all"))
    _, why = refused.communicate(timeout=60)
    assert (refused.returncode, "INTERNAL has memories" in why) == (1, True)
    code, told = run(other, "import", "bundle", str(tmp_path / "all"), "--trust")
    assert (code, told["not_taken"]) == (4, {"slot_taken": 1})
    code, again = run(other, "import", told["repair"])
    assert (code, again["counts"]) == (0, {"contested": 1})
    assert stored(other) == {"tea": "Likes black tea."}


@pytest.mark.slow
def test_who_is_interrupted_leaves_nothing(daemon: Daemon, tmp_path: Path) -> None:
    """Ctrl-C: neither the export nor a part of it, and no process that goes on."""
    run(daemon, "import", str(written(tmp_path / "source.jsonl", 1500)))
    leaving = start(daemon, "export", str(tmp_path / "all"))
    until = time.monotonic() + 60
    while not (tmp_path / ".all.partial").exists() and time.monotonic() < until and leaving.poll() is None:
        time.sleep(0.001)
    children = children_of(leaving.pid)
    leaving.send_signal(signal.SIGINT)
    leaving.communicate(timeout=60)
    assert children and leaving.returncode != 0
    assert [each.name for each in tmp_path.iterdir()] == ["source.jsonl"]
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)


@pytest.mark.slow
def test_who_is_killed_in_the_middle_does_it_again(daemon: Daemon, other: Daemon, tmp_path: Path) -> None:
    """BR-014: neither the export nor the import leaves half of anything that the next one minds."""
    run(daemon, "import", str(written(tmp_path / "source.jsonl", 1500)))
    place = tmp_path / "all"
    leaving = start(daemon, "export", str(place))
    until = time.monotonic() + 60
    while not (draft := tmp_path / ".all.partial").exists() and time.monotonic() < until and leaving.poll() is None:
        time.sleep(0.001)
    for pid in children_of(leaving.pid):
        os.kill(pid, signal.SIGKILL)
    leaving.communicate(timeout=60)
    assert leaving.returncode != 0 and not place.exists()
    assert run(daemon, "export", str(place))[0] == 0
    assert not draft.exists()
    coming = start(other, "import", "bundle", str(place))
    while not stored_count(other) and coming.poll() is None:
        time.sleep(0.01)
    coming.kill()
    coming.communicate(timeout=60)
    assert 0 < stored_count(other) < 1500
    code, told = run(other, "import", "bundle", str(place))
    counts = told["counts"]["INTERNAL"]
    assert code == 0 and counts["new"] > 0 and counts["known"] > 0 and counts["new"] + counts["known"] == 1500
    run(other, "export", str(tmp_path / "again"))
    assert rows(tmp_path / "again") == rows(place)
    assert run(other, "audit", "verify")[0] == 0


def children_of(pid: int) -> list[int]:
    """The processes that a process started."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = re.search(r"\) \S (\d+)", each.read_text())
        except OSError:
            continue
        if told is not None and int(told[1]) == pid:
            found.append(int(each.parent.name))
    return found


def stored_count(daemon: Daemon) -> int:
    """How many memories are served at INTERNAL."""
    told = run(daemon, "stats")[1]["levels"]
    return sum(each["statuses"].get("active", 0) for each in told if each["level"] == "INTERNAL")
