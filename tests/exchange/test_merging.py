"""Two sets of memories made one: what stands, what waits, what is told of, and what is never silently left out."""

import json
import subprocess
import sys
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import merge
from memtrigd.exchange.formats import told
from memtrigd.exchange.items import Beside, Left, Reading, Taken
from memtrigd.gate.doors import CONTROL
from tests.exchange.moving import NOW, move
from tests.serve.harness import World

SAMPLES = Path(__file__).with_name("samples") / "memory-trigger"
READING = Reading(UTC, NOW)


def made(tmp_path: Path, file_side: Path, self_side: Path, *, approve: bool = False) -> dict[str, Any]:
    """Merge two sides, and read the report."""
    merge.merged(str(file_side), str(self_side), tmp_path / "out", approve=approve)
    report: dict[str, Any] = json.loads((tmp_path / "out" / merge.REPORT).read_bytes())
    return report


def held(path: Path) -> dict[str, str]:
    """The texts in a file of ours, with their states."""
    found = list(told(path).read(path, READING))
    assert not [item for item in found if isinstance(item, Left)]
    return {item.record.content: item.record.status for item in found if isinstance(item, Taken)}


def written(path: Path, *records: dict[str, Any]) -> Path:
    """Write one side as a file of ours."""
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def said(entity: str | None, content: str, **fields: Any) -> dict[str, Any]:
    """Make a record."""
    return {"entity": entity, "kind": "preference", "content": content, **fields}


def test_a_library_and_an_agents_impressions_are_one_as_its_own_program_has_it(tmp_path: Path) -> None:
    """The counts of its own report: 8 of the file kept, 1 waits, 1 overridden and 1 that can't be read."""
    own = json.loads((SAMPLES / "merge" / "out" / "merge_report.json").read_bytes())
    report = made(tmp_path, SAMPLES / "v3.1" / "memory.json", SAMPLES / "merge" / "self.txt")
    assert sum(report["counts"]["file"].values()) == own["kept_file"] == 8
    assert report["counts"]["self"] == {
        "left": len(own["self_skipped_invalid"]),
        "overridden": own["self_overridden"],
        "pending": own["self_pending"],
    }
    assert [(each["text"], each["stands"]) for each in report["conflicts"]] == [("喜欢茶", "从不吃香菜，过敏")]
    assert [(each["place"], each["raw"]) for each in report["left"]] == [("line 4", "event | 用户 | 字段错位")]
    merged = held(tmp_path / "out" / merge.MEMORIES)
    assert len(merged) == 9 and merged["养了猫"] == "pending"
    assert held(tmp_path / "out" / merge.CONFLICTS) == {"喜欢茶": "pending"}


def test_what_was_merged_comes_once(world: World, tmp_path: Path) -> None:
    """BR-086: imported twice nothing is new, all is a file's word or waits; conflicts wait once they are imported."""
    made(tmp_path, SAMPLES / "v3.1", SAMPLES / "merge" / "self.txt")
    owner = world.connect(CONTROL)
    merged = tmp_path / "out" / merge.MEMORIES
    first = move(owner, merged, READING)
    assert (first.counts, first.entries, first.not_taken) == ({"new": 3, "closed": 7}, {"new": 3}, [])
    before = owner.ask(wire.AuditShow(level="INTERNAL")).rows[0].seq
    assert move(owner, merged, READING).counts == {"known": 10}
    assert owner.ask(wire.AuditShow(level="INTERNAL")).rows[0].seq == before
    assert move(owner, tmp_path / "out" / merge.CONFLICTS, READING).counts == {"closed": 1}
    waits = owner.ask(wire.Act(request=wire.Review(), level="INTERNAL")).items
    assert {item.memory.content for item in waits} >= {"养了猫", "喜欢茶"}


@pytest.mark.parametrize("approve", [False, True])
def test_what_the_self_side_alone_has_waits_unless_it_is_sure_and_that_is_enough(tmp_path: Path, approve: bool) -> None:
    """Sure is 0.8; what was not active there never is here."""
    sides = (
        written(tmp_path / "a", said("Asha", "likes tea")),
        written(
            tmp_path / "b",
            said("Mira", "sails", confidence=0.8),
            said("Robin", "rows", confidence=0.7),
            said("Sun", "shines", confidence=0.9, status="pending"),
            said("Moon", "shone", status="superseded"),
            said("Asha", "likes tea"),
        ),
    )
    report = made(tmp_path, *sides, approve=approve)
    assert held(tmp_path / "out" / merge.MEMORIES) == {
        "likes tea": "active",
        "sails": "active" if approve else "pending",
        "rows": "pending",
        "shines": "pending",
        "shone": "superseded",
    }
    assert report["counts"]["self"]["known"] == 1 and report["conflicts"] == []


def test_an_entity_is_one_by_whichever_of_its_names(tmp_path: Path) -> None:
    """Names are exact: a longer word is not swallowed by a shorter one. Where they differ the file side's hold."""
    beside = {"type": "import_alias", "alias": "आशा", "entity": "Asha"}
    sides = (
        written(tmp_path / "a", said("Asha", "likes tea"), said("读书", "爱科幻"), beside),
        written(tmp_path / "b", said("आशा", "likes coffee"), said("读书笔记", "用纸写"), {**beside, "entity": "Mira"}),
    )
    report = made(tmp_path, *sides)
    assert [(each["text"], each["why"]) for each in report["conflicts"]] == [
        ("likes coffee", "overridden"),
        ("आशा", "overridden"),
    ]
    assert held(tmp_path / "out" / merge.MEMORIES)["用纸写"] == "pending"


