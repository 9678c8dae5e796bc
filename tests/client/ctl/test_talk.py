"""Asking the daemon: what goes over the socket, and every way in which no answer comes back."""

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from memtrig import homes, wire
from memtrig.ctl import talk
from memtrig.ctl.failure import REFUSED, UNREACHABLE, Failure

Make = Callable[..., Any]
PONG = wire.Pong(server="0.1.0", time="2026-11-30T08:15:00+00:00")
SAVED = wire.Saved(id="m-1", key="k", level="INTERNAL", status="active", outcome="new")
WELCOME = wire.Welcome(session="s-1", resume="token", level="INTERNAL", ceiling="INTERNAL", protocol=1, server="0.1.0")
BUSY = wire.Error(code="busy", message="Too much work is waiting.", retryable=True)


@pytest.fixture
def home(tmp_path: Path) -> homes.Home:
    """The home of the scripted daemons."""
    return homes.find(str(tmp_path))


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tries follow each other at once."""
    monkeypatch.setattr(talk, "PAUSES", (0.0, 0.0))


def failure_of(caller: talk.Caller, request: dict[str, Any] | None = None, timeout: float = 5.0) -> Failure:
    """Ask what must fail."""
    with pytest.raises(Failure) as caught:
        talk.ask(caller, request or {"type": "ping"}, timeout)
    return caught.value


def test_the_numbers_are_those_of_the_specification() -> None:
    """What is written twice, to spare an import, is equal."""
    assert (talk.PROTOCOL, talk.MAX_FRAME) == (wire.PROTOCOL, wire.MAX_FRAME)
    assert [level.upper() for level in homes.LEVELS] == ["PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"]


def test_all_requests_that_change_something_are_known() -> None:
    """A write that were not would be done twice after a lost connection."""
    requests = [each for each in vars(wire).values() if isinstance(each, type) and issubclass(each, wire.Write)]
    assert {each.__struct_config__.tag for each in requests if each is not wire.Write} == talk.WRITES


def test_an_owner_acts_at_the_level_that_was_said(home: homes.Home, control: Make) -> None:
    """A request about memories is wrapped; an unsaid level is not sent."""
    daemon = control(SAVED, SAVED)
    request = talk.make_request("save", {"key": "k", "content": "t"})
    for owner in (talk.Owner(home, "RESTRICTED"), talk.Owner(home)):
        talk.ask(owner, owner.act(request))
    assert [act.level for act in daemon.heard] == ["RESTRICTED", None]
    assert daemon.heard[0].request == wire.Save(key="k", content="t", idempotency_key=request["idempotency_key"])


def test_an_agent_greets_and_asks_at_once(home: homes.Home, internal: Make) -> None:
    """Hello and request go out together, and the answer is that to the request."""
    daemon = internal(WELCOME, PONG)
    reply = talk.ask(talk.Agent(home, "INTERNAL", "bot"), {"type": "ping"})
    assert daemon.heard == [wire.Hello(protocol=1, agent="bot", client="memtrigctl"), wire.Ping()]
    assert reply.result == {"server": "0.1.0", "time": "2026-11-30T08:15:00+00:00"}


def test_a_refused_hello_is_the_answer(home: homes.Home, internal: Make) -> None:
    """What the daemon says against the session is what the person reads."""
    internal(wire.Error(code="bad_value", message="The agent is blank."), PONG)
    assert failure_of(talk.Agent(home, "INTERNAL", "")).code == "bad_value"


def test_a_write_is_said_again_once_with_the_same_key(home: homes.Home, control: Make) -> None:
    """A lost connection leaves open whether it was written: the idempotency key makes the second try safe."""
    daemon = control(None, SAVED)
    owner = talk.Owner(home)
    assert talk.ask(owner, owner.act(talk.make_request("save", {"key": "k", "content": "t"}))).result["id"] == "m-1"
    first, second = daemon.heard
    assert first == second
    assert first.request.idempotency_key


def test_a_second_lost_connection_is_told(home: homes.Home, control: Make) -> None:
    """Nobody is kept waiting by a daemon that falls over the request."""
    daemon = control(None, None, None)
    failure = failure_of(talk.Owner(home))
    assert (failure.code, failure.exit_code, len(daemon.heard)) == ("connection_lost", UNREACHABLE, 2)


def test_a_daemon_that_dies_and_stays_away_leaves_the_write_open(home: homes.Home, control: Make) -> None:
    """The message says that it may have been written, not only that nobody is there."""
    daemon = control(None)

    class Widowed(talk.Owner):
        def requests(self, request: dict[str, Any]) -> list[dict[str, Any]]:
            if daemon.heard:  # a second try
                Path(self.path).unlink(missing_ok=True)
            return [request]

    assert failure_of(Widowed(home)).code == "connection_lost"


def test_a_second_try_continues_the_session(home: homes.Home, internal: Make) -> None:
    """The idempotency key is the session's own, so the session must be the same."""
    daemon = internal(WELCOME, None, WELCOME, SAVED)
    talk.ask(talk.Agent(home, "INTERNAL"), talk.make_request("save", {"key": "k", "content": "t"}))
    assert [hello.resume for hello in daemon.heard[::2]] == [None, "token"]


