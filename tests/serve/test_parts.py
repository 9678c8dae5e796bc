"""What has too many parts is refused before it is decoded, and holds up nobody."""

import json
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.gate.doors import DoorKind
from memtrigd.serve import decode, parts
from memtrigd.serve.parts import MOST, Marks, is_crowded
from tests.conftest import Daemon
from tests.serve.mcp.raw import wired
from tests.talk import agent, error_of, frame

leaves = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(max_size=70)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(), inner, max_size=20), max_leaves=60
)
texts = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from('a\\",[{}]:/\n茶')),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(st.sampled_from('\\",[{é')), inner, max_size=5),
)


def count(value: Any) -> int:
    """How many values a value is made of, itself and keys included."""
    if isinstance(value, dict):
        return 1 + sum(1 + count(each) for each in value.values())
    return 1 + sum(map(count, value)) if isinstance(value, list) else 1


def crowded(body: bytes, most: int) -> bool:
    """Whether a body has more than so many parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "MOST", most)
        return is_crowded(body)


@settings(deadline=None)
@given(values)
def test_the_parts_of_a_frame_are_counted(value: Any) -> None:
    """To the one, in every width that msgpack has, and also where its end is cut off."""
    body, many = msgspec.msgpack.encode(value), count(value)
    assert not crowded(body, many)
    assert crowded(body, many - 1)
    for end in range(len(body)):
        crowded(body[:end], many)


@given(st.binary())
def test_noise_is_for_the_decoder(body: bytes) -> None:
    """Counting fails at nothing, and what it takes for a crowd is one."""
    if is_crowded(body):
        with pytest.raises(msgspec.DecodeError):
            msgspec.msgpack.decode(body)


@given(value=texts, cuts=st.lists(st.integers(0, 200)), ascii_=st.booleans())
def test_the_marks_of_a_line_are_counted_however_it_arrives(value: Any, cuts: list[int], *, ascii_: bool) -> None:
    """Those within strings are none, behind any run of backslashes."""
    line = json.dumps(value, ensure_ascii=ascii_).encode()
    marks, start = Marks(), 0
    for cut in [*sorted(cuts), len(line)]:
        marks.feed(line[start:cut])
        start = max(start, cut)

    def expected(part: Any) -> int:
        if isinstance(part, dict):
            return 1 + max(0, len(part) - 1) + sum(map(expected, part.values()))
        return 1 + max(0, len(part) - 1) + sum(map(expected, part)) if isinstance(part, list) else 0

    assert marks.count == expected(value)


@pytest.mark.parametrize("number", [0, 127, 128, 2**16, 2**32, 2**64 - 1, -1, -200, -(2**63)])
def test_a_crowded_request_is_answered_under_its_own_number(number: int) -> None:
    """In any width; under 0 where it does not stand first or is none."""
    crowd = msgspec.msgpack.encode({"type": "save", "content": "x", "tags": [""] * parts.COUNTED})
    call = decode.call(b"\x82\xa2id" + msgspec.msgpack.encode(number) + b"\xa7request" + crowd)
    assert call.id == number
    with pytest.raises(Refusal, match=f"{MOST:,}"):
        decode.request(DoorKind.LEVEL, call.request)
    assert decode.call(b"\x82\xa7request" + crowd + b"\xa2id\x01").id == 0
    assert decode.call(b"\x82\xa2id\xa1x\xa7request" + crowd).id == 0


def floods() -> dict[str, bytes]:
    """Frames at the longest of the smallest parts."""
    room = wire.MAX_FRAME - 100
    head = b"\x82\xa2id\x07\xa7request"
    save = b"\x83\xa4type\xa4save\xa7content\xa1x\xa4tags"
    return {
        "tags": head + save + b"\xdd" + room.to_bytes(4, "big") + b"\xa0" * room,
        "maps": head + b"\xdf" + (room // 2).to_bytes(4, "big") + b"\xc0\xc0" * (room // 2),
        "nests": head + b"\xdd" + room.to_bytes(4, "big") + b"\x80" * room,
    }


@pytest.mark.parametrize("name", list(floods()))
def test_a_frame_of_millions_of_parts_is_refused_and_the_line_goes_on(shared_daemon: Daemon, name: str) -> None:
    """Under its number, with a limit that is named."""
    with agent(shared_daemon) as line:
        line.raw(frame(floods()[name]))
        answer = line.answer()
        assert (answer.id, error_of(answer).code) == (7, "too_large")
        assert line.ask(wire.Ping(), wire.Pong)


@pytest.mark.slow
@pytest.mark.parametrize("part", [b"[],", b"{},", b"0,", b'"",'])
def test_a_line_of_millions_of_parts_is_refused_and_holds_up_nobody(shared_daemon: Daemon, part: bytes) -> None:
    """Decoded it would take seconds, in which nobody is served."""
    call = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"save","arguments":{"tags":['
    with wired(shared_daemon) as flood, agent(shared_daemon) as other:
        assert flood.ask("tools/list")["result"]["tools"]
        began = time.monotonic()
        flood.send_line(call + part * ((15 << 20) // len(part)) + b"0]}}}")
        slowest = 0.0
        while time.monotonic() - began < 0.5:
            asked = time.monotonic()
            other.ask(wire.Ping(), wire.Pong)
            slowest = max(slowest, time.monotonic() - asked)
        assert f"{MOST:,}" in flood.line()["error"]["message"]
        assert flood.ask("tools/list")["result"]["tools"]
    assert slowest < 0.2


def test_a_text_may_have_as_many_marks_as_it_likes(shared_daemon: Daemon) -> None:
    """A mebibyte of commas, brackets, quotes and backslashes is one value."""
    for text in (",[{" * 300_000, '\\"' * 500_000):
        with wired(shared_daemon) as line:
            saved = line.call("save", {"content": text, "key": "marks", "source": "auto_detect"})
            assert not saved["isError"], saved
