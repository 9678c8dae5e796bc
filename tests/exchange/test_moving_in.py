"""memtrigctl import against a real daemon: whole files, what is not taken, kills in the middle, others at work."""

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import memtrig
import pytest

from tests.conftest import Daemon
from tests.exchange import test_triggerfish as triggerfish

FIXTURES = Path(__file__).with_name("fixtures")
SAMPLES = Path(__file__).with_name("samples") / "memory-trigger"


def start(daemon: Daemon, *words: str, zone: str = "UTC") -> "subprocess.Popen[str]":
    """Start memtrigctl."""
    return subprocess.Popen(
        [sys.executable, "-m", "memtrig.ctl", "--home", str(daemon.home), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TZ": zone},
    )


def run(daemon: Daemon, *words: str) -> tuple[int, dict[str, Any]]:
    """Ask for a document; returns the exit code with it."""
    done = start(daemon, *words, "--json")
    said, errors = done.communicate(timeout=500)
    assert not errors, errors
    return done.returncode, json.loads(said)


def stored(daemon: Daemon) -> dict[str, str]:
    """Every memory that is served, by its key."""
    with memtrig.connect("restricted", home=str(daemon.home)) as memory:
        return {each.key: each.content for each in memory.list()}


def written(path: Path, count: int) -> Path:
    """Write a file of ours with so many records."""
    lines = [
        json.dumps(
            {"key": f"key-{n}", "content": f"第{n}条 चहा number {n}", "created": 1767225600 + n}, ensure_ascii=False
        )
        for n in range(count)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_what_is_not_taken_can_be_mended_and_taken(daemon: Daemon, tmp_path: Path) -> None:
    """BR-076, BR-080: exit code 4, every record in the store or, with its reason, in a file for the user alone."""
    source = Path(shutil.copy(FIXTURES / "own.jsonl", tmp_path))
    code, trial = run(daemon, "import", str(source), "--dry-run")
    assert (code, trial["counts"], trial["backup"]) == (4, {"closed": 1, "new": 10, "pending": 1}, None)
    assert stored(daemon) == {} and [*tmp_path.iterdir()] == [source]
    code, done = run(daemon, "import", str(source))
    assert (code, done["level"]) == (4, "INTERNAL")
    assert done["counts"] == {"closed": 1, "new": 9, "older": 1, "pending": 1}
    assert done["not_taken"] == {"bad_time": 2, "bad_request": 1, "bad_kind": 1, "secret": 1, "bad_level": 1}
    assert sum(done["counts"].values()) + sum(done["not_taken"].values()) == 18
    assert done["backup"] in [each["name"] for each in run(daemon, "backup", "list")[1]["backups"]]
    repair = Path(done["repair"])
    assert stat.S_IMODE(repair.stat().st_mode) == 0o600
    mended = repair.read_text(encoding="utf-8").replace("2090-01-01", "2026-01-01").replace("1767225}", "1767225600}")
    mended = (
        mended.replace('"hobby"', '"habit"')
        .replace(', \\"colour\\": \\"red\\"', "")
        .replace("hunter2-Xk9!vQz", "in KeePass")
    )
    repair.write_text(mended.replace("RESTRICTED", "INTERNAL"), encoding="utf-8")
    code, again = run(daemon, "import", str(repair))
    assert (code, again["counts"], again["repair"]) == (0, {"new": 6}, None)
    code, whole = run(daemon, "import", "memtrig", str(source), "--redact", "--undated")
    assert code == 4 and whole["repair"].endswith("own.jsonl.repair-2.jsonl")
    assert set(whole["counts"]) <= {"known", "updated"}


def test_the_memory_servers_file_comes_once(daemon: Daemon, tmp_path: Path) -> None:
    """Its observations and relations are memories; the damaged lines are in the repair file as they were."""
    source = Path(shutil.copy(FIXTURES / "server-memory-damaged.jsonl", tmp_path))
    code, done = run(daemon, "import", str(source), "--level", "confidential", "--space", "old")
    assert (code, done["counts"]) == (4, {"known": 1, "new": 5})
    left = [json.loads(line) for line in Path(done["repair"]).read_text(encoding="utf-8").splitlines()]
    assert [each["place"] for each in left] == ["line 6", "line 7", "line 8", "line 9"]
    assert run(daemon, "import", str(source), "--level", "confidential", "--space", "old")[1]["counts"] == {"known": 6}


def test_a_library_of_memory_trigger_comes_whole_and_leaves_whole(daemon: Daemon, tmp_path: Path) -> None:
    """With what lies beside the memories: again is nothing new, and what is written out is read back as known."""
    source = Path(shutil.copytree(SAMPLES / "v3.1", tmp_path / "library"))
    code, done = run(daemon, "import", f"{source}/")
    assert (code, done["found"]["format"], done["not_taken"]) == (4, "memory-trigger", {"bad_value": 1})
    assert done["found"]["beside"] == {"wish": 1, "promise": 1, "wellness": 1}
    assert (sum(done["counts"].values()), done["entries"]) == (9, {"new": 3})
    assert done["repair"] == f"{source}.repair.jsonl"
    code, again = run(daemon, "import", "memory-trigger", str(source))
    assert (code, again["counts"], again["entries"], again["backup"]) == (4, {"known": 9}, {"known": 3}, None)
    code, out = run(daemon, "export", "memory-trigger", str(tmp_path / "out"), "--version", "2.7")
    assert (code, out["version"], out["rows"]["library"]["memory"]) == (0, "2.7", 9)
    assert out["homeless"] == {"context": 1, "expires_at": 1, "deny_count": 1}
    code, back = run(daemon, "import", str(tmp_path / "out"))
    assert (code, back["counts"], back["entries"]) == (0, {"known": 9}, {"known": 3})
    assert run(daemon, "import", str(source), "--dry-run")[1]["counts"] == {"known": 9}


def test_each_goes_to_its_own_level_and_what_is_known_needs_no_backup(daemon: Daemon, tmp_path: Path) -> None:
    """One run and one backup for all levels; the same again writes nothing, and one record more is backed up."""
    source = triggerfish.store(tmp_path)
    words = ("import", str(source), "--keep-levels", "--level", "restricted")
    code, done = run(daemon, *words)
    assert code == 0 and done["levels"] == {
        "PUBLIC": {"counts": {"closed": 2, "new": 3}, "entries": {}},
        "CONFIDENTIAL": {"counts": {"new": 1}, "entries": {}},
    }
    (backup,) = run(daemon, "backup", "list")[1]["backups"]
    assert (backup["name"], backup["levels"]) == (done["backup"], ["PUBLIC", "CONFIDENTIAL"])
    assert stored(daemon)["employer"] == "Leaves the bakery for 上海."
    code, again = run(daemon, *words)
    assert (code, again["counts"], again["backup"]) == (0, {"known": 6}, None)
    assert len(run(daemon, "backup", "list")[1]["backups"]) == 1
    source.unlink()
    triggerfish.store(tmp_path, [*triggerfish.ROWS, triggerfish.record("zz", "नवीन", "INTERNAL")])
    code, more = run(daemon, *words)
    assert (code, more["counts"]) == (0, {"known": 6, "new": 1}) and more["backup"]
    assert run(daemon, "recover")[1]["left"] == []


@pytest.mark.slow
def test_a_kill_in_the_middle_costs_nothing(daemon: Daemon, tmp_path: Path) -> None:
    """The daemon dies while records come; told of at its next start; the same again, and all is there once."""
    source = written(tmp_path / "many.jsonl", 600)
    running = start(daemon, "import", str(source))
    while not 0 < len(stored(daemon)) < 600:
        time.sleep(0.02)
    daemon.kill()
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 3 and "the same again takes the rest" in errors
    daemon.start()
    assert "an import" in [each["what"] for each in run(daemon, "recover")[1]["left"]]
    before = len(stored(daemon))
    code, done = run(daemon, "import", str(source))
    assert code == 0 and done["counts"]["known"] >= before > 0
    assert sum(done["counts"].values()) == 600 == len(stored(daemon))
    assert run(daemon, "import", str(source))[1]["counts"] == {"known": 600}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nothing-here.txt"], "can't be read"),
        (["{folder}"], "no format"),
        (["text", "{folder}"], "format of files"),
        (["/dev/null"], "neither a file"),
        (["mem-0", "{file}"], "no format"),
        (["{file}", "--repair", "{file}"], "is there already"),
        (["a", "b", "{file}"], "one file"),
        (["{file}", "--level", "public", "--level", "internal"], "Two levels"),
        (["{file}", "--level", "hobby=public"], "no kind"),
        (["{file}", "--level", "habit=secret"], "no level"),
        (["bundle", "{folder}", "--keep-levels"], "its own levels"),
    ],
)
def test_what_can_t_be_imported_is_said(shared_daemon: Daemon, tmp_path: Path, words: list[str], says: str) -> None:
    """Before anything is asked of the daemon."""
    file = tmp_path / "list.txt"
    file.write_text("a line\n")
    done = start(shared_daemon, "import", *(word.format(file=file, folder=tmp_path) for word in words))
    said, errors = done.communicate(timeout=60)
    assert done.returncode in (1, 2) and says in errors and not said