def test_a_busy_daemon_is_asked_again_for_a_moment(home: homes.Home, control: Make) -> None:
    """Retryable refusals are tried three times in all."""
    control(BUSY, PONG)
    assert talk.ask(talk.Owner(home), {"type": "ping"}).result["server"] == "0.1.0"


def test_a_daemon_that_stays_busy_is_reported(home: homes.Home, control: Make) -> None:
    """The tries are bounded."""
    daemon = control(BUSY, BUSY, BUSY)
    failure = failure_of(talk.Owner(home))
    assert (failure.code, failure.exit_code, len(daemon.heard)) == ("busy", REFUSED, 3)


def test_a_final_refusal_is_not_repeated(home: homes.Home, control: Make) -> None:
    """A refusal that promises nothing is told at once, with the levels that were missing."""
    error = wire.Error(code="not_found", message="No.", hint="Look.")
    daemon = control(wire.Answer(id=1, error=error, incomplete=["RESTRICTED"]))
    failure = failure_of(talk.Owner(home))
    assert (failure.code, failure.hint, failure.incomplete) == ("not_found", "Look.", ["RESTRICTED"])
    assert len(daemon.heard) == 1


def test_no_daemon_is_said_with_the_socket_and_what_to_type(home: homes.Home) -> None:
    """The person learns where was looked and how to start it."""
    failure = failure_of(talk.Owner(home))
    assert (failure.code, failure.exit_code) == ("daemon_down", UNREACHABLE)
    assert home.control_socket in failure.message
    assert "`memtrigd`" in failure.hint


def test_a_socket_path_that_is_too_long_is_no_traceback(tmp_path: Path) -> None:
    """The system's own sentence is passed on."""
    failure = failure_of(talk.Owner(homes.find(str(tmp_path / ("x" * 120)))))
    assert failure.code == "daemon_down"


def test_a_silent_daemon_is_given_up(home: homes.Home) -> None:
    """After the timeout there is a plain message, and no second try."""
    Path(home.run).mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(home.control_socket)
        listener.listen()
        begun = time.monotonic()
        failure = failure_of(talk.Owner(home), timeout=0.2)
    assert (failure.code, failure.exit_code) == ("timeout", UNREACHABLE)
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize(
    "junk",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        (wire.MAX_FRAME + 1).to_bytes(4, "big"),
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x01\xc1",
        b"\x00\x00\x00\x00",
        b"\x00\x00\x00\x01\x2a",
        b"\x00\x00\x00\x05\x81\xa2id\x01",
        b"\x00\x00\x00\x02\xa1\xff",
    ],
)
def test_a_stranger_on_the_socket_is_recognised(home: homes.Home, control: Make, junk: bytes) -> None:
    """No bytes make memtrigctl fall over or reserve what a length claims."""
    control(junk)
    failure = failure_of(talk.Owner(home))
    assert (failure.code, failure.exit_code) == ("bad_frame", UNREACHABLE)


def test_a_request_that_fits_no_frame_is_refused_before_it_is_sent(home: homes.Home, control: Make) -> None:
    """The limit of the frame holds for both sides."""
    daemon = control(SAVED)
    assert failure_of(talk.Owner(home), {"type": "save", "content": "x" * talk.MAX_FRAME}).code == "too_large"
    assert daemon.heard == []
