"""memory-trigger's libraries: what a person reading each would count, its damage, and twice the same."""

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig import wire

from memtrigd.domain.levels import Level
from memtrigd.domain.moments import from_iso
from memtrigd.exchange import memory_trigger
from memtrigd.exchange.formats import told
from memtrigd.exchange.items import Beside, Item, Left, Noted, Reading, Taken
from memtrigd.exchange.memory_trigger_rows import FIELDS
from memtrigd.gate.doors import CONTROL
from tests.exchange.moving import NOW, Moved, move
from tests.serve.harness import World

SAMPLES = Path(__file__).with_name("samples") / "memory-trigger"
READING = Reading(UTC, NOW)


def items(path: Path, reading: Reading = READING) -> list[Item]:
    """What is in a library, by the format that it looks like."""
    assert told(path).name == memory_trigger.NAME
    return list(told(path).read(path, reading))


def records(found: list[Item]) -> dict[str, wire.ImportRecord]:
    """What can be taken, by its text."""
    return {item.record.content: item.record for item in found if isinstance(item, Taken)}


def rows(tmp_path: Path, *found: object, beside: Mapping[str, object] | None = None) -> Path:
    """A library with these rows, and files beside them."""
    (tmp_path / "memory.json").write_text(json.dumps(found), encoding="utf-8")
    (tmp_path / "entity_index.json").write_text("{}")
    for name, held in (beside or {}).items():
        text = held if isinstance(held, str) else json.dumps(held, ensure_ascii=False)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def row(value: object, **fields: object) -> dict[str, object]:
    """A row as version 2.7 writes it."""
    return {"id": f"mem_{value}", "entity": "用户", "kind": "preference", "value": value, **fields}


@pytest.mark.parametrize(
    ("name", "states", "beside", "left"),
    [
        ("v2.7", {"active": 4, "superseded": 1, "pending": 1, "forgotten": 1}, {"wish": 1, "wellness": 1}, 0),
        (
            "v3.1",
            {"active": 3, "superseded": 1, "pending": 2, "expired": 1, "forgotten": 1, "disputed": 1},
            {"wish": 1, "promise": 1, "wellness": 1},
            1,
        ),
        ("dirty", {"active": 5, "superseded": 1}, {}, 2),
        (
            "broken",
            {"active": 5, "superseded": 1, "pending": 2, "forgotten": 1},
            {"wish": 1, "promise": 1, "wellness": 1},
            1,
        ),
        (
            "merge/out",
            {"active": 3, "superseded": 1, "pending": 2, "expired": 1, "forgotten": 1, "disputed": 1},
            {},
            0,
        ),
        ("rows.json", {"active": 2, "pending": 1}, {}, 0),
    ],
)
def test_a_library_holds_what_a_person_reading_it_would_count(
    name: str, states: dict[str, int], beside: dict[str, int], left: int
) -> None:
    """Rows by what became of them, what lies beside them, and what can't be taken; the log's torn line is one."""
    found = items(SAMPLES / name)
    assert Counter(item.record.status for item in found if isinstance(item, Taken)) == states
    sorts = Counter(str(item.entry.__struct_config__.tag) for item in found if isinstance(item, Beside))
    assert sorts == {f"import_{sort}": count for sort, count in beside.items()}
    assert sum(isinstance(item, Left) for item in found) == left


@pytest.mark.parametrize(
    ("name", "moved"),
    [
        ("v2.7", Moved({"new": 4, "closed": 3}, {"new": 2}, [])),
        ("v3.1", Moved({"new": 3, "closed": 6}, {"new": 3}, ["bad_value"])),
        ("dirty", Moved({"new": 4, "closed": 2}, {}, ["bad_value"] * 2)),
        ("broken", Moved({"new": 4, "closed": 5}, {"new": 3}, ["bad_value"])),
        ("rows.json", Moved({"new": 2, "closed": 1}, {}, [])),
    ],
)
def test_a_library_comes_once(world: World, name: str, moved: Moved) -> None:
    """All of it is here after the first time, and the second changes nothing: no row of the journal is written."""
    owner = world.connect(CONTROL)
    assert move(owner, SAMPLES / name, READING) == moved
    before = owner.ask(wire.AuditShow(level="INTERNAL")).rows[0].seq
    again = move(owner, SAMPLES / name, READING)
    assert again.counts == {"known": sum(moved.counts.values())}
    assert again.entries == ({"known": sum(moved.entries.values())} if moved.entries else {})
    assert owner.ask(wire.AuditShow(level="INTERNAL")).rows[0].seq == before
    assert world.problems() == []


