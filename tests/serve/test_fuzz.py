"""No input crashes the daemon, stalls another client, is a fault of the daemon, or leaves half a memory behind."""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.soundness import unsound
from tests.talk import Line, agent, dial, frame, packed

DEEP = int(os.environ.get("MEMTRIG_EXAMPLES", "5000"))
brief = settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
deep = settings(brief, max_examples=DEEP)

STRUCTS = {cls.__struct_config__.tag: cls for cls in get_args(wire.AgentRequest | wire.ControlRequest)}
GOOD: dict[str, list[Any]] = {
    "protocol": [1],
    "content": ["she likes tea", "x" * 20_000, "茶 🙂"],
    "key": ["tea", "coffee", "a/b"],
    "kind": ["general", "identity"],
    "source": ["auto_detect", "user_explicit", "self_inferred"],
    "entity": ["Asha"],
    "tags": [["drinks", "茶"], []],
    "query": ["tea", "what does she like?"],
    "max_results": [1, 100],
    "limit": [1, 500],
    "confidence": [0.5, 0.9],
    "idempotency_key": ["k1", "k2"],
    "expires_at": ["2101-01-01"],
    "level": ["PUBLIC", "RESTRICTED"],
    "ceiling": ["RESTRICTED"],
    "reason": ["it read a letter"],
    "request": [{"type": "list"}, {"type": "save", "content": "x", "key": "tea"}, {"type": "get", "key": "tea"}],
    "cursor": ["WzEsIm0xIl0="],
}
NOT_HERE = {"restore", "doctor", "prove", "audit.verify", "backup.now", "backup.verify", "backup"}
"""The first begins the daemon anew, which ends every line; the others read or copy every file, each time."""
numbers = st.integers(-(2**63), 2**64 - 1) | st.floats()
nasty = st.recursive(
    st.none() | st.booleans() | numbers | st.text(st.characters(exclude_categories=["Cs"])) | st.binary(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abtype", max_size=5), inner, max_size=3),
    max_leaves=8,
)
odd_text = st.text(st.sampled_from("\x00\n\t \u200b\u202eａ.'\"*()-/:\x7f\u2028é茶म्🙂𝔸"), max_size=300)


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """A request of any type: each field absent, good, or of any shape."""
    tag = draw(st.sampled_from(sorted(STRUCTS.keys() - NOT_HERE)))
    told: dict[str, Any] = {"type": tag}
    for field in STRUCTS[tag].__struct_encode_fields__:
        choice = draw(st.integers(0, 9))
        if choice < 6 and field in GOOD:
            told[field] = draw(st.sampled_from(GOOD[field]))
        elif choice in (6, 7):
            told[field] = draw(odd_text)
        elif choice == 8:
            told[field] = draw(nasty)
    if draw(st.integers(0, 9)) == 0:
        told[draw(st.text("abc", max_size=3))] = draw(nasty)
    return told


@st.composite
def mangled(draw: st.DrawFn) -> bytes:
    """A good frame with some bytes exchanged, added or cut."""
    data = bytearray(packed(draw(st.integers(0, 2**64 - 1)), draw(requests())))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(data)))
        data[place : place + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(data)


@pytest.fixture(scope="module", name="fuzzed")
def _fuzzed(shared_daemon: Daemon) -> Iterator[Daemon]:
    """A daemon that gets it all; at the end it must still be sound, after a stop and a start."""
    pid = shared_daemon.pid
    yield shared_daemon
    assert shared_daemon.pid == pid
    assert '"fault"' not in shared_daemon.log
    with agent(shared_daemon) as line:
        held = line.ask(wire.GetStatus(), wire.StatusReport).levels
    assert unsound(shared_daemon) == []
    shared_daemon.start()
    with agent(shared_daemon) as line:
        assert line.ask(wire.GetStatus(), wire.StatusReport).levels == held


@pytest.fixture(scope="module", name="good")
def _good(fuzzed: Daemon) -> Iterator[Line]:
    """A client that behaves, and is to be served all the while."""
    with agent(fuzzed, "restricted") as line:
        line.ask(wire.Save(key="good", content="still here"), wire.Saved)
        yield line


def served(line: Line) -> bool:
    """Tell whether a client is served."""
    return line.ask(wire.Get(key="good"), wire.Got).memory.content == "still here"


def throw(daemon: Daemon, good: Line, door: str, data: bytes) -> None:
    """Send bytes, read what comes, and see that the good client is served."""
    with dial(daemon, door) if door == "control" else agent(daemon, door) as line:
        with suppress(BrokenPipeError, ConnectionResetError):
            line.raw(data)
        assert served(good)
        line.socket.setblocking(False)
        with suppress(EOFError, BlockingIOError, ConnectionResetError):
            while True:
                answer = line.answer()
                assert not isinstance(answer.error, wire.Error) or answer.error.code != "internal"


def ask(daemon: Daemon, good: Line, door: str, told: list[dict[str, Any]]) -> None:
    """Send requests in one write: each gets one answer that can be read, and none is a fault of the daemon."""
    with dial(daemon, door) if door == "control" else agent(daemon, door) as line:
        line.raw(b"".join(packed(number, request) for number, request in enumerate(told, 1)))
        for answer in line.answers(len(told)).values():
            if isinstance(answer.error, wire.Error):
                assert answer.error.code != "internal", told
        assert served(good)


doors = st.sampled_from(["public", "internal", "restricted", "control"])
streams = st.binary(max_size=200) | st.binary(max_size=200).map(frame) | mangled()


@settings(brief, max_examples=300)
@given(doors, streams)
def test_any_bytes(fuzzed: Daemon, good: Line, door: str, data: bytes) -> None:
    """Noise, framed noise and damaged requests."""
    throw(fuzzed, good, door, data)


@pytest.mark.slow
@brief
@given(doors, streams)
def test_any_bytes_many_times(fuzzed: Daemon, good: Line, door: str, data: bytes) -> None:
    """The same, five times as often."""
    throw(fuzzed, good, door, data)


@pytest.mark.slow
@brief
@given(doors, st.lists(requests(), min_size=1, max_size=5))
def test_any_values(fuzzed: Daemon, good: Line, door: str, told: list[dict[str, Any]]) -> None:
    """Requests of the right shape with values of every sort."""
    ask(fuzzed, good, door, told)


@pytest.mark.deep
@deep
@given(doors, streams)
def test_any_bytes_for_long(fuzzed: Daemon, good: Line, door: str, data: bytes) -> None:
    """The same, by the thousand."""
    throw(fuzzed, good, door, data)


@pytest.mark.deep
@deep
@given(doors, st.lists(requests(), min_size=1, max_size=5))
def test_any_values_for_long(fuzzed: Daemon, good: Line, door: str, told: list[dict[str, Any]]) -> None:
    """The same, by the thousand."""
    ask(fuzzed, good, door, told)
