"""What each format finds in its files, damaged ones too: every line is taken, left with its reason, or noted."""

import json
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrigd.domain.errors import Refusal
from memtrigd.exchange import own, plain, server_memory
from memtrigd.exchange.findings import findings
from memtrigd.exchange.formats import FORMATS, named, told
from memtrigd.exchange.items import Item, Left, Noted, Reading, Taken
from memtrigd.exchange.lines import LONGEST, lines

FIXTURES = Path(__file__).with_name("fixtures")
READING = Reading(UTC, 1_796_040_000_000_000)


def items(path: Path, reading: Reading = READING) -> list[Item]:
    """What is in a file, by the format that it looks like."""
    return list(told(path).read(path, reading))


def contents(found: list[Item]) -> list[str]:
    """The texts that can be taken."""
    return [item.record.content for item in found if isinstance(item, Taken)]


@pytest.mark.parametrize(
    ("name", "format", "taken", "left", "noted"),
    [
        ("server-memory.jsonl", "server-memory", 5, 0, 0),
        ("server-memory-damaged.jsonl", "server-memory", 6, 4, 1),
        ("own.jsonl", "memtrig", 15, 3, 0),
        ("list.md", "text", 5, 0, 1),
        ("pasted.txt", "text", 3, 0, 0),
    ],
)
def test_a_file_holds_what_a_person_reading_it_would_count(
    name: str, format: str, taken: int, left: int, noted: int
) -> None:
    """The format is told by itself; what can't be read is counted beside what can."""
    assert told(FIXTURES / name).name == format
    found = items(FIXTURES / name)
    assert [sum(isinstance(item, kind) for item in found) for kind in (Taken, Left, Noted)] == [taken, left, noted]


def test_the_memory_servers_damage_costs_only_the_damaged() -> None:
    """Two objects on a line, a torn last one, a byte that is no UTF-8: each is told of by its line, with its text."""
    found = items(FIXTURES / "server-memory-damaged.jsonl")
    assert contents(found)[:3] == ["prefers metric units", "हिरवा चहा पिते", "Mira maintains harbour-map"]
    left = [item for item in found if isinstance(item, Left)]
    assert [item.place for item in left] == ["line 6", "line 7", "line 8", "line 9"]
    assert [item.base64 for item in left] == [False, False, True, False]
    assert left[-1].raw is not None and left[-1].raw.endswith("it was cut of")


def test_a_list_is_taken_item_by_item() -> None:
    """What is indented belongs to its item, a box is no text, a heading is a tag, a fence is one piece."""
    found = [item.record for item in items(FIXTURES / "list.md") if isinstance(item, Taken)]
    assert [(each.content, each.tags) for each in found] == [
        ("She drinks green tea\nin the morning, without sugar", ["Tea"]),
        ("buy a new kettle", ["Tea"]),
        ("她早上喝绿茶", ["Tea"]),
        ("Deploys on Tuesdays.", ["Work"]),
        ("```\na fenced\n- block\n```", ["Work"]),
    ]


def test_dates_of_a_paste_are_dates() -> None:
    """An assistant prints its memories with the day, or with none."""
    found = [item.record for item in items(FIXTURES / "pasted.txt") if isinstance(item, Taken)]
    assert [each.created and each.created[:10] for each in found] == ["2026-03-02", "2026-05-19", None]


def test_dates_that_can_t_be_right_can_be_done_without() -> None:
    """With ``undated`` the records are taken, and it is noted which date each of them lacks."""
    found = items(FIXTURES / "own.jsonl", Reading(UTC, READING.now, undated=True))
    assert sum(isinstance(item, Taken) for item in found) == 17
    assert [item.place for item in found if isinstance(item, Noted)] == ["line 9", "line 10"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"content": "x", "content": "y"}', "twice"),
        ('{"content": "x", "importance": NaN}', "no number of JSON"),
        ('{"content": "x", "importance": "高"}', "importance"),
        ('{"content": "\\ud800"}', "surrogate"),
        ('{"content": null}', "content"),
        ('["content"]', "no object"),
        ("[" * 100_000, "nested"),
        ('{"content": "x", "recall_count": ' + "9" * 5000 + "}", "can't be read"),
        ('{"memtrig": "memories", "version": 2}', "version 2"),
    ],
)
def test_a_line_that_is_no_record_is_left_with_its_reason(tmp_path: Path, line: str, says: str) -> None:
    """And the record behind it is taken."""
    path = tmp_path / "file"
    path.write_text(f'{line}\n{{"content": "good"}}\n', encoding="utf-8")
    left, good = own.read(path, READING)
    assert isinstance(left, Left) and says in left.message and left.raw == line
    assert contents([good]) == ["good"]


