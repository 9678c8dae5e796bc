"""The week on a terminal: what agents did, one at a time, one key each; elsewhere a list."""

from collections.abc import Callable
from typing import Any

import pytest
from memtrig import wire

Made = Callable[..., wire.Record]
SINCE = "2026-11-23T08:15:00+00:00"


def weekly(*items: wire.Item, **more: Any) -> wire.Weekly:
    """Make a week."""
    return wire.Weekly(since=SINCE, counts={"learned": 12, "guessed": 0, "forgot": 1}, items=list(items), **more)


def settled(status: str) -> wire.Settled:
    """Make the answer to an answer."""
    return wire.Settled(id="m-1", key="user.tea", level="INTERNAL", status=status)


def test_each_kind_of_item_has_its_keys(control: Any, terminal: Any, record: Made) -> None:
    """Of what was learned k keeps and d denies; a guess takes y; what is left is said."""
    items = [
        wire.Item(about=about, memory=record(id=f"m-{n}")) for n, about in enumerate(["learned"] * 2 + ["guessed"])
    ]
    items.append(wire.Item(about="contested", memory=record(id="m-3"), against=record()))
    daemon = control(weekly(*items, more=3), settled("active"), settled("active"))
    screen = terminal("week")
    screen.until("agents learned 12, forgot 1.")
    for key, number in zip("kdys", range(1, 5), strict=True):
        screen.until(f"{number} of 4")
        screen.until("›")
        screen.press(key)
    assert screen.end() == 0
    assert [type(act.request) for act in daemon.heard] == [wire.Week, wire.Deny, wire.Confirm]
    assert [act.request.id for act in daemon.heard[1:]] == ["m-1", "m-2"]
    assert "1 left as it is." in screen.seen
    assert "Not shown: 3 more" in screen.seen


@pytest.mark.parametrize(
    ("status", "request_type", "answer"),
    [
        ("forgotten", wire.Unforget, settled("active")),
        ("disputed", wire.Confirm, settled("active")),
        ("active", wire.Undo, wire.Undone(memories=[])),
    ],
)
def test_what_agents_took_out_of_service_comes_back(
    control: Any, terminal: Any, record: Made, status: str, request_type: type, answer: wire.Result
) -> None:
    """u is by the verb that fits what was done: forgotten, denied away, or denied once."""
    daemon = control(weekly(wire.Item(about="forgot", memory=record(status=status))), answer)
    screen = terminal("week")
    screen.until("›")
    screen.press("u")
    assert screen.end() == 0
    assert type(daemon.heard[1].request) is request_type
    assert daemon.heard[1].request.id == "m-1"
    assert "That was the week." in screen.seen


def test_an_answer_is_told_in_a_sentence_that_fits(control: Any, terminal: Any, record: Made) -> None:
    """No table between two questions, and no word cut by the edge; who said it stands there once."""
    item = wire.Item(about="learned", memory=record(agent="cook"), note="cook, 2026-11-30T08:15:00+00:00")
    touched = [wire.Touched(id="m-1", key="user.tea", level="INTERNAL", status="forgotten")]
    denied = wire.Settled(id="m-1", key="user." + "tea" * 12, level="INTERNAL", status="active", deny_count=1)
    control(weekly(item, item), wire.Forgotten(count=1, memories=touched, levels=["INTERNAL"]), denied)
    screen = terminal("week")
    for key in "fd":
        screen.until("›")
        screen.press(key)
    assert screen.end() == 0
    assert "Forgot 1 memory at INTERNAL." in screen.seen
    assert "STATUS" not in screen.seen
    assert max(map(len, screen.seen.splitlines())) <= 80
    assert screen.seen.count("cook") == 2


def test_a_week_without_agents_asks_nothing(control: Any, terminal: Any) -> None:
    """There is nothing to press."""
    control(wire.Weekly(since=SINCE, counts={"learned": 0}, items=[]))
    screen = terminal("week")
    assert screen.end() == 0
    assert "agents changed nothing." in screen.seen


def test_in_a_pipe_it_is_a_list(control: Any, ctl: Any, record: Made) -> None:
    """Each item with its kind, its id and its note; the days that were asked for are sent."""
    daemon = control(weekly(wire.Item(about="learned", memory=record(), note="gardener, 2020-11-29T09:30:00+00:00")))
    done = ctl("week", "--days", "14")
    assert done.returncode == 0
    assert daemon.heard[0].request.days == 14
    assert "learned      m-1  INTERNAL  user.tea\n             Likes masala tea\n" in done.stdout
    assert "             gardener, 2020-11-29 09:30+0000\n" in done.stdout