def test_all_that_a_library_knew_is_in_its_place(world: World) -> None:
    """The forgotten is not learnt again, the denied waits as disputed, the promise is due, the day is told."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    move(owner, SAMPLES / "v3.1", READING)
    texts = {memory.content for memory in agent.ask(wire.List()).memories}
    assert texts == {"名字叫阿澈", "从不吃香菜，过敏", "改喝手冲了"}
    waits = owner.ask(wire.Act(request=wire.Review(), level="INTERNAL")).items
    assert {(item.about, item.memory.content) for item in waits} >= {
        ("disputed", "喝三分糖"),
        ("pending", "可能要换工作"),
        ("pending", "每周三次夜跑"),
    }
    wishes = owner.ask(wire.Act(request=wire.Suppressions(), level="INTERNAL")).suppressions
    assert {(wish.scope, wish.entity, wish.reason) for wish in wishes} == {
        ("entity", "前任", "别再提"),
        ("memory", None, "别再提"),
    }
    assert agent.ask(wire.Save(content="前任叫小王", entity="前任")).code == "forgotten"
    assert agent.ask(wire.Save(content="叫小王")).code == "forgotten"
    promise = agent.ask(wire.PromiseList()).promises[0]
    assert (promise.text, promise.status, promise.created[:19]) == ("写一首歌", "due", "2026-11-29T23:36:00")
    note = agent.ask(wire.WellnessList()).notes[0]
    assert (note.date, note.mood, note.sleep_hours, note.note) == ("2026-11-30", "累", 6.0, "加班")


def test_a_row_keeps_all_that_it_was(world: World) -> None:
    """Entity, kind, mood, dates and weight: its curve of forgetting goes on where it was, not from today."""
    owner, agent = world.connect(CONTROL), world.agent(Level.INTERNAL)
    move(owner, SAMPLES / "v3.1", READING)
    memory = agent.ask(wire.Get(key="mem_20261130_073556_8705f68b")).memory
    assert (memory.entity, memory.kind, memory.emotion_tags) == ("用户", "preference", ["担心"])
    assert (memory.context, memory.confidence, memory.core) == ("说得很认真", 1.0, False)
    assert memory.created == memory.updated == "2026-11-29T23:35:56+00:00"
    assert memory.effective_importance == round(0.995 ** ((NOW - from_iso(memory.created, UTC)) / 86_400_000_000), 4)


Damaged = tuple[dict[str, Any], dict[str, object], str]
DAMAGE: dict[str, Damaged] = {
    "type only": ({"kind": None, "type": "relationship"}, {"kind": "relationship"}, ""),
    "kind and value swapped": (
        {"kind": "喜欢茶", "value": "preference"},
        {"kind": "preference", "content": "喜欢茶"},
        "swapped",
    ),
    "kind and entity swapped": ({"kind": "用户", "entity": "event"}, {"kind": "event", "entity": "用户"}, "swapped"),
    "no kind": ({"kind": None}, {"kind": None}, "general"),
    "importance in words": ({"importance": "高"}, {"importance": None}, "importance"),
    "importance infinite": ({"importance": float("inf")}, {"importance": None}, "importance"),
    "importance as a text": ({"importance": "0.5"}, {"importance": 0.5}, ""),
    "importance null": ({"importance": None}, {"importance": None}, ""),
    "confidence over 1": ({"confidence": 7}, {"confidence": None}, "confidence"),
    "a naive date": ({"created": "2026-03-02T10:00:00"}, {"created": "2026-03-02T10:00:00+00:00"}, ""),
    "a date alone": ({"created": "2026-03-03"}, {"created": "2026-03-03T00:00:00+00:00"}, ""),
    "an unknown source": ({"source": "self"}, {"source": "auto_detect"}, "source"),
    "moods as a text": ({"emotion_tags": "温暖，平静"}, {"emotion_tags": ["温暖", "平静"]}, "list"),
    "a map among moods": ({"emotion_tags": ["温暖", {"a": 1}]}, {"emotion_tags": ["温暖"]}, "no text"),
    "an entity's status": ({"status": "confirmed"}, {"status": "active"}, "confirmed"),
    "no status": ({"status": None}, {"status": "active"}, ""),
    "an inference as core": ({"core": True, "source": "self_inferred"}, {"core": None}, "inferred"),
    "core as a text": ({"core": "true"}, {"core": None}, "core"),
    "denied twice": (
        {"status": "pending", "deny_count": 2, "deny_reason": "不"},
        {"status": "disputed", "reason": "不"},
        "",
    ),
    "denied once": ({"deny_count": 1, "importance": 0.1}, {"status": "active", "deny_count": 1}, ""),
    "forgotten": ({"status": "superseded", "forgotten_at": "2026-05-01"}, {"status": "forgotten"}, ""),
    "no id": ({"id": None}, {"key": None}, ""),
    "fields of nobody's": ({"colour": "red"}, {}, "colour"),
    "an entity that is a number": ({"entity": 7}, {"entity": None}, "entity"),
}


@pytest.mark.parametrize("case", DAMAGE, ids=str)
def test_damage_that_is_certain_is_mended_and_noted(tmp_path: Path, case: str) -> None:
    """The memory is taken; what was done to it is told where anything of it was changed or left out."""
    damage, mended, note = DAMAGE[case]
    found = items(rows(tmp_path, row("喜欢喝茶") | damage))
    [record] = records(found).values()
    assert {name: getattr(record, name) for name in mended} == mended
    notes = [item.message for item in found if isinstance(item, Noted)]
    assert len(notes) == bool(note) and all(note in each for each in notes)


@pytest.mark.parametrize(
    ("damaged", "code"),
    [
        ("裸字符串", "bad_value"),
        (row(None), "bad_value"),
        (row("  "), "bad_value"),
        (row(7), "bad_value"),
        (row("a", kind="hobby"), "bad_kind"),
        (row("a", status="gone"), "bad_value"),
        (row("a", created="前天"), "bad_time"),
        (row("a", created="2090-01-01"), "bad_time"),
        (row("half \ud800"), "bad_value"),
    ],
    ids=str,
)
def test_damage_that_is_not_certain_is_left_and_can_be_mended(
    world: World, tmp_path: Path, damaged: object, code: str
) -> None:
    """It is left with its text and the reason; the rows around it are taken."""
    moved = move(world.connect(CONTROL), rows(tmp_path, row("one"), damaged, row("two")), READING)
    assert (moved.counts, moved.not_taken) == ({"new": 2}, [code])
    [left] = [item for item in items(tmp_path) if isinstance(item, Left)]
    assert left.raw is not None and json.loads(left.raw) == damaged
    mended = json.dumps(row("mended"))
    assert [*records(list(memory_trigger.again(mended, "line 1", READING)))] == ["mended"]


@pytest.mark.parametrize("text", ["", "[", "null", '{"a": 1}', '[{"id": "mem_1", "kind": "event", "value": "从前'])
def test_a_broken_file_gives_way_to_the_newest_backup_that_is_whole(tmp_path: Path, text: str) -> None:
    """And it is said so; a backup that is broken too is passed over."""
    kept = {".backup/memory_2026-01-02T00-00-00+08-00.json": [row("kept")]}
    newer = {".backup/memory_2026-01-03T00-00-00-971508.json": '[{"id": "mem_torn", "kind": "ev'}
    older = {".backup/memory_2026-01-01T00-00-00+08-00.json": [row("older")]}
    rows(tmp_path, beside={**kept, **newer, **older, ".wal.jsonl": ""})
    (tmp_path / "memory.json").write_text(text, encoding="utf-8")
    found = items(tmp_path)
    assert [*records(found)] == ["kept"]
    assert any(isinstance(item, Noted) and "memory_2026-01-02" in item.message for item in found)


def test_a_broken_file_without_a_backup_gives_what_can_be_read_of_it(tmp_path: Path) -> None:
    """The torn row is left with its text, and what stands in a newer file outranks an older copy of it."""
    rows(tmp_path)
    whole = json.dumps([row("one"), row("two"), row("three")], ensure_ascii=False)
    (tmp_path / "memory.json").write_text(whole[:-20], encoding="utf-8")
    found = items(tmp_path)
    assert [*records(found)] == ["one", "two"]
    assert any(isinstance(item, Left) and item.raw and "mem_three" in item.raw for item in found)
    backup = [row("one", importance=0.5), row("three")]
    rows(tmp_path, beside={".backup/memory_2026-01-02T00-00-00+08-00.json": backup})
    (tmp_path / "memory.json").write_text(whole[:-20], encoding="utf-8")
    both = items(tmp_path)
    assert {text: each.importance for text, each in records(both).items()} == {"one": None, "two": None, "three": None}
    assert not [item for item in both if isinstance(item, Left)]


def test_nothing_of_the_log_comes_back_by_itself(tmp_path: Path) -> None:
    """What was begun waits; what was said otherwise since is history; what was forgotten since is left."""

    def begun(number: int, **fields: object) -> str:
        return json.dumps({"op": "upsert", "ts": "2026-02-01T00:00:00+08:00", "memory_id": f"mem_{number}", **fields})

    log = [
        begun(1, entity="跑步", kind="habit", value="每周三次夜跑", source="user_explicit"),
        begun(2, entity="用户", kind="identity", value="住在北京", source="self_inferred"),
        begun(3, entity="前任", kind="relationship", value="叫小王", source="user_explicit"),
        begun(4, entity="用户", kind="identity", value="已经搬到上海", source="user_explicit"),
        begun(5, entity="茶", kind="preference", value="只喝绿茶"),
        json.dumps({"op": "commit", "memory_id": "mem_5"}),
        '{"op": "upsert", "entity": "半截',
    ]
    moved = {"id": "mem_4", "entity": "用户", "kind": "identity", "value": "已经搬到上海", "created": "2026-03-01"}
    wished = {"suppressed": [{"entity": "前任", "memory_id": "mem_0", "kind": "relationship", "reason": "别提"}]}
    library = rows(tmp_path, moved, beside={".wal.jsonl": "\n".join(log), ".suppressed.json": wished})
    found = items(library)
    assert {text: each.status for text, each in records(found).items()} == {
        "已经搬到上海": "active",
        "每周三次夜跑": "pending",
        "住在北京": "superseded",
    }
    assert [item.code for item in found if isinstance(item, Left)] == ["bad_value", "forgotten"]
    (library / "memory.json").write_text("[", encoding="utf-8")
    lost = records(items(library))
    assert {lost[text].status for text in ("已经搬到上海", "只喝绿茶")} == {"pending"}


def test_what_was_written_into_an_older_row_was_not_cut_off(tmp_path: Path) -> None:
    """The log begins it under an id of its own and ends it under the row's: nothing of it waits."""
    log = [
        {
            "op": "upsert",
            "memory_id": "mem_2",
            "entity": "用户",
            "kind": "preference",
            "value": "很爱喝茶",
            "ts": "2026-02-01",
        },
        {"op": "commit", "memory_id": "mem_1", "entity": "用户"},
    ]
    kept = {"id": "mem_1", "entity": "用户", "kind": "preference", "value": "很爱喝茶"}
    library = rows(tmp_path, kept, beside={".wal.jsonl": "\n".join(map(json.dumps, log))})
    assert [record.status for record in records(items(library)).values()] == ["active"]


