"""docs/protocol.md is held against the code: a client in another language is written from nothing else."""

import json
import re
import types
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from memtrig import wire
from msgspec import Struct, UnsetType

from memtrigd.clockwork.housekeeping import ANSWERS_KEPT, SESSIONS_KEPT
from memtrigd.domain import claim, promises, wellness
from memtrigd.domain.errors import CODES
from memtrigd.domain.memory import Kind, Source
from memtrigd.domain.moments import DAY
from memtrigd.serve import greeting
from memtrigd.serve.dispatch import QUEUED
from memtrigd.serve.handlers import listing, search, week
from memtrigd.serve.handlers import promises as promising
from memtrigd.serve.protocol import HELD, IN_FLIGHT

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
SECTIONS: dict[str, str] = dict(re.findall(r"^#+ (.+)\n((?:(?!^#+ ).*\n)*)", PAGE, re.MULTILINE))
EXAMPLE = re.compile(r"```json\n(.+)\n```\n\n```hex\n([0-9a-f\s]+)```")
BASES = (wire.Request, wire.Write, wire.Result, wire.BundleRow)


def _messages() -> list[type[Struct]]:
    """Every message and part of a message on the wire."""
    structs = [each for each in vars(wire).values() if isinstance(each, type) and issubclass(each, Struct)]
    return [each for each in structs if each not in (Struct, *BASES)]


def _title(message: type[Struct]) -> str:
    """The heading under which a message stands."""
    tag: object = message.__struct_config__.tag
    if message in (wire.Call, wire.Answer):
        return next(title for title in SECTIONS if title.startswith(f"{message.__name__}:"))
    return "`status` (answer)" if message is wire.StatusReport else f"`{tag or message.__name__}`"


def _shape(kind: Any) -> str:
    """Say a type as the page says it."""
    parts = typing.get_args(kind)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        if all(isinstance(part, type) and issubclass(part, wire.Request) for part in parts):
            return "Data"
        if all(isinstance(part, type) and issubclass(part, wire.BundleRow) for part in parts):
            return "BundleRow"
        said = [part for part in parts if part not in (type(None), UnsetType)]
        shapes = dict.fromkeys("map" if issubclass(part, wire.Result) else _shape(part) for part in said)
        return " or ".join([*shapes, *["nil"] * (type(None) in parts)])
    if typing.get_origin(kind) is list:
        return f"array of {_shape(parts[0])}"
    if typing.get_origin(kind) is dict:
        return f"map of {_shape(parts[0])} to {_shape(parts[1])}"
    return "map" if kind is msgspec.Raw else str(kind.__name__)


def _default(field: msgspec.structs.FieldInfo) -> str:
    """Say a default as the page says it."""
    if field.default_factory is not msgspec.NODEFAULT:
        return json.dumps(field.default_factory())
    if field.default is msgspec.NODEFAULT:
        return "required"
    if field.default is msgspec.UNSET:
        return "absent"
    return "nil" if field.default is None else json.dumps(field.default)


