"""The doctor at the command line: what is shown, what a script gets, and what happens where no daemon answers."""

import json
from typing import Any

import pytest
from memtrig import wire

GOOD = wire.Finding(check="disk", verdict="ok", says="There is room.")
WARN = wire.Finding(check="copies", verdict="warn", says="The stick is not there.", todo="Plug it in.")
FAIL = wire.Finding(
    check="index", verdict="fail", says="It is not right.", todo="`memtrigctl doctor --repair`", level="PUBLIC"
)


def diagnosis(*findings: wire.Finding) -> wire.Diagnosis:
    """An answer of a daemon of the version that is installed."""
    from importlib.metadata import version

    return wire.Diagnosis(findings=list(findings), server=version("memtrigd"), protocol=1)


@pytest.mark.parametrize(
    ("findings", "code", "verdict"), [([GOOD], 0, "ok"), ([GOOD, WARN], 1, "warn"), ([WARN, FAIL, GOOD], 2, "fail")]
)
def test_the_exit_code_is_that_of_the_worst(
    control: Any, ctl: Any, findings: list[wire.Finding], code: int, verdict: str
) -> None:
    """For people and for programs; every field of every finding is in the document."""
    control(diagnosis(*findings), diagnosis(*findings))
    assert ctl("doctor").returncode == code
    told = ctl("doctor", "--json")
    document = json.loads(told.stdout)
    assert (told.returncode, document["verdict"]) == (code, verdict)
    assert all(set(each) == {"check", "verdict", "says", "todo", "level"} for each in document["findings"])


def test_what_to_do_stands_below_what_is_wrong(control: Any, ctl: Any) -> None:
    """Each finding a line, a command whole; what is well asks for nothing."""
    control(diagnosis(GOOD, FAIL))
    lines = ctl("doctor").stdout.splitlines()
    assert lines[:3] == [
        "ok    disk: There is room.",
        "FAIL  index PUBLIC: It is not right.",
        "      → `memtrigctl doctor --repair`",
    ]
    assert lines[-1] == "1 failed, 0 to see to, 1 are well."


def test_repair_is_asked_for_by_name(control: Any, ctl: Any) -> None:
    """And only then."""
    daemon = control(diagnosis(GOOD), diagnosis(GOOD))
    ctl("doctor")
    ctl("doctor", "--repair")
    assert daemon.heard == [wire.Doctor(), wire.Doctor(repair=True)]


def test_a_daemon_of_another_version_is_to_be_restarted(control: Any, ctl: Any) -> None:
    """It runs the program of before an upgrade."""
    control(wire.Diagnosis(findings=[GOOD], server="0.0.1", protocol=1))
    done = ctl("doctor")
    assert done.returncode == 1 and "0.0.1" in done.stdout and "Restart the daemon." in done.stdout


def test_it_is_for_the_owner(ctl: Any) -> None:
    """No agent learns of the machine."""
    assert ctl("--as", "public", "doctor").returncode == 2