def test_what_the_program_put_for_an_entity_names_nothing(tmp_path: Path) -> None:
    """The beginning of the text itself."""
    long = "在书店门口合影" * 10
    found = records(items(rows(tmp_path, row(long, entity=long[:40]), row("爱茶", entity="爱"))))
    assert {text: each.entity for text, each in found.items()} == {long: None, "爱茶": "爱"}


def test_a_backup_does_not_bring_back_what_was_forgotten_since(tmp_path: Path) -> None:
    """The list of what is not to be brought up is newer than the backup that stands in."""
    wished = {"suppressed": [{"entity": "前任", "memory_id": "mem_小王", "kind": "relationship", "reason": "别提"}]}
    backup = [row("小王", entity="前任", status="active")]
    beside = {".suppressed.json": wished, ".backup/memory_2026-01-02T00-00-00+08-00.json": backup}
    rows(tmp_path, beside=beside)
    (tmp_path / "memory.json").write_text("[{", encoding="utf-8")
    [record] = records(items(tmp_path)).values()
    assert (record.status, record.forget_reason) == ("forgotten", "别提")


def test_rows_that_share_an_id_are_each_taken(world: World, tmp_path: Path) -> None:
    """The first keeps it as its key; the same row twice is one."""
    twin = row("one") | {"value": "another"}
    library = rows(tmp_path, row("one"), twin, row("one"))
    assert move(world.connect(CONTROL), library, READING).counts == {"new": 2, "known": 1}
    assert move(world.connect(CONTROL), library, READING).counts == {"known": 3}


