"""Erase: on a terminal nothing goes before the owner typed how much; elsewhere the daemon asks for the count."""

from typing import Any

import msgspec
import pytest
from memtrig import wire
from memtrig.ctl.catalogue import load
from memtrig.ctl.grammar import DaemonVerb
from memtrig.ctl.render import Screen

GOING = [wire.Touched(id="m-1", key="user.diary", level="INTERNAL", status="active")]
TRIED = wire.Erased(count=2, memories=GOING, level="INTERNAL", elsewhere=["PUBLIC"], dry_run=True)
ERASED = wire.Erased(count=2, memories=GOING, level="INTERNAL", elsewhere=["PUBLIC"])


def test_the_owner_types_the_count(control: Any, terminal: Any) -> None:
    """First comes what would go, then it goes; what stays elsewhere is said."""
    daemon = control(TRIED, ERASED)
    screen = terminal("erase", "user.diary", "--level", "internal")
    screen.until("This would erase 2 memories at INTERNAL for good.")
    screen.until("Type 2 to erase")
    screen.press("2\n")
    screen.until("Erased 2 memories at INTERNAL.")
    screen.until("The same stays at PUBLIC")
    assert screen.end() == 0
    first, second = (act.request for act in daemon.heard)
    assert (first.key, first.dry_run, first.confirm) == ("user.diary", True, None)
    assert (second.key, second.dry_run, second.confirm) == ("user.diary", False, 2)
    assert first.idempotency_key != second.idempotency_key
    assert [act.level for act in daemon.heard] == ["INTERNAL", "INTERNAL"]


@pytest.mark.parametrize("typed", ["\n", "yes\n", "3\n", "22\n", "\x04"])
def test_anything_else_leaves_it(control: Any, terminal: Any, typed: str) -> None:
    """Nothing more is sent, and the exit code says that it was not done."""
    daemon = control(TRIED)
    screen = terminal("erase", "user.diary")
    screen.until("›")
    screen.press(typed)
    assert screen.end() == 1
    assert "Nothing was erased." in screen.seen
    assert len(daemon.heard) == 1


@pytest.mark.parametrize("more", [["--dry-run"], ["--confirm", "2"], ["--dry-run", "--confirm", "2"]])
def test_who_has_looked_already_is_not_asked(control: Any, terminal: Any, more: list[str]) -> None:
    """With the count, or only to look, it is one question."""
    daemon = control(TRIED if "--dry-run" in more else ERASED)
    screen = terminal("erase", "--id", "m-1", "--all-levels", *more)
    assert screen.end() == 0
    assert "Type" not in screen.seen
    assert [act.all_levels for act in daemon.heard] == [True]


def test_without_a_terminal_the_daemon_asks(control: Any, ctl: Any) -> None:
    """Nothing is looked at first, and its refusal stands as it is."""
    daemon = control(wire.Error(code="confirm_count", message="2 would go.", hint="Say confirm 2."))
    done = ctl("erase", "user.diary")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Say confirm 2." in done.stderr
    assert (daemon.heard[0].request.dry_run, daemon.heard[0].request.confirm) == (False, None)


@pytest.mark.parametrize(
    ("backups", "said"), [(["2026-11-29", "2026-11-30"], "these backups: 2026-11-29 and 2026-11-30"), ([], "Copies of")]
)
def test_it_says_which_copies_stay(control: Any, ctl: Any, backups: list[str], said: str) -> None:
    """What it was not told of backups it does not claim."""
    control(wire.Erased(count=1, memories=GOING, level="INTERNAL", backups=backups))
    done = ctl("erase", "user.diary", "--confirm", "1")
    assert said in done.stdout
    assert "has no backups" not in done.stdout


def test_a_daemon_that_says_it_has_no_backups_is_believed() -> None:
    """An empty list is an answer, a missing one is none."""
    verb = load("erase")
    assert isinstance(verb, DaemonVerb)
    lines = verb.show(msgspec.to_builtins(ERASED) | {"backups": []}, Screen())
    assert "memtrigd has no backups of it." in lines