def test_a_line_longer_than_any_record_is_not_read_into_memory(tmp_path: Path) -> None:
    """BR-076: it is told of by the place of its bytes, and what stands behind it is taken."""
    path = tmp_path / "file"
    path.write_bytes(b'{"content": "' + b"x" * (3 * LONGEST) + b'"}\n{"content": "good"}\n')
    left, good = own.read(path, READING)
    assert isinstance(left, Left) and left.code == "too_large" and left.raw is None
    assert contents([good]) == ["good"]


@pytest.mark.parametrize("head", ['{"some": "other format"}', "[\n{}]", "\x00\x01", "<?xml version='1.0'?>"])
def test_a_file_of_no_known_format_is_refused(tmp_path: Path, head: str) -> None:
    """It is not taken for text, which would make a memory of each of its lines."""
    (tmp_path / "file").write_text(head, encoding="utf-8")
    with pytest.raises(Refusal, match="no format"):
        told(tmp_path / "file")


def test_utf_16_is_refused(tmp_path: Path) -> None:
    """Not read as a text of signs."""
    (tmp_path / "file").write_bytes("She drinks tea".encode("utf-16"))
    with pytest.raises(Refusal):
        told(tmp_path / "file")


def test_formats_are_named() -> None:
    """By the one table; another name is refused with the list."""
    assert [named(each.name) for each in FORMATS] == list(FORMATS)
    with pytest.raises(Refusal) as refused:
        named("mem-0")
    assert all(each.name in refused.value.hint for each in FORMATS)


@given(st.binary(max_size=400))
def test_nothing_of_a_file_is_lost_or_raises(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Any bytes: every reader goes to the end, and every line with anything on it is taken, left or noted."""
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    told_of = {line.place for line in lines(path) if line.raw or line.text.strip(" \t,")}
    for read in (own.read, server_memory.read):
        assert {item.place for item in read(path, READING)} == told_of
    list(plain.read(path, READING))


def test_findings_count_all_and_show_some() -> None:
    """Kinds, states, levels, dates and problems of the whole; the first problems one by one."""
    found = findings("memtrig", "ours", items(FIXTURES / "own.jsonl"))
    assert (found.records, found.undated, found.problems) == (15, 6, {"bad_time": 2, "bad_request": 1})
    assert (found.levels, found.states["superseded"]) == ({"RESTRICTED": 1}, 1)
    assert (found.first or "")[:10] == "2025-01-01" and (found.last or "")[:10] == "2026-03-01"
    assert len(found.examples) == 3 and found.proposed == {}
    library = findings(
        "memory-trigger", "theirs", items(Path(__file__).with_name("samples") / "memory-trigger" / "v3.1")
    )
    assert library.proposed == {"relationship": "CONFIDENTIAL", "wellness": "CONFIDENTIAL"}


def test_what_was_left_can_be_mended_and_read_again(tmp_path: Path) -> None:
    """A repair file is read by the format of each of its texts, or as the record that it has."""
    lines = [
        {"memtrig": "repair", "version": 1, "format": "server-memory", "raw": '{"type":"entity","name":"Torn"}'},
        {"memtrig": "repair", "version": 1, "format": "text", "raw": "- mended"},
        {"memtrig": "repair", "version": 1, "format": "text", "raw": "aGVscA==", "base64": True},
        {"memtrig": "repair", "version": 1, "format": "memtrig", "record": {"content": "a record"}},
        {"memtrig": "repair", "version": 1, "format": "memtrig", "raw": "{still broken"},
        {"memtrig": "repair", "version": 1, "format": "memtrig"},
    ]
    path = tmp_path / "x.repair.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = items(path)
    assert told(path).name == "repair"
    assert contents(found) == ["Torn", "mended", "help", "a record"]
    assert [(item.place, item.format) for item in found if isinstance(item, Left)] == [
        ("line 5", "memtrig"),
        ("line 6", ""),
    ]