def test_what_was_archived_is_history(tmp_path: Path) -> None:
    """A row that is in the file too is taken from there."""
    old = [row("old", status="superseded"), row("new", status="superseded")]
    found = records(items(rows(tmp_path, row("new"), beside={".archive/memory_20260101.json": old})))
    assert {text: each.status for text, each in found.items()} == {"new": "active", "old": "superseded"}


def test_of_an_entity_that_is_spoken_of_only_rows_were_forgotten(world: World, tmp_path: Path) -> None:
    """No wish about all of it is made; a line whose row is nowhere is left, and says all of it when it is imported."""
    gone = row("别提", status="superseded", forgotten_at="2026-05-01", forget_reason="伤心")
    wished = [
        {"entity": "用户", "memory_id": "mem_别提", "kind": "preference", "reason": "伤心"},
        {"entity": "用户", "memory_id": "mem_nowhere", "kind": "event", "reason": "忘了"},
    ]
    library = rows(tmp_path, row("爱茶"), gone, beside={".suppressed.json": {"suppressed": wished}})
    owner = world.connect(CONTROL)
    assert move(owner, library, READING) == Moved({"new": 1, "closed": 1}, {}, ["bad_value"])
    wishes = owner.ask(wire.Act(request=wire.Suppressions(), level="INTERNAL")).suppressions
    assert [(wish.scope, wish.reason) for wish in wishes] == [("memory", "伤心")]
    [left] = [item for item in items(library) if isinstance(item, Left)]
    [again] = memory_trigger.again(left.raw or "", "line 1", READING)
    assert isinstance(again, Beside) and again.entry == wire.ImportWish(entity="用户", reason="忘了")


