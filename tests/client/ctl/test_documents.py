"""The documents of --json: the same fields every time, on one line, whatever the text."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig import wire
from memtrig.ctl import main

Made = Callable[..., wire.Record]
MOMENT = "2026-11-30T08:15:00+00:00"
COPY = wire.Copy(name="b", at=MOMENT, why="owner", levels=["PUBLIC"], bytes=1)
COPIED = {"name": "b", "at": MOMENT, "why": "owner", "levels": ["PUBLIC"], "bytes": 1, "failed": []}
SHAPES = {
    "save k t": (
        wire.Saved(id="m", key="k", level="INTERNAL", status="active", outcome="new"),
        {"id": "m", "key": "k", "level": "INTERNAL", "status": "active", "outcome": "new"},
    ),
    "delete k": (
        wire.Deleted(key="k", level="PUBLIC", id="m"),
        {"deleted": True, "key": "k", "level": "PUBLIC", "id": "m"},
    ),
    "confirm m": (
        wire.Settled(id="m", key="k", level="PUBLIC", status="active"),
        {"id": "m", "key": "k", "level": "PUBLIC", "status": "active"},
    ),
    "deny k": (
        wire.Settled(id="m", key="k", level="PUBLIC", status="active"),
        {"id": "m", "key": "k", "level": "PUBLIC", "status": "active", "deny_count": 0, "below": False},
    ),
    "forget k": (
        wire.Forgotten(count=0, memories=[], levels=["PUBLIC"]),
        {"count": 0, "memories": [], "levels": ["PUBLIC"], "elsewhere": [], "dry_run": False, "suppressed": None}
        | {"hidden": 0},
    ),
    "undo m": (
        wire.Undone(memories=[]),
        {"memories": [], "kept": [], "dry_run": False, "entries": 0, "more": 0, "more_kept": 0},
    ),
    "review": (wire.Reviewed(items=[]), {"items": [], "more": 0}),
    "recall": (wire.Recalled(ideas=[]), {"ideas": []}),
    "suppressions": (wire.Wishes(suppressions=[]), {"suppressions": []}),
    "list": (wire.Listed(memories=[]), {"memories": [], "next_cursor": None}),
    "list --cursor a": (wire.Listed(memories=[], next_cursor="b"), {"memories": [], "next_cursor": "b"}),
    "search q": (wire.Found(results=[]), {"results": [], "left_out": 0, "how": "lexical", "warming": False}),
    "sessions": (wire.Sessions(sessions=[]), {"sessions": [], "more": 0}),
    "sessions untrusted s": (wire.Untrusted(session="s"), {"session": "s"}),
    "week": (wire.Weekly(since=MOMENT, counts={}, items=[]), {"since": MOMENT, "counts": {}, "items": [], "more": 0}),
    "erase k --confirm 1": (
        wire.Erased(count=1, memories=[], level="PUBLIC"),
        {"count": 1, "memories": [], "level": "PUBLIC", "elsewhere": [], "backups": [], "dry_run": False},
    ),
    "expire": (
        wire.Expired(count=0, memories=[]),
        {"count": 0, "memories": [], "remind": [], "more": 0, "dry_run": False},
    ),
    "why-not k --as public": (wire.Hidden(level="PUBLIC"), {"level": "PUBLIC", "served": None, "rules": [], "more": 0}),
    "promise add t": (
        wire.Promised(promise=wire.Promise(id="p", text="t", level="PUBLIC", status="open", created=MOMENT)),
        {"id": "p", "text": "t", "level": "PUBLIC", "status": "open", "created": MOMENT}
        | dict.fromkeys(["deadline", "done_at", "entity", "agent", "session"]),
    ),
    "promise list": (wire.Promises(promises=[]), {"promises": [], "more": 0, "unfulfilled": 0}),
    "wellness calm": (
        wire.WellnessNoted(noted=wire.Wellness(id="w", date="d", mood="calm", level="PUBLIC", recorded=MOMENT)),
        {"id": "w", "date": "d", "mood": "calm", "level": "PUBLIC", "recorded": MOMENT}
        | dict.fromkeys(["sleep_hours", "sleep_quality", "note", "agent"]),
    ),
    "wellness list": (wire.WellnessTold(notes=[]), {"notes": [], "more": 0, "mean_sleep": None}),
    "alias list": (wire.Aliases(aliases=[]), {"aliases": []}),
    "backup": (
        wire.BackedUp(backup=COPY),
        {**COPIED, "not_copied": []},
    ),
    "backup list": (wire.Backups(backups=[COPY]), {"backups": [COPIED], "more": 0, "unreadable": []}),
    "backup verify": (wire.BackupVerified(backup=COPY), {**COPIED, "problems": []}),
    "restore --dry-run": (
        wire.Restored(backup=COPY, levels=["PUBLIC"], before={"PUBLIC": 1}, after={"PUBLIC": 2}, dry_run=True),
        {"backup": COPIED, "levels": ["PUBLIC"], "before": {"PUBLIC": 1}, "after": {"PUBLIC": 2}, "dry_run": True}
        | {"safety": None, "memory": None, "restarting": False, "started": None, "control": False, "aside": None},
    ),
    "vacuum": (wire.Vacuumed(archived=0, level="PUBLIC"), {"archived": 0, "level": "PUBLIC", "dry_run": False}),
    "selfcheck": (wire.Checked(memories=0, problems=[]), {"memories": 0, "problems": [], "more": 0}),
    "recover": (wire.Recovered(left=[]), {"left": []}),
    "init": (
        wire.Initialised(ready=True, level="PUBLIC", facts={}),
        {"ready": True, "level": "PUBLIC", "facts": {}},
    ),
    "ping": (wire.Pong(server="0.1.0", time=MOMENT), {"server": "0.1.0", "time": MOMENT}),
}


@pytest.mark.parametrize("line", SHAPES)
def test_json_is_one_document_of_the_documented_shape(
    line: str, control: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs find the same fields every time, also those that the frame leaves out."""
    result, document = SHAPES[line]
    control(result)
    assert main([*line.split(), "--json", "--home", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out) == document


def test_json_of_a_memory_is_flat(
    control: Any, tmp_path: Any, record: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    """``get`` prints the memory itself, a hit is one with its score, and scripts stay readable."""
    memory = record(key="चहा", content="喝茶 \x9b")
    control(wire.Got(memory=memory), wire.Found(results=[msgspec.structs.replace(memory, score=1.5)]))
    assert main(["--json", "--home", str(tmp_path), "get", "चहा"]) == 0
    printed = capsys.readouterr().out
    got = json.loads(printed)
    addressed = ["id", "key", "content", "level", "kind", "entity", "tags"]
    required = [*addressed, "status", "importance", "effective_importance", "created", "updated"]
    assert all(got[name] == getattr(memory, name) for name in required)
    assert "चहा" in printed
    assert "喝茶 \\u009b" in printed
    assert main(["--json", "--home", str(tmp_path), "search", "茶"]) == 0
    assert json.loads(capsys.readouterr().out)["results"] == [got | {"score": 1.5, "why": []}]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_json(text: str) -> None:
    """Escaping changes how a document is written, not what it says."""
    from memtrig.ctl.output import as_json

    assert json.loads(as_json({"content": text})) == {"content": text}
