"""Triggerfish's store, made by its own schema: levels, agents and deletions, and files that are none or damaged."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memtrigd.domain.errors import Refusal
from memtrigd.exchange.formats import told
from memtrigd.exchange.items import Left, Noted, Taken
from tests.exchange.test_formats import items

SCHEMA = "CREATE TABLE IF NOT EXISTS kv (key TEXT PRIMARY KEY, value TEXT NOT NULL)"


def record(
    key: str, content: str, level: str = "PUBLIC", agent: str = "main-session", **fields: Any
) -> tuple[str, str]:
    """A row as Triggerfish writes it."""
    made = {
        "key": key,
        "agentId": agent,
        "classification": level,
        "content": content,
        "tags": ["persona"],
        "createdAt": "2026-09-01T10:00:00.000Z",
        "updatedAt": "2026-09-02T10:00:00.000Z",
        "expired": False,
        "sourceSessionId": "s-1",
        **fields,
    }
    return f"memory:{agent}:{level}:{key}", json.dumps(made, ensure_ascii=False)


ROWS = [
    record("user-name", "Their name is आशा."),
    record("employer", "Works at a bakery."),
    record("employer", "Leaves the bakery for 上海.", "CONFIDENTIAL"),
    record("pref-tea", "Likes tea.", expired=True),
    record("trip", "Flies to Oslo.", expiresAt="2026-09-20T00:00:00.000Z"),
    record("employer", "A trigger's note.", agent="trigger:daily"),
    ("session:1", "{}"),
    ("config:x", "1"),
]


def store(folder: Path, rows: list[tuple[Any, Any]] | None = None) -> Path:
    """Make a store, closed as Triggerfish closes it."""
    path = folder / "triggerfish.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode=WAL")
        made.execute(SCHEMA)
        made.executemany("INSERT INTO kv VALUES (?, ?)", ROWS if rows is None else rows)
        made.commit()
    return path


def test_each_memory_comes_with_its_level_and_key(tmp_path: Path) -> None:
    """Copies at two levels are two, another agent's key has its name before it, other entries are counted."""
    path = store(tmp_path)
    before = path.read_bytes(), sorted(tmp_path.iterdir())
    found = items(path)
    assert told(path).name == "triggerfish"
    records = [each.record for each in found if isinstance(each, Taken)]
    assert sorted((each.key, each.level, each.status) for each in records) == [
        ("employer", "CONFIDENTIAL", "active"),
        ("employer", "PUBLIC", "active"),
        ("pref-tea", "PUBLIC", "forgotten"),
        ("trigger:daily/employer", "PUBLIC", "active"),
        ("trip", "PUBLIC", "active"),
        ("user-name", "PUBLIC", "active"),
    ]
    assert {(each.created or "")[:10] for each in records} == {"2026-09-01"}
    assert [each.message[:2] for each in found if isinstance(each, Noted)] == ["2 "]
    assert (path.read_bytes(), sorted(tmp_path.iterdir())) == before


def test_what_is_still_in_the_log_is_not_left_out_silently(tmp_path: Path) -> None:
    """A store that is open, or crashed, is refused until it is closed."""
    path = store(tmp_path)
    with closing(sqlite3.connect(path)) as running:
        running.execute("INSERT INTO kv VALUES (?, ?)", record("new", "Said last."))
        running.commit()
        with pytest.raises(Refusal, match=r"still in triggerfish\.db-wal"):
            items(path)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("{torn", "bad_value"),
        ('{"key": "x"}', "bad_request"),
        ("[]", "bad_request"),
        (record("x", "y", "SECRET")[1], "bad_level"),
        (record("x", "y", createdAt="lately")[1], "bad_time"),
        ("x" * ((4 << 20) + 1), "too_large"),
        (b"\xff\xfe", "bad_value"),
    ],
)
def test_a_broken_record_costs_only_itself(tmp_path: Path, raw: Any, code: str) -> None:
    """Each with its reason; the others are taken."""
    found = items(store(tmp_path, [("memory:main-session:PUBLIC:a", raw), record("b", "Likes tea.")]))
    assert [each.code for each in found if isinstance(each, Left)] == [code]
    assert [each.record.content for each in found if isinstance(each, Taken)] == ["Likes tea."]


def test_another_programs_file_is_refused(tmp_path: Path) -> None:
    """One of SQLite without the table, and one whose table is a view."""
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE notes (value TEXT)")
        made.execute("CREATE VIEW kv AS SELECT 'memory:a' AS key, '{}' AS value")
        made.commit()
    with pytest.raises(Refusal, match="none of Triggerfish"):
        items(path)


def test_a_damaged_file_says_how_far_it_was_read(tmp_path: Path) -> None:
    """What comes before the damage is taken."""
    path = store(tmp_path, [record(f"key-{n:04}", "x" * 300) for n in range(500)])
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 8192] = bytes(8192)
    path.write_bytes(data)
    found = items(path)
    assert [each.place for each in found if isinstance(each, Left)][-1] == "the file"
    path.write_bytes(data[:5000])
    assert [each.code for each in items(path) if isinstance(each, Left)] == ["bad_value"]