def test_the_page_of_what_was_forgotten_is_read_where_the_list_is_lost(tmp_path: Path) -> None:
    """With its entity and reason."""
    page = (SAMPLES / "v3.1" / "suppressed_prompt.md").read_text(encoding="utf-8")
    for listed in (None, "{torn"):
        beside = {"suppressed_prompt.md": page} | ({".suppressed.json": listed} if listed else {})
        found = items(rows(tmp_path, beside=beside))
        assert [item.entry for item in found if isinstance(item, Beside)] == [
            wire.ImportWish(entity="前任", reason="别再提")
        ]


def test_names_that_the_user_gave_are_taken(tmp_path: Path) -> None:
    """Those that every library has are not, but one of them with another entity is the user's."""
    names = json.loads((SAMPLES / "v2.7" / "aliases.json").read_text(encoding="utf-8"))
    found = items(rows(tmp_path, beside={"aliases.json": {**names, "篮球": "球类", "阿澈": "用户", "x": 7}}))
    assert [(item.entry.alias, item.entry.entity) for item in found if isinstance(item, Beside)] == [  # type: ignore[union-attr]
        ("篮球", "球类"),
        ("阿澈", "用户"),
    ]
    assert [item.code for item in found if isinstance(item, Left)] == ["bad_value"]


