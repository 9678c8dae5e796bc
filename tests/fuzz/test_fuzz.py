"""A short run of ``make fuzz``, and that it would see what it is to see."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig import wire

from tests.fuzz.__main__ import fuzz
from tests.fuzz.pack import pack
from tests.fuzz.scripts import script
from tests.fuzz.visit import wrong_frames, wrong_lines
from tests.talk import frame, packed

SEED = 1
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(), inner, max_size=20),
    max_leaves=40,
)


@pytest.mark.slow
def test_forty_hostile_visits_find_nothing() -> None:
    """Every door, frames and lines, whole, in pieces, cut off and unheard; then the files are looked at (BR-077)."""
    assert fuzz(60.0, SEED, most=40, say=False) >= 40


@pytest.mark.slow
def test_a_visit_is_the_same_for_the_same_seed() -> None:
    """Else a finding could not be repeated."""
    visits = [script(SEED, number) for number in range(50)]
    assert visits == [script(SEED, number) for number in range(50)]
    assert script(SEED, 1) != script(SEED + 1, 1)
    assert {visit.manner for visit in visits} >= {"whole", "cut", "mid-reply", "pieces", "deaf"}


@pytest.mark.slow
@given(values, st.randoms(use_true_random=False))
def test_what_is_packed_in_odd_widths_is_msgpack(value: object, chance: object) -> None:
    """The damage is done to messages that are whole."""
    assert msgspec.msgpack.decode(pack(value, chance)) == value  # type: ignore[arg-type]


def test_a_missing_answer_and_a_fault_are_seen() -> None:
    """What the visitor would report."""
    asked = packed(1, {"type": "ping"})
    good = wire.frame(wire.Answer(id=1, result=wire.Pong(server="1", time="now")))
    fault = wire.frame(wire.Answer(id=1, error=wire.Error(code="internal", message="")))
    assert wrong_frames(asked, good) is None
    assert wrong_frames(asked + frame(b""), good) == "1 answers to 2 frames"
    assert wrong_frames(asked, good[:-1]) == "half an answer"
    assert "internal" in str(wrong_frames(asked, fault))
    assert "not answered" in str(wrong_lines(b'{"memtrig":{"session":"s1"}}\n'))
    assert "internal" in str(wrong_lines(b'{"id":1,"error":{"code":-32603,"message":"x"}}\n'))
    assert wrong_lines(b'{"memtrig":{"session":"s1"}}\n{"id":"last","result":{}}\n') is None
