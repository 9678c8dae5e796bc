"""What the pump does with lines: which go on, which are answered here, and what a daemon that came back is told."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig.mcp_relay import LONGEST, LOST, PATIENCE, Relay, parse

WELCOME = b'{"memtrig":{"session":"s1","resume":"token-1"}}\n'
LABELS = {"agent": '园丁 "g"', "conversation": None, "space": "बाग", "tools": "core"}


def line(**fields: Any) -> bytes:
    """A JSON-RPC message."""
    return json.dumps({"jsonrpc": "2.0", **fields}, ensure_ascii=False).encode() + b"\n"


def call(number: Any, method: str = "tools/call", **params: Any) -> bytes:
    """A request."""
    return line(id=number, method=method, params=params)


def answer(number: Any) -> bytes:
    """A result."""
    return line(id=number, result={})


def greeted(*said: bytes) -> Relay:
    """A relay whose daemon has welcomed it, and which the host then told some lines; they have left."""
    relay = Relay(LABELS)
    welcome(relay)
    relay.from_host(b"".join(said), 0.0)
    relay.up.clear()
    return relay


def welcome(relay: Relay) -> bytes:
    """Connect to a daemon that welcomes; return what follows the greeting."""
    relay.greet()
    relay.up.clear()
    assert relay.from_daemon(WELCOME)
    return bytes(relay.up)


def heard(relay: Relay) -> list[dict[str, Any]]:
    """Take what is there for the host."""
    lines = bytes(relay.down).splitlines()
    relay.down.clear()
    return [json.loads(each) for each in lines]


def failures(relay: Relay) -> dict[Any, tuple[int, bool]]:
    """Take what is there for the host, all of it errors: their codes, and whether to ask again, by id."""
    errors = {each["id"]: each["error"] for each in heard(relay)}
    return {number: (error["code"], error.get("data", {}).get("retryable", False)) for number, error in errors.items()}


def test_the_greeting_says_whom_it_is_for() -> None:
    """Labels in any script; what is not said is left out; the token comes along once there is one."""
    relay = Relay(LABELS)
    relay.greet()
    hello = {"protocol": 1, "agent": '园丁 "g"', "space": "बाग", "tools": "core", "client": "memtrig-mcp"}
    assert json.loads(relay.up) == {"memtrig": hello}
    relay.from_daemon(WELCOME)
    relay.lost()
    relay.greet()
    assert json.loads(relay.up) == {"memtrig": {**hello, "resume": "token-1"}}


def test_lines_wait_for_the_welcome_and_pass_unchanged() -> None:
    """The bytes are the host's, in its order."""
    said = [call(1, text="चहा  茶"), line(method="notifications/initialized"), call("two")]
    relay = Relay(LABELS)
    relay.greet()
    relay.up.clear()
    relay.from_host(b"".join(said), 0.0)
    assert not relay.up
    relay.from_daemon(WELCOME)
    assert bytes(relay.up) == b"".join(said)
    relay.from_daemon(answer(1) + answer("two"))
    assert bytes(relay.down) == answer(1) + answer("two")


@given(st.lists(st.integers(1, 40)), st.data())
def test_where_the_stream_is_cut_means_nothing(cuts: list[int], data: st.DataObject) -> None:
    """Both ways."""
    up = b"".join([call(1, key="鍵"), b"\n", call(2), b"no json\n", line(method="notifications/cancelled")])
    down = WELCOME + answer(1) + line(method="notifications/message", params={"data": "ट"}) + answer(2)

    def run(pieces: list[int]) -> tuple[bytes, bytes]:
        relay = Relay({})
        for stream, take in ((up, lambda piece: relay.from_host(piece, 0.0)), (down, relay.from_daemon)):
            at = 0
            for size in [*pieces, len(stream)]:
                if stream[at : at + size]:
                    take(stream[at : at + size])
                at += size
        return bytes(relay.up), bytes(relay.down)

    assert run(cuts) == run([])


@pytest.mark.parametrize("said", [b"hello\n", b"{\n", b'{"id":NaN}\n', b"\xff\n", b"[" * 100_000 + b"\n", b"{} {}\n"])
def test_what_is_no_json_is_answered_here(said: bytes) -> None:
    """And goes nowhere."""
    relay = greeted(said)
    assert failures(relay) == {None: (-32700, False)}
    assert relay.idle


@pytest.mark.parametrize("said", [b"[]\n", b"7\n", b'"text"\n'])
def test_what_is_no_message_is_answered_here(said: bytes) -> None:
    """JSON, but no object."""
    assert failures(greeted(said)) == {None: (-32600, False)}


def test_a_line_without_end_is_not_kept() -> None:
    """It is refused once, its rest is skipped, and what follows is heard."""
    relay = Relay({})
    piece = b"x" * (1 << 20)
    for _ in range(2 * (LONGEST >> 20) + 3):
        relay.from_host(piece, 0.0)
    assert failures(relay) == {None: (-32600, False)}
    relay.from_host(b"the end\n" + call(1), 0.0)
    assert [request.number for request in relay.waiting] == [1]
    assert not relay.down


@pytest.mark.parametrize("said", [b"garbage\n", b"[]\n", b"\n", b"Traceback (most recent call last):\n"])
def test_only_json_reaches_the_host(said: bytes) -> None:
    """Whatever the other side is."""
    relay = greeted()
    relay.from_daemon(said)
    assert not relay.down