def test_promises_that_were_written_by_hand_are_promises(tmp_path: Path) -> None:
    """A ticked box is a kept one; prose is noted."""
    page = "# 承诺追踪\n\n- [ ] 写一首歌\n- [x] 周五看电影\n* 带她去海边\n只是一句话\n"
    found = items(rows(tmp_path, beside={"promises.md": page}))
    promised = [item.entry for item in found if isinstance(item, Beside)]
    assert [(each.text, each.done_at is not None) for each in promised] == [  # type: ignore[union-attr]
        ("写一首歌", False),
        ("周五看电影", True),
        ("带她去海边", False),
    ]
    assert [item.place for item in found if isinstance(item, Noted)] == ["promises.md: line 6"]


def test_a_night_that_can_t_be_is_left_out_of_its_day(tmp_path: Path) -> None:
    """The mood is taken; a day without one is left."""
    days = [{"date": "2026-11-30", "mood": "累", "sleep_hours": 99}, {"date": "2026-11-29"}]
    found = items(rows(tmp_path, beside={"wellness.json": {"records": days}}))
    assert [item.entry for item in found if isinstance(item, Beside)] == [
        wire.ImportWellness(date="2026-11-30", mood="累")
    ]
    assert [item.code for item in found if isinstance(item, Left)] == ["bad_value"]
    assert sum(isinstance(item, Noted) for item in found) == 1


def test_a_link_is_not_followed_and_strange_files_are_told_of(tmp_path: Path) -> None:
    """Whatever the folder holds besides is named, and preferences that somebody filled in are not passed over."""
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps({"secret": "elsewhere"}))
    library = tmp_path / "library"
    library.mkdir()
    rows(library, row("one"), beside={"preferences.json": {"anchors": {"海": 1}}, "notes.py": "", ".lock": ""})
    (library / "memory.json.corrupt.2026").write_text("[")
    (library / "aliases.json").symlink_to(outside)
    found = items(library)
    assert [item.place for item in found if isinstance(item, Left)] == ["aliases.json"]
    assert {item.place for item in found if isinstance(item, Noted)} == {
        "memory.json.corrupt.2026",
        "preferences.json",
        "folder",
    }
    assert "elsewhere" not in repr(found)


def test_a_file_alone_says_that_its_folder_has_more(tmp_path: Path) -> None:
    """And of a copy of what was broken what can be read is taken, once its format is named."""
    library = Path(shutil.copytree(SAMPLES / "v3.1", tmp_path / "library"))
    found = items(library / "memory.json")
    assert len(records(found)) == 8 and isinstance(found[-1], Noted)
    torn = (library / "memory.json").read_bytes()[:1500]
    (tmp_path / "memory.json.corrupt.2026").write_bytes(torn)
    salvaged = records(list(memory_trigger.read(tmp_path / "memory.json.corrupt.2026", READING)))
    assert [*salvaged] == ["名字叫阿澈", "从不吃香菜，过敏"]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(sorted(FIELDS)),
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats()
            | st.text(max_size=9)
            | st.lists(st.text(max_size=3)),
            max_size=9,
        )
        | st.text(max_size=9),
        max_size=6,
    )
)
def test_each_row_is_taken_or_left(tmp_path_factory: pytest.TempPathFactory, found: list[Any]) -> None:
    """Whatever its fields hold: none is lost, none is taken twice, and nothing raises."""
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    told_of = [item.place for item in memory_trigger.read(path, READING) if isinstance(item, Taken | Left)]
    assert told_of == [f"record {number}" for number in range(1, len(found) + 1)]
