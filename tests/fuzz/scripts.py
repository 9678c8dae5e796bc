"""What a hostile peer does: which door it takes, what it sends, in which pieces, and whether it hears the answers."""

import json
import random
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from memtrig import wire

from memtrigd.serve.mcp.arguments import schema
from memtrigd.serve.mcp.tools import SETS
from tests.fuzz.damage import MARK, broken, changed, framed, marked, odd
from tests.fuzz.pack import pack
from tests.serve.mcp.raw import NEW, OLD

GOLDEN = Path(__file__).parent.parent / "serve" / "golden_frames.json"
LEVELS = ("public", "internal", "confidential", "restricted")
DOORS = (*LEVELS, *LEVELS, "handed", "control", "control", "hook")
MANNERS = ("whole", "whole", "whole", "pieces", "cut", "mid-reply", "deaf")
UNHEARD = ("cut", "mid-reply")
"""Manners of those who don't hear what is answered. They begin a session of their own, so that theirs is told apart."""
NOT_HERE = {"restore", "prove", "backup.now"}
"""The first begins the daemon anew, which ends every line; the others copy every file."""
METHODS = (
    "initialize", "notifications/initialized", "ping", "tools/list", "tools/call", "resources/list", "resources/read",
    "resources/templates/list", "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get",
    "completion/complete", "logging/setLevel", "notifications/cancelled", "notifications/progress", "server/discover",
    "subscriptions/listen", "roots/list", "elicitation/create", "tasks/get", MARK,
)  # fmt: skip


class Script(NamedTuple):
    """One visit of a peer. ``greeting`` is what it says first and hears the answer of, where it says such a thing."""

    number: int
    door: str
    manner: str
    greeting: bytes
    data: bytes
    lines: bool = False

    @property
    def heard_out(self) -> bool:
        """Whether the peer hears all answers."""
        return self.manner not in UNHEARD


@cache
def requests() -> list[dict[str, Any]]:
    """The golden requests, as maps."""
    return [each["message"] for each in json.loads(GOLDEN.read_text()) if each["direction"] == "request"]


def script(seed: int, number: int) -> Script:
    """The visit of a number: the same for the same seed."""
    chance = random.Random(f"{seed}:{number}")  # not hash(): that differs from run to run
    if chance.random() < 0.3:
        return _of_lines(number, chance)
    door, manner = chance.choice(DOORS), chance.choice(MANNERS)
    data = b"".join(_frame(chance) for _ in range(chance.choice((1, 1, 3, 10, 40))))
    if chance.random() < 0.03:
        data += chance.randbytes(chance.choice((1, 50, 5000)))
    hello = wire.Hello(protocol=wire.PROTOCOL, agent=f"peer-{number % 7}")
    greeting = wire.call(1, hello) if door in LEVELS and (chance.random() < 0.9 or manner in UNHEARD) else b""
    return Script(number, door, "whole" if door == "control" and manner in UNHEARD else manner, greeting, data)


def _frame(chance: random.Random) -> bytes:
    while True:
        message = changed(marked(chance.choice(requests()), chance), chance)
        body = broken(pack(message, chance), chance)
        if _type_of(body) not in NOT_HERE:
            return framed(body, chance)


def _type_of(body: bytes) -> str | None:
    try:
        return str(msgspec.msgpack.decode(body)["request"]["type"])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError, TypeError, KeyError, ValueError):
        return None


def _of_lines(number: int, chance: random.Random) -> Script:
    """A visit of an agent of MCP, of either era."""
    old = chance.random() < 0.5
    said = {"protocol": 1, "agent": f"pump-{number % 7}", "tools": chance.choice((*SETS, "all"))}
    manner = chance.choice(MANNERS)
    greeting = _line({"memtrig": said}, chance, 0 if manner in UNHEARD else 0.05)
    messages = [_message(count, old, chance) for count in range(chance.choice((1, 3, 10, 40)))]
    first = [_initialize(), {"jsonrpc": "2.0", "method": "notifications/initialized"}] if old else []
    data = b"".join([*(_line(each, chance, 0.02) for each in first), *(_line(each, chance, 0.5) for each in messages)])
    return Script(number, chance.choice(LEVELS), manner, greeting, data, lines=True)


def _line(message: Any, chance: random.Random, likely: float) -> bytes:
    if chance.random() < likely:
        message = changed(message, chance, as_json=True)
        data = broken(_spelt(message, chance), chance)
    else:
        data = _spelt(message, chance)
    return data + b"\n"


def _spelt(message: Any, chance: random.Random) -> bytes:
    """As JSON; half surrogates, NaN and the like are written as they are, which is none."""
    return json.dumps(message, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def _initialize() -> dict[str, Any]:
    me = {"name": "fuzz", "version": "1"}
    params = {"protocolVersion": OLD, "capabilities": {"elicitation": {"form": {}}}, "clientInfo": me}
    return {"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}


def _message(count: int, old: bool, chance: random.Random) -> dict[str, Any]:
    method = chance.choice(METHODS) if chance.random() < 0.4 else "tools/call"
    params: dict[str, Any] = {"uri": f"memory://{MARK}", "name": "recall", "requestId": count, "level": "debug"}
    if method == "tools/call":
        params = _call(chance)
    if method == "completion/complete":
        params = {"ref": {"type": "ref/prompt", "name": "recall"}, "argument": {"name": "tag", "value": MARK[:3]}}
    if not old:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        }
    message = {"jsonrpc": "2.0", "id": count, "method": method, "params": params}
    if method.startswith("notifications/"):
        del message["id"]
    return message


def _call(chance: random.Random) -> dict[str, Any]:
    """A call of any tool, with arguments of the right types for the most part."""
    tool = chance.choice([tool for tools in SETS.values() for tool in tools.values()])
    told = schema(tool.arguments)
    given = {
        name: _argument(field, chance)
        for name, field in told["properties"].items()
        if name in told.get("required", ()) or chance.random() < 0.3
    }
    return {"name": tool.name, "arguments": given}


def _argument(field: dict[str, Any], chance: random.Random) -> Any:
    if chance.random() < 0.2:
        return odd(chance, as_json=True)
    if "anyOf" in field:
        return _argument(chance.choice(field["anyOf"]), chance)
    if "enum" in field:
        return chance.choice(field["enum"])
    match field.get("type"):
        case "array":
            return [_argument(field.get("items", {}), chance) for _ in range(chance.randrange(3))]
        case "integer" | "number":
            return chance.choice((1, 3, 0.9, 20))
        case "boolean":
            return chance.random() < 0.5
        case "null":
            return None
    return f"{MARK} {chance.randrange(50)}"