def test_what_the_file_side_forgot_the_self_side_does_not_bring_back(world: World, tmp_path: Path) -> None:
    """Neither the text nor anything of the entity; nor does the self side put away what is in service."""
    sides = (
        written(
            tmp_path / "a",
            said("Robin", "was there", status="forgotten", forget_reason="sad"),
            said("Asha", "likes tea"),
            {"type": "import_wish", "entity": "Mira"},
        ),
        written(
            tmp_path / "b",
            said("someone", "Was there."),
            said("mira", "sails"),
            said("Asha", "likes tea", status="forgotten", kind="habit", key="x"),
            {"type": "import_wish", "entity": "asha"},
        ),
    )
    report = made(tmp_path, *sides)
    assert [(each["text"], each["why"]) for each in report["conflicts"]] == [
        ("Was there.", "forgotten there"),
        ("sails", "forgotten there"),
        ("likes tea", "in service"),
        ("asha", "in service"),
    ]
    assert not (tmp_path / "out" / merge.CONFLICTS).exists()
    owner = world.connect(CONTROL)
    assert move(owner, tmp_path / "out" / merge.MEMORIES, READING).counts == {"new": 1, "closed": 1}
    wishes = owner.ask(wire.Act(request=wire.Suppressions())).suppressions
    assert {(wish.scope, wish.entity) for wish in wishes} == {("memory", None), ("entity", "Mira")}


def test_both_sides_keep_what_lies_beside_their_memories(tmp_path: Path) -> None:
    """Each promise and each day once."""
    report = made(tmp_path, SAMPLES / "v2.7", SAMPLES / "v3.1")
    merged = tmp_path / "out" / merge.MEMORIES
    beside = [item.entry for item in told(merged).read(merged, READING) if isinstance(item, Beside)]
    assert sorted(str(each.__struct_config__.tag) for each in beside) == [
        "import_promise",
        "import_wellness",
        "import_wellness",
        "import_wish",
        "import_wish",
    ]
    overridden = [(each["text"], each["stands"]) for each in report["conflicts"] if each["why"] == "overridden"]
    assert overridden == [("名字叫阿澈", "名字叫阿澈，住在杭州"), ("从不吃香菜，过敏", "改喝茶了")]


def test_a_file_side_that_can_t_be_read_is_not_an_empty_one(tmp_path: Path) -> None:
    """Nothing is written then, and nothing is written over."""
    broken = tmp_path / "library"
    broken.mkdir()
    (broken / "memory.json").write_text('[{"id": "mem_1", "kind": "preference", "val')
    (broken / "entity_index.json").write_text("{}")
    guesses = written(tmp_path / "b", said("Mira", "sails"))
    with pytest.raises(Refusal, match="Nothing of the file side"):
        made(tmp_path, broken, guesses)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "library"]
    (tmp_path / "out").mkdir()
    with pytest.raises(Refusal, match="is there already"):
        made(tmp_path, guesses, guesses)


def test_it_is_a_verb_that_asks_no_daemon(tmp_path: Path) -> None:
    """Exit code 4 where some could not be read; the folder is for the user alone."""
    words = [sys.executable, "-m", "memtrig.ctl", "--home", str(tmp_path / "none"), "merge"]
    sides = [str(SAMPLES / "v2.7"), str(SAMPLES / "merge" / "self.txt"), "--out", str(tmp_path / "out")]
    done = subprocess.run([*words, *sides], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 4, done.stderr
    assert "Conflicts: 1" in done.stdout and "Not readable: 1" in done.stdout
    assert (tmp_path / "out").stat().st_mode & 0o077 == 0
    again = subprocess.run([*words, *sides, "--json"], capture_output=True, text=True, timeout=60, check=False)
    assert again.returncode == 1 and "is there already" in again.stdout


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("用户 | preference", "bad_value"),
        ("用户 | hobby | 喜欢茶", "bad_kind"),
        ("用户 | preference | event", "bad_value"),
        (" | preference | 喜欢茶", "bad_value"),
        ("用户 | preference | 喜欢茶 | pos | 高", "bad_value"),
    ],
)
def test_a_line_of_an_agents_that_is_none_is_left(tmp_path: Path, line: str, code: str) -> None:
    """With its text; the lines around it are taken, with the confidence that they say or 0.6."""
    path = tmp_path / "self.txt"
    path.write_text(f"# entity | kind | value\nAsha | habit | sails | | 0.9\n{line}\nआशा | habit | चहा पिते\n", "utf-8")
    assert told(path).name == "memory-trigger-lines"
    first, left, last = told(path).read(path, READING)
    assert isinstance(left, Left) and (left.code, left.raw) == (code, line)
    assert isinstance(first, Taken) and isinstance(last, Taken)
    assert (first.record.confidence, last.record.confidence) == (0.9, 0.6)
    assert {first.record.source, last.record.source} == {"self_inferred"}
