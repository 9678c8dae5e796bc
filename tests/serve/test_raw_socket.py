"""Bytes that no client would send: each gets a typed error, and nobody else notices."""

from contextlib import suppress

import msgspec
import pytest
from memtrig import wire

from tests.conftest import Daemon
from tests.talk import Line, agent, dial, error_of, figures, frame, packed

SLACK = 24 << 10
"""Kilobytes that the daemon may grow by: a frame of 8 MiB may be in it once or twice, a claimed 4 GiB may not."""


def refused(line: Line, number: int = 0) -> wire.Error:
    """Read an answer that is an error, for the request of this number."""
    answer = line.answer()
    assert answer.id == number
    return error_of(answer)


def test_half_a_frame_waits_for_its_rest(shared_daemon: Daemon) -> None:
    """Byte by byte is as good as in one piece."""
    with dial(shared_daemon, "internal") as line:
        for byte in wire.call(1, wire.Hello(protocol=1)):
            line.raw(bytes([byte]))
        assert isinstance(line.answer().result, wire.Welcome)


def test_a_frame_that_never_ends_hurts_nobody(shared_daemon: Daemon) -> None:
    """A peer that vanishes in the middle leaves nothing behind, also in the middle of a save."""
    half = wire.call(2, wire.Save(key="half", content="never whole"))[:-3]
    for stub in (b"", b"\x00", b"\x00\x00\x00\x10", half):
        with agent(shared_daemon) as line:
            line.raw(stub)
    with agent(shared_daemon) as line:
        assert line.refusal(wire.Get(key="half")).code == "not_found"


@pytest.mark.parametrize("size", [wire.MAX_FRAME + 1, (1 << 32) - 1])
def test_a_length_over_the_cap_is_refused_before_a_byte_is_kept(shared_daemon: Daemon, size: int) -> None:
    """BR-038: 4 GiB announced: a typed error, the connection closes, nothing is allocated, the daemon stays up."""
    before = figures(shared_daemon.pid)["rss"]
    with agent(shared_daemon) as line:
        line.raw(size.to_bytes(4, "big") + b"x" * 1000)
        refusal = refused(line)
        assert refusal.code == "too_large"
        assert f"{wire.MAX_FRAME:,}" in refusal.message
        assert line.ended()
    with agent(shared_daemon) as line:
        assert line.ask(wire.Ping(), wire.Pong)
    assert figures(shared_daemon.pid)["rss"] - before < SLACK


def test_what_was_asked_before_a_length_over_the_cap_is_answered(shared_daemon: Daemon) -> None:
    """Writes that are acknowledged to nobody may be done or not; here everybody who listens hears of them."""
    asked = [wire.Save(key=f"before {n}", content="x") for n in range(20)] + [wire.Search(query="x")] * 5
    with agent(shared_daemon, "public") as line:
        frames = b"".join(wire.call(number, request) for number, request in enumerate(asked, 1))
        line.raw(frames + (wire.MAX_FRAME + 1).to_bytes(4, "big"))
        answers = line.answers(len(asked) + 1)
        assert error_of(answers.pop(0)).code == "too_large"
        assert sorted(answers) == list(range(1, len(asked) + 1))
        assert all(not isinstance(each.error, wire.Error) for each in answers.values())
        assert line.ended()


def test_a_frame_at_the_cap_is_read_and_its_content_refused(shared_daemon: Daemon) -> None:
    """BR-038: the largest frame passes the wire; what is in it has limits of its own, and the line stays open."""
    with agent(shared_daemon) as line:
        room = wire.MAX_FRAME - len(wire.call(2, wire.Save(key="k", content="x" * 70_000))) + 4 + 70_000
        data = wire.call(2, wire.Save(key="k", content="x" * room))
        assert len(data) == 4 + wire.MAX_FRAME
        line.raw(data)
        assert refused(line, 2).code == "too_large"
        assert line.ask(wire.Ping(), wire.Pong)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xc1",
        b"hello",
        b'{"id": 1}',
        b"\x80",
        b"\x91\xc0",
        msgspec.msgpack.encode({"id": 1}),
        msgspec.msgpack.encode({"request": {"type": "ping"}}),
        msgspec.msgpack.encode({"id": "1", "request": {"type": "ping"}}),
        msgspec.msgpack.encode({"id": 1.5, "request": {"type": "ping"}}),
        msgspec.msgpack.encode({"id": 1, "request": {"type": "ping"}, "level": "RESTRICTED"}),
        msgspec.msgpack.encode({"id": 1, "request": {"type": "ping"}}) + b"\xc0",
        b"\x91" * 10_000 + b"\xc0",
        b"\x81\xa1x" * 10_000 + b"\xc0",
        b"\x82\xa2id\x01\xa7request" + b"\x91" * 10_000 + b"\xc0",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
    ],
    ids=repr,
)
def test_a_body_that_is_no_request_is_answered_and_the_line_goes_on(shared_daemon: Daemon, body: bytes) -> None:
    """Garbage, wrong shapes, nests of 10,000 and claims of 4 billion elements are ``bad_frame`` under number 0."""
    with agent(shared_daemon) as line:
        line.raw(frame(body))
        assert refused(line).code == "bad_frame"
        assert line.ask(wire.Ping(), wire.Pong)


