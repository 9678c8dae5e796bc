"""Golden frames: the bytes of every message, kept beside what they say. Another language's client is checked by them.

A change here breaks every client there is: it needs a new protocol number.
"""

import json
from pathlib import Path
from typing import Any, get_args

import msgpack
import msgspec
import pytest
from memtrig import wire

from memtrigd.domain.errors import CODES

FRAMES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("golden_frames.json").read_text(encoding="utf-8"))
REQUESTS = [frame for frame in FRAMES if frame["direction"] == "request"]
ANSWERS = [frame for frame in FRAMES if frame["direction"] == "answer"]
ANY_REQUEST = wire.AgentRequest | wire.ControlRequest | wire.HookRequest


def name(frame: dict[str, Any]) -> str:
    """What a frame is called."""
    return str(frame["name"])


@pytest.mark.parametrize("golden", FRAMES, ids=name)
def test_any_msgpack_library_reads_the_message_out_of_the_bytes(golden: dict[str, Any]) -> None:
    """Length, then a map: read here by a library that knows nothing of this protocol."""
    data = bytes.fromhex(golden["hex"])
    assert int.from_bytes(data[:4], "big") == len(data) - 4
    assert msgpack.unpackb(data[4:]) == golden["message"]


@pytest.mark.parametrize("golden", REQUESTS, ids=name)
def test_a_request_is_written_and_read_as_these_bytes(golden: dict[str, Any]) -> None:
    """The client writes exactly them, and the daemon reads the same request out of them."""
    message = golden["message"]
    request = msgspec.convert(message["request"], ANY_REQUEST)
    assert wire.call(message["id"], request).hex() == golden["hex"]
    call = wire.decode_call(bytes.fromhex(golden["hex"])[4:])
    assert call.id == message["id"]
    assert msgspec.msgpack.decode(call.request, type=ANY_REQUEST) == request


@pytest.mark.parametrize("golden", ANSWERS, ids=name)
def test_an_answer_is_written_and_read_as_these_bytes(golden: dict[str, Any]) -> None:
    """The daemon writes exactly them, and the client reads the same answer out of them."""
    answer = msgspec.convert(golden["message"], wire.Answer)
    assert wire.frame(answer).hex() == golden["hex"]
    assert wire.decode_answer(bytes.fromhex(golden["hex"])[4:]) == answer


def test_every_message_and_every_error_is_among_them() -> None:
    """A new request, result or code gets its frame here."""
    requests = {frame["message"]["request"]["type"] for frame in REQUESTS}
    results = {frame["message"]["result"]["type"] for frame in ANSWERS if "result" in frame["message"]}
    errors = {frame["message"]["error"]["code"] for frame in ANSWERS if "error" in frame["message"]}
    requests |= {frame["message"]["request"].get("request", {}).get("type") for frame in REQUESTS} - {None}
    assert requests == {cls.__struct_config__.tag for cls in (*get_args(ANY_REQUEST), *get_args(wire.OwnerData))}
    assert results == {cls.__struct_config__.tag for cls in get_args(wire.AnyResult)}
    assert errors == set(CODES)


def test_every_field_of_every_message_is_among_them() -> None:
    """A frame shows each field once, so that none can change its name or place unnoticed."""
    shown: dict[str, set[str]] = {}
    for frame in FRAMES:
        told = frame["message"].get("request") or frame["message"].get("result") or {}
        shown.setdefault(told.get("type", ""), set()).update(told)
        if told.get("type") == "act":
            shown.setdefault(told["request"]["type"], set()).update(told["request"])
    for cls in (*get_args(ANY_REQUEST), *get_args(wire.OwnerData), *get_args(wire.AnyResult)):
        assert set(cls.__struct_encode_fields__) <= shown[cls.__struct_config__.tag], cls
    record = next(frame for frame in ANSWERS if frame["name"] == "got, everything")["message"]["result"]["memory"]
    assert set(record) == set(wire.Record.__struct_encode_fields__)
