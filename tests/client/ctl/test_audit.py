"""The journals and the proof at the command line."""

import json
from typing import Any

import pytest
from memtrig import wire

ROW = wire.AuditRow(level="INTERNAL", seq=7, at="2026-11-30T08:15:00+00:00", op="save", actor="claude", seal="00ff")
PROOF = wire.Proof(
    level="INTERNAL",
    at="2026-11-30T08:15:00+00:00",
    server="0.1.0",
    python="3.11.4",
    sqlite="3.54.0",
    schema=9,
    code="11ee",
    above={"CONFIDENTIAL": 0, "RESTRICTED": 1},
    sampled={"INTERNAL": 40, "RESTRICTED": 1},
    asked={"get": 200, "search": 1100},
    probes=1300,
    differing=0,
    seen_above=40,
    digest="00ff",
    covers=["Every reply was compared."],
    leaves_out=["How long a reply takes."],
)


def audited(*problems: str, **more: Any) -> wire.Audited:
    """Make an answer in which INTERNAL has these problems."""
    sound = wire.Audit(level="PUBLIC", head="PUBLIC:1:00ff")
    return wire.Audited(audits=[sound, wire.Audit(level="INTERNAL", problems=list(problems), **more)])


def test_what_is_sound_is_said_with_the_ends_to_keep(control: Any, ctl: Any) -> None:
    """Exit code 0; each end stands on a line of its own, to be copied."""
    control(audited())
    done = ctl("audit", "verify")
    assert done.returncode == 0
    assert "PUBLIC: 1 row, all is as the journal left it." in done.stdout
    assert "PUBLIC:1:00ff" in done.stdout.splitlines()


def test_a_problem_is_shown_and_fails(control: Any, ctl: Any) -> None:
    """Exit code 1, for programs too; control.db's problems count."""
    bad = audited("Row 2 of the journal was altered, or the row before it was.", more=3)
    control(bad, bad, wire.Audited(audits=[], control=["The trigger taint_never_falls is gone."]))
    done = ctl("audit", "verify")
    assert done.returncode == 1
    assert "Row 2 of the journal was altered" in done.stdout
    assert "Not shown: 3 more" in done.stdout
    told = ctl("audit", "verify", "--json")
    assert told.returncode == 1
    assert [each["sound"] for each in json.loads(told.stdout)["audits"]] == [True, False]
    assert ctl("audit", "verify").returncode == 1


def test_level_and_ends_arrive(control: Any, ctl: Any) -> None:
    """--level is the verb's own here, before the verb or behind it."""
    daemon = control(audited(), audited())
    ctl("audit", "verify", "--level", "internal", "--head", "PUBLIC:1:00", "--head", "INTERNAL:2:11")
    ctl("--level", "internal", "audit", "verify")
    assert daemon.heard == [
        wire.AuditVerify(level="INTERNAL", heads=["PUBLIC:1:00", "INTERNAL:2:11"]),
        wire.AuditVerify(level="INTERNAL"),
    ]


def test_rows_are_a_table_with_the_way_to_the_next_page(control: Any, ctl: Any) -> None:
    """What concerned no memory has no id."""
    control(wire.AuditRows(rows=[ROW], next_cursor="internal-7"))
    done = ctl("audit", "show")
    assert done.stdout.splitlines()[1].split()[:2] == ["INTERNAL", "7"]
    assert "--cursor internal-7" in done.stdout


def test_an_export_is_a_document_a_line_over_all_pages(control: Any, ctl: Any) -> None:
    """The oldest first, page after page until the last; every field is named."""
    daemon = control(wire.AuditRows(rows=[ROW] * 2, next_cursor="internal-7"), wire.AuditRows(rows=[ROW]))
    done = ctl("audit", "export", "--since", "2026-11-01")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 3
    assert rows[0] == {"level": "INTERNAL", "seq": 7, "at": ROW.at, "op": "save", "actor": "claude", "seal": "00ff"} | {
        "session": None,
        "id": None,
    }
    assert [(each.cursor, each.oldest_first, each.since) for each in daemon.heard] == [
        (None, True, "2026-11-01"),
        ("internal-7", True, "2026-11-01"),
    ]


@pytest.mark.parametrize(
    ("changed", "verdict", "code"),
    [
        ({}, "holds", 0),
        ({"seen_above": 0}, "nothing_above", 0),
        ({"differing": 2, "differing_kinds": ["search"]}, "leaks", 1),
    ],
)
def test_a_proof_says_its_verdict(control: Any, ctl: Any, changed: dict[str, Any], verdict: str, code: int) -> None:
    """Where nothing could have been seen it does not claim more; what differs fails and says in what."""
    proof = wire.Proof(**{name: getattr(PROOF, name) for name in PROOF.__struct_fields__} | changed)
    control(proof, proof)
    told = ctl("prove", "--level", "internal", "--json")
    assert (json.loads(told.stdout)["verdict"], told.returncode) == (verdict, code)
    shown = ctl("prove", "--level", "internal")
    assert shown.returncode == code
    assert "RESTRICTED (1 memory)" in shown.stdout
    assert "- How long a reply takes." in shown.stdout
    assert ("(in search)" in shown.stdout) == bool(code)


def test_a_proof_needs_its_level(ctl: Any) -> None:
    """None is taken for granted, and what is missing is named as the one thing it is."""
    done = ctl("prove")
    assert done.returncode == 2
    assert "prove needs --level." in done.stderr


def test_at_a_terminal_it_is_shown_how_far_it_is(control: Any, terminal: Any) -> None:
    """On a line that makes way for the answer, and harmless whatever it says; in a pipe nobody asks for it."""
    told = wire.Notice(about="progress", level="INTERNAL", at=ROW.at, text="index (7 of 9)\x1b[31m")
    answer = wire.Answer(id=1, result=audited())
    daemon = control(wire.frame(wire.Answer(id=0, notice=told)) + wire.frame(answer))
    screen = terminal("audit", "verify")
    screen.until("INTERNAL: index (7 of 9)\\x1b[31m")
    screen.until("\r\x1b[K")
    screen.until("all is as the journal left it")
    assert screen.end() == 0
    assert daemon.heard == [wire.AuditVerify(progress=True)]