@pytest.mark.parametrize(
    "request_",
    [
        {"type": "save", "key": "k", "content": "x", "level": "RESTRICTED"},
        {"type": "get", "key": "k", "space": "other"},
        {"type": "save", "key": "k"},
        {"type": "save", "content": 5},
        {"type": "save", "content": "x", "tags": "not a list"},
        {"type": "save", "content": "x", "confidence": "high"},
        {"type": "no such thing"},
        {"type": None},
        {},
        [],
        "ping",
        None,
        {"type": "save", "content": "x", "tags": [[["deep"]]]},
    ],
    ids=repr,
)
def test_a_request_of_the_wrong_shape_is_bad_request_under_its_own_number(
    shared_daemon: Daemon, request_: object
) -> None:
    """Unknown fields, a level among them, are errors like missing ones: nothing is ignored."""
    with agent(shared_daemon) as line:
        line.raw(packed(77, request_))
        assert refused(line, 77).code == "bad_request"
        assert line.ask(wire.Ping(), wire.Pong)


@pytest.mark.parametrize(
    ("door", "request_"),
    [
        ("public", wire.Act(request=wire.List())),
        ("internal", wire.SessionOpen()),
        ("restricted", wire.SessionRaise(session="s", level="RESTRICTED", reason="x")),
        ("control", wire.Save(content="x")),
        ("control", wire.Hello(protocol=1)),
        ("hook", wire.Hello(protocol=1)),
        ("hook", wire.Get(key="k")),
        ("hook", wire.SessionList()),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__struct_config__.tag,
)
def test_another_doors_request_is_not_here(shared_daemon: Daemon, door: str, request_: wire.Request) -> None:
    """And the hint says where."""
    with dial(shared_daemon, door) as line:
        refusal = line.refusal(request_)
        assert refusal.code == "not_here"
        assert refusal.hint


def test_without_hello_there_is_only_hello(shared_daemon: Daemon) -> None:
    """Each data verb is refused, and hello is still possible."""
    with dial(shared_daemon, "internal") as line:
        for request in (wire.Save(content="x"), wire.Get(key="k"), wire.List(), wire.Whoami(), wire.GetStatus()):
            assert line.refusal(request).code == "hello_first"
        assert line.ask(wire.Hello(protocol=1), wire.Welcome)


def test_a_second_hello_is_refused_and_changes_nothing(shared_daemon: Daemon) -> None:
    """Who it is, is settled once."""
    with agent(shared_daemon, agent="gardener") as line:
        assert line.refusal(wire.Hello(protocol=1, agent="thief")).code == "bad_request"
        assert line.ask(wire.Whoami(), wire.Me).agent == "gardener"


@pytest.mark.parametrize("protocol", [0, 2, -1, 2**63])
def test_another_protocol_is_refused_by_name(shared_daemon: Daemon, protocol: int) -> None:
    """Both numbers are told, and a client that speaks ours too can go on."""
    with dial(shared_daemon, "internal") as line:
        refusal = line.refusal(wire.Hello(protocol=protocol))
        assert refusal.code == "protocol_version"
        assert str(protocol) in refusal.message
        assert line.ask(wire.Hello(protocol=wire.PROTOCOL), wire.Welcome)


@pytest.mark.parametrize("number", [0, -1, 2**63, 2**64 - 1, -(2**63)])
def test_any_integer_of_msgpack_can_be_a_requests_number(shared_daemon: Daemon, number: int) -> None:
    """It comes back as it was."""
    with agent(shared_daemon) as line:
        line.raw(packed(number, {"type": "ping"}))
        assert line.answer().id == number


def test_a_flood_of_garbage_keeps_nobody_from_being_served(shared_daemon: Daemon) -> None:
    """A hundred thousand empty frames whose answers nobody reads: another client is served all the while."""
    with agent(shared_daemon) as noisy, agent(shared_daemon) as good:
        noisy.socket.setblocking(False)
        for _ in range(20):
            with suppress(BlockingIOError):  # full: then it has enough to do
                noisy.socket.send(bytes(20_000))
            assert good.ask(wire.Ping(), wire.Pong)