def test_a_lost_daemon_leaves_nobody_without_an_answer() -> None:
    """What it may have done is told as such; what is safe is asked again, and so is what it never got."""
    relay = greeted(call(1, "tools/call"), call("list", "tools/list"), call(3, "tools/call"))
    relay.from_daemon(answer(3))
    assert heard(relay) == [json.loads(answer(3))]
    relay.lost()
    relay.from_host(call(4), 1.0)
    (error,) = heard(relay)
    assert (error["id"], error["error"]["message"]) == (1, LOST)
    assert error["error"]["data"] == {"retryable": True}
    assert welcome(relay) == call("list", "tools/list") + call(4)


def test_an_older_client_is_set_up_again() -> None:
    """What it said once for the whole connection is said again, the answers stay here, and it is told to look anew."""
    init, initialized = call(0, "initialize"), line(method="notifications/initialized")
    subscribe = [call(n, "resources/subscribe", uri=f"memory://{n}") for n in (1, 2)]
    relay = greeted(init)
    relay.from_daemon(answer(0))
    relay.from_host(initialized + b"".join(subscribe) + call(3, "resources/unsubscribe", uri="memory://1"), 0.0)
    relay.from_daemon(answer(1) + answer(2) + answer(3))
    heard(relay)
    relay.lost()
    assert welcome(relay) == init + initialized + subscribe[1]
    assert {each["method"].split("/")[1] for each in heard(relay)} == {"tools", "prompts", "resources"}
    relay.from_daemon(answer(0) + answer(2) + answer(9))
    assert heard(relay) == [json.loads(answer(9))]


def test_a_client_that_was_not_set_up_is_not_set_up_again() -> None:
    """An initialize that never was answered is just asked again; nothing is said twice to a newer client."""
    relay = greeted(call(0, "initialize"))
    relay.lost()
    assert welcome(relay) == call(0, "initialize")
    assert not relay.down
    relay.from_daemon(answer(0))
    assert heard(relay) == [json.loads(answer(0))]


def test_setting_up_keeps_its_order_if_it_was_said_at_once() -> None:
    """A client may not wait for the answer to initialize."""
    init, initialized = call(0, "initialize"), line(method="notifications/initialized")
    relay = greeted(init, initialized)
    relay.from_daemon(answer(0))
    relay.lost()
    assert welcome(relay) == init + initialized


def test_what_the_daemon_asks_is_answered_to_it_alone() -> None:
    """An answer that comes after it is gone would reach one that never asked."""
    relay = greeted()
    relay.from_daemon(call("e1", "elicitation/create") + call("e2", "elicitation/create"))
    assert [each["id"] for each in heard(relay)] == ["e1", "e2"]
    relay.from_host(answer("e1"), 0.0)
    assert bytes(relay.up) == answer("e1")
    relay.lost()
    assert welcome(relay) == b""
    relay.from_host(answer("e2"), 0.0)
    assert not relay.up


def test_who_waits_too_long_is_told_why() -> None:
    """Each at its own time; a notification just goes."""
    relay = Relay({})
    relay.from_host(call(1) + line(method="notifications/x"), 0.0)
    relay.from_host(call(2), 5.0)
    relay.expire(PATIENCE - 0.1, "no daemon")
    assert not relay.down
    relay.expire(PATIENCE, "no daemon")
    (error,) = heard(relay)
    assert (error["id"], error["error"]["message"], error["error"]["data"]) == (1, "no daemon", {"retryable": True})
    relay.expire(PATIENCE + 5, "no daemon")
    assert failures(relay) == {2: (-32000, True)}
    assert relay.idle


def test_what_is_called_off_in_time_is_never_asked() -> None:
    """And gets no answer, nor does the daemon hear that it was called off."""
    relay = Relay({})
    relay.from_host(call(1) + call(2) + line(method="notifications/cancelled", params={"requestId": 1}), 0.0)
    assert welcome(relay) == call(2)
    cancel = line(method="notifications/cancelled", params={"requestId": 2})
    relay.up.clear()
    relay.from_host(cancel, 0.0)
    assert bytes(relay.up) == cancel
    relay.lost()
    assert not relay.down


def test_a_refused_greeting_answers_those_who_wait() -> None:
    """In the daemon's own words."""
    relay = Relay({})
    relay.from_host(call(1), 0.0)
    relay.greet()
    refusal = {"code": "bad_value", "message": "No tool set is 'x'.", "hint": "It is one of core, all."}
    assert not relay.from_daemon(json.dumps({"memtrig": {"error": refusal}}).encode() + b"\n")
    (error,) = heard(relay)
    assert error["error"]["message"] == "No tool set is 'x'. It is one of core, all."


def test_a_session_that_is_forgotten_makes_way_for_another() -> None:
    """The request waits for it."""
    relay = greeted()
    relay.lost()
    relay.from_host(call(1), 0.0)
    relay.greet()
    refusal = {"memtrig": {"error": {"code": "session_unknown", "message": "No such session.", "hint": ""}}}
    assert not relay.from_daemon(json.dumps(refusal).encode() + b"\n")
    relay.lost()
    relay.greet()
    assert "resume" not in json.loads(relay.up)["memtrig"]
    assert welcome(relay) == call(1)


def test_giving_up_answers_everything() -> None:
    """What is under way, safe or not, and what waits."""
    relay = greeted(call(1), call(2, "tools/list"))
    relay.give_up("The host has left.")
    assert failures(relay) == {1: (-32000, True), 2: (-32000, True)}
    assert relay.idle


@pytest.mark.parametrize("number", [True, None, 1.5, [1], {}])
def test_a_strange_id_is_the_daemons_matter(number: Any) -> None:
    """The line goes on, and the pump claims to know no answer to it."""
    relay = greeted()
    relay.from_host(call(number), 0.0)
    assert bytes(relay.up) == call(number)
    relay.lost()
    assert not relay.down


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_json_is_read(value: Any) -> None:
    """As the library reads it."""
    assert parse(json.dumps(value).encode() + b"\r\n") == value
