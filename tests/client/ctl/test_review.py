"""Review on a terminal: one item at a time, one key each; elsewhere a list."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from memtrig import wire
from memtrig.ctl.answers import QUESTIONS, question
from memtrig.ctl.render import Screen, width

Made = Callable[..., wire.Record]


def reviewed(*items: wire.Item) -> wire.Reviewed:
    """Make a list of what waits."""
    return wire.Reviewed(items=list(items))


def settled(status: str) -> wire.Settled:
    """Make the answer to an answer."""
    return wire.Settled(id="m-1", key="user.tea", level="CONFIDENTIAL", status=status)


def test_a_key_answers_at_the_level_of_the_memory(control: Any, terminal: Any, record: Made) -> None:
    """y confirms, n rejects, s leaves it, without Enter; what is left is said."""
    items = [wire.Item(about="pending", memory=record(id=f"m-{n}", level="CONFIDENTIAL")) for n in range(3)]
    daemon = control(reviewed(*items), settled("active"), settled("rejected"))
    screen = terminal("review")
    for key, number in zip("yns", range(1, 4), strict=True):
        screen.until(f"{number} of 3")
        screen.until("›")
        screen.press(key)
    assert screen.end() == 0
    _, yes, no = daemon.heard
    assert (yes.level, yes.request.id, type(yes.request)) == ("CONFIDENTIAL", "m-0", wire.Confirm)
    assert (no.level, no.request.id, type(no.request)) == ("CONFIDENTIAL", "m-1", wire.Reject)
    assert "Confirmed user.tea at CONFIDENTIAL" in screen.seen
    assert "1 still waits." in screen.seen


def test_only_keys_that_fit_do_anything(control: Any, terminal: Any, record: Made) -> None:
    """An arrow, a letter of another script and a yes where none is asked are passed over; f forgets by the id."""
    forgotten = wire.Forgotten(count=1, memories=[], levels=["INTERNAL"])
    daemon = control(reviewed(wire.Item(about="expiring", memory=record(id="m-9"))), forgotten)
    screen = terminal("review")
    screen.until("›")
    screen.press("\x1b[A")
    time.sleep(0.1)  # a key of several bytes ends by a pause
    screen.press("y\nf")
    assert screen.end() == 0
    assert [type(each.request) for each in daemon.heard] == [wire.Review, wire.Forget]
    assert daemon.heard[1].request.id == "m-9"
    assert "Nothing waits for you." in screen.seen


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("\x04", 0), ("\x03", 130)])
def test_the_owner_leaves_when_he_likes(control: Any, terminal: Any, record: Made, key: str, code: int) -> None:
    """q, Ctrl-D and Ctrl-C send nothing more."""
    item = wire.Item(about="pending", memory=record())
    daemon = control(reviewed(item, item))
    screen = terminal("review")
    screen.until("›")
    screen.press(key)
    assert screen.end() == code
    assert len(daemon.heard) == 1


@pytest.mark.parametrize(
    ("key", "request_type", "level", "answer"),
    [
        ("f", wire.Forget, "PUBLIC", wire.Forgotten(count=1, memories=[], levels=["PUBLIC"])),
        ("u", wire.Unforget, None, settled("active")),
    ],
)
def test_what_is_unwanted_elsewhere_is_forgotten_here_or_wanted_again(
    control: Any, terminal: Any, record: Made, key: str, request_type: type, level: str | None, answer: wire.Result
) -> None:
    """f forgets it where it stands; u takes the wish back, at the level that the daemon finds. The note says where."""
    item = wire.Item(about="elsewhere", memory=record(level="PUBLIC"), note="forgotten at CONFIDENTIAL")
    daemon = control(reviewed(item), answer)
    screen = terminal("review")
    screen.until("forgotten at CONFIDENTIAL")
    screen.until("›")
    screen.press(key)
    assert screen.end() == 0
    assert (daemon.heard[1].level, daemon.heard[1].request.id) == (level, "m-1")
    assert type(daemon.heard[1].request) is request_type


def test_a_refusal_asks_again(control: Any, terminal: Any, record: Made) -> None:
    """What the daemon says against it stands there, and the item is still open."""
    error = wire.Error(code="not_found", message="No memory waits.", hint="Look again.")
    control(reviewed(wire.Item(about="pending", memory=record())), error)
    screen = terminal("review")
    screen.until("›")
    screen.press("y")
    screen.until("Look again.")
    screen.until("›")
    screen.press("s")
    assert screen.end() == 0


def test_a_daemon_that_goes_away_ends_it(control: Any, terminal: Any, record: Made) -> None:
    """The exit code is that of any verb."""
    control(reviewed(wire.Item(about="pending", memory=record())), None, None)
    screen = terminal("review")
    screen.until("›")
    screen.press("n")
    assert screen.end() == 3


def test_an_empty_review_asks_nothing(control: Any, terminal: Any) -> None:
    """There is nothing to press."""
    control(reviewed())
    screen = terminal("review")
    assert (screen.end(), screen.seen.strip()) == (0, "Nothing waits for you.")


@pytest.mark.parametrize("words", [("--json", "review"), ("review", "--as", "internal:bot")])
def test_programs_and_agents_get_a_list(
    control: Any, internal: Any, terminal: Any, record: Made, words: tuple[str, ...]
) -> None:
    """Also on a terminal."""
    result = reviewed(wire.Item(about="pending", memory=record()))
    welcome = wire.Welcome(session="s", resume="t", level="INTERNAL", ceiling="INTERNAL", protocol=1, server="0")
    control(result) if "--json" in words else internal(welcome, result)
    screen = terminal(*words)
    assert screen.end() == 0
    assert "pending" in screen.seen
    assert "›" not in screen.seen


@pytest.mark.parametrize("about", [*QUESTIONS, "something new"])
@pytest.mark.parametrize("text", ["tea " * 400, "安娜每天早上喝咖啡，" * 100, "आजीला आले घातलेला चहा आवडतो. " * 60])
def test_an_item_fits_the_terminal(about: str, text: str, record: Made) -> None:
    """Every item, with all there is to say of it, stays within 80 × 24 beside its prompt and what came before."""
    memory = record(content=text, quote=text, reason=text, entity=text, expires_at="2026-12-01T00:00:00+00:00")
    item = msgspec.to_builtins(wire.Item(about=about, memory=memory, against=memory, note=text))
    lines = question(item, "1 of 9", Screen(80, now=datetime(2026, 11, 30, 12, 0, tzinfo=UTC)))
    assert len(lines) <= 20
    assert max(map(width, lines)) <= 80