def test_no_module_of_the_working_directory_is_run(shared_daemon: Daemon, tmp_path: Path) -> None:
    """The file may lie in a folder from anywhere."""
    (tmp_path / "memtrigd").mkdir()
    (tmp_path / "memtrigd" / "__init__.py").write_text("open('was-run', 'w')")
    (tmp_path / "list.txt").write_text("- a line of a list\n")
    script = f"import os; os.chdir({str(tmp_path)!r}); from memtrig.ctl import main; raise SystemExit(main())"
    words = [sys.executable, "-c", script, "--home", str(shared_daemon.home), "import", "list.txt"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "1 new" in done.stdout and not (tmp_path / "was-run").exists()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_records_hold_up_nobody(daemon: Daemon, tmp_path: Path) -> None:
    """Others save meanwhile: the writer is theirs again after each batch."""
    source = written(tmp_path / "many.jsonl", 10_000)
    waits: list[float] = []
    over = threading.Event()

    def save() -> None:
        with memtrig.connect("internal", home=str(daemon.home), timeout=60) as memory:
            while not over.wait(0.02):
                began = time.perf_counter()
                memory.save("beside", f"saved at {began}")
                waits.append(time.perf_counter() - began)

    beside = threading.Thread(target=save)
    beside.start()
    try:
        time.sleep(3)
        alone = sorted(waits)
        waits.clear()
        began = time.perf_counter()
        code, done = run(daemon, "import", str(source))
        took = time.perf_counter() - began
    finally:
        over.set()
        beside.join(90)
    assert (code, done["counts"]) == (0, {"new": 10_000})
    waits.sort()
    print(f"{took:.1f} s; {len(waits)} saves beside it, median {waits[len(waits) // 2] * 1e3:.0f} ms,", end=" ")
    print(f"99 % {waits[len(waits) * 99 // 100] * 1e3:.0f} ms; alone {alone[len(alone) // 2] * 1e3:.0f} ms")
    assert waits[len(waits) // 2] < 5 * alone[len(alone) // 2] + 0.05
