"""Answers are cut from a stream of bytes wherever the kernel cuts it, and nothing else is taken for one."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig import wire
from memtrig.errors import ProtocolError
from memtrig.frames import Splitter

from tests.client.conftest import answer

ERRORS = st.builds(wire.Error, code=st.text(max_size=5), message=st.text(max_size=300))


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    """Cut a stream at some places, taken modulo its length."""
    marks = sorted({0, len(stream), *(place % (len(stream) + 1) for place in places)})
    return [stream[start:end] for start, end in pairwise(marks)]


@given(errors=st.lists(ERRORS, max_size=5), places=st.lists(st.integers(0, 5000), max_size=20))
def test_any_cutting_gives_the_same_answers(errors: list[wire.Error], places: list[int]) -> None:
    """What was sent arrives, whole, once and in order, however the stream was cut."""
    stream = b"".join(answer(number, error) for number, error in enumerate(errors))
    splitter = Splitter()
    got = [each for piece in cut(stream, places) for each in splitter.feed(piece)]
    assert [(each.id, each.error) for each in got] == list(enumerate(errors))


@given(st.binary(min_size=1, max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_no_bytes_raise_anything_but_a_protocol_error(noise: bytes, places: list[int]) -> None:
    """Noise waits for more of itself, is an answer by chance, or is refused."""
    splitter = Splitter()
    try:
        for piece in cut(noise, places):
            splitter.feed(piece)
    except ProtocolError as error:
        assert error.code == "protocol_error"


@given(st.integers(wire.MAX_FRAME + 1, (1 << 32) - 1))
def test_a_length_over_the_limit_is_refused_from_its_four_bytes(size: int) -> None:
    """Nothing is waited for or made room for."""
    with pytest.raises(ProtocolError, match=f"{size:,} bytes"):
        Splitter().feed(size.to_bytes(4, "big"))


def test_a_nested_bomb_is_refused() -> None:
    """Ten thousand arrays within each other are an error, not the end of the process."""
    bomb = b"\x81\xa2id" + b"\x91" * 10_000 + b"\xc0"
    with pytest.raises(ProtocolError):
        Splitter().feed(len(bomb).to_bytes(4, "big") + bomb)


def test_a_field_of_a_later_version_is_read_over() -> None:
    """An answer may have more fields than this library knows: the daemon may be newer."""
    body = msgspec.msgpack.encode({"id": 1, "result": {"type": "pong", "server": "x", "time": "t", "mood": "fine"}})
    (got,) = Splitter().feed(len(body).to_bytes(4, "big") + body)
    assert got.result == wire.Pong(server="x", time="t")
