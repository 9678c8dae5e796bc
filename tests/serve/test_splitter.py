"""The daemon cuts frames out of a stream wherever the kernel cuts it."""

from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig.wire import MAX_FRAME

from memtrigd.domain.errors import Refusal
from memtrigd.serve.frames import Splitter
from tests.talk import frame

bodies = st.lists(st.binary(max_size=300), max_size=6)


@given(bodies, st.lists(st.integers(0, 2000), max_size=20))
def test_any_cutting_gives_the_same_frames(sent: list[bytes], places: list[int]) -> None:
    """What was sent arrives, whole, once and in order."""
    stream = b"".join(map(frame, sent))
    marks = sorted({0, len(stream), *(place % (len(stream) + 1) for place in places)})
    splitter, got = Splitter(), []
    for start, end in pairwise(marks):
        splitter.feed(stream[start:end])
        got += splitter.frames()
    assert got == sent


@given(bodies, st.integers(0, 5))
def test_who_stops_in_the_middle_finds_the_rest_later(sent: list[bytes], taken: int) -> None:
    """A connection without room leaves frames where they are, and loses none."""
    splitter = Splitter()
    splitter.feed(b"".join(map(frame, sent)))
    got = list(islice(splitter.frames(), taken))
    assert got + list(splitter.frames()) == sent


@given(st.integers(MAX_FRAME + 1, (1 << 32) - 1), bodies)
def test_a_length_over_the_limit_is_refused_from_its_four_bytes(size: int, before: list[bytes]) -> None:
    """What came before it is still given; nothing is waited for or made room for."""
    splitter, got = Splitter(), []
    splitter.feed(b"".join(map(frame, before)) + size.to_bytes(4, "big"))
    with pytest.raises(Refusal) as refused:
        for body in splitter.frames():
            got.append(body)
    assert refused.value.code == "too_large"
    assert got == before


def test_the_largest_frame_fits() -> None:
    """Exactly MAX_FRAME bytes pass."""
    splitter = Splitter()
    splitter.feed(frame(bytes(MAX_FRAME)))
    assert [len(body) for body in splitter.frames()] == [MAX_FRAME]