def _rows(text: str) -> Iterator[list[str]]:
    """The cells of a table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    yield from ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:])


@pytest.mark.parametrize("message", _messages(), ids=lambda message: message.__name__)
def test_every_field_stands_there_with_its_type_and_default(message: type[Struct]) -> None:
    """The table of a message is its definition, in the same order."""
    hints = typing.get_type_hints(message)
    fields = msgspec.structs.fields(message)
    real = [[f"`{field.encode_name}`", _shape(hints[field.name]), _default(field)] for field in fields]
    assert [row[:3] for row in _rows(SECTIONS[_title(message)])] == real


def test_the_error_codes_are_those_of_the_daemon() -> None:
    """One table, the same codes in the same order with the same meanings."""
    assert [(code.strip("`"), meaning) for code, meaning in _rows(SECTIONS["Codes"])] == list(CODES.items())


@pytest.mark.parametrize(
    ("sockets", "union"),
    [
        (("level/public.sock", "level/internal.sock", "level/confidential.sock"), wire.AgentRequest),
        (("control.sock",), wire.ControlRequest),
        (("hook.sock",), wire.HookRequest),
    ],
)
def test_each_socket_carries_what_the_page_says(sockets: tuple[str, ...], union: Any) -> None:
    """The operations of a socket are those that its decoder takes."""
    carried = {name.strip("`"): cell for name, _, cell in _rows(SECTIONS["Sockets"])}
    tags = {each.__struct_config__.tag for each in typing.get_args(union)}
    assert set(re.findall(r"`([a-z.]+)`", carried[sockets[0]])) == tags
    assert {carried[socket] for socket in sockets[1:]} <= {"the same"}


def test_the_limits_are_those_of_the_code() -> None:
    """Numbers in the text follow the constants."""
    for phrase in (
        f"{wire.MAX_FRAME:,} bytes",
        f"At most {IN_FLIGHT} requests of a connection, or {HELD >> 20} MiB of them",
        f"1 to {greeting.MAX_LISTED} sessions",
        f"At each level at most {QUEUED:,} requests",
        f"{claim.MAX_KEY} characters",
        f"{claim.MAX_TAGS} at most, of {claim.MAX_TAG} characters each",
        f"{claim.MAX_CONTENT >> 20} MiB of UTF-8",
        f"{claim.MAX_NOTE:,} bytes",
        f"1 to {listing.MAX_LIMIT} memories a page",
        f"1 to {search.MAX_RESULTS} |",
        f"{search.MAX_QUERY:,} bytes",
        f"1 to {promising.MAX_LIMIT} promises |",
        f"0 to {promises.LONGEST_LOOK:,.0f}: also what will be due",
        f"1 to {wellness.LONGEST_LOOK:,} |",
        f"in the user's words, {claim.MAX_TAG} characters",
        f"| what, {claim.MAX_NOTE:,} bytes |",
        f"1 to {week.MOST_DAYS} |",
        f"1 to {week.MAX_ITEMS} items |",
        f"at least {ANSWERS_KEPT // DAY} days",
        f"at least {SESSIONS_KEPT // DAY} days",
        f"`protocol` is {wire.PROTOCOL}.",
        " ".join(f"`{kind}`" for kind in Kind),
        *(f"`{source}`" for source in Source),
    ):
        assert phrase in PAGE, phrase


@pytest.mark.parametrize(("shown", "hexadecimal"), EXAMPLE.findall(PAGE))
def test_an_example_decodes_and_encodes_to_the_very_bytes(shown: str, hexadecimal: str) -> None:
    """The frames on the page are frames of this protocol, and the JSON beside each is what it says."""
    frame = bytes.fromhex(hexadecimal)
    body = frame[wire.PREFIX :]
    assert int.from_bytes(frame[: wire.PREFIX], "big") == len(body)
    assert msgspec.msgpack.decode(body) == json.loads(shown)
    assert _encoded_again(body) == frame


def test_there_are_examples_of_both_directions() -> None:
    """The page would not pass by losing its examples."""
    bodies = [json.loads(shown) for shown, _ in EXAMPLE.findall(PAGE)]
    assert sum("request" in body for body in bodies) >= 5
    assert sum("result" in body for body in bodies) >= 3
    assert any("error" in body for body in bodies)


def _encoded_again(body: bytes) -> bytes:
    """Decode a body as the daemon or a client does, and encode what came out."""
    if "request" not in msgspec.msgpack.decode(body):
        return wire.frame(wire.decode_answer(body))
    call = wire.decode_call(body)
    decoders: tuple[Callable[[msgspec.Raw], wire.Request], ...] = (wire.decode_agent, wire.decode_control)
    for decode in decoders:
        try:
            return wire.call(call.id, decode(call.request))
        except msgspec.ValidationError:
            continue
    raise AssertionError("no socket takes this request")
