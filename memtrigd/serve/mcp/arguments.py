"""Arguments as models send them: often right but for the type. What can be meant in one way only is taken as meant."""

import re
from functools import cache
from typing import Any, Final, TypeVar

import msgspec

from memtrigd.domain.errors import Refusal
from memtrigd.serve.lines import plain
from memtrigd.serve.mcp.tool import Arguments
from memtrigd.serve.parts import Marks

A = TypeVar("A", bound=Arguments)
LONGEST: Final = 200
"""Characters of what is said to be wrong: an unknown argument's name may be as long as it likes."""
_ECHO: Final = re.compile(r"Invalid enum value .*?(?= - at |$)", re.DOTALL)


@cache
def schema(kind: type[Arguments]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments: one flat object without references, as the strictest hosts want it."""
    whole = msgspec.json.schema(kind)
    parts = whole.pop("$defs")
    flat = _inlined(parts[whole["$ref"].rpartition("/")[2]], parts)
    assert isinstance(flat, dict)
    flat.pop("title", None)
    flat.pop("description", None)
    flat.setdefault("properties", {})
    flat["additionalProperties"] = False
    return flat


def read(given: dict[str, Any] | None, kind: type[A], tool: str) -> A:
    """Make a tool's arguments of what was sent; text that is a number, a boolean or a list is read as such.

    Null for what need not be given is as if it were not. Raises Refusal ``bad_request`` that shows the right form, and
    no value that was sent.
    """
    optional = {field.encode_name for field in msgspec.structs.fields(kind) if not field.required}
    told = {
        name: _unwrapped(value, kind, name)
        for name, value in (given or {}).items()
        if value is not None or name not in optional
    }
    try:
        return msgspec.convert(told, kind, strict=False)
    except msgspec.ValidationError as error:
        wrong = plain(_ECHO.sub("Not one of its values", str(error)))
        wrong = wrong if len(wrong) <= LONGEST else f"{wrong[:LONGEST]}…"
        raise Refusal("bad_request", f"{tool}: {wrong}.", f"The right form: {form(kind)}") from None


def form(kind: type[Arguments]) -> str:
    """The right form of a tool's arguments, in one line: required ones first."""
    told = schema(kind)
    required = told.get("required", [])
    fields = sorted(told["properties"].items(), key=lambda pair: pair[0] not in required)
    spelt = [f'"{name}": {_type(field)}{"" if name in required else " (optional)"}' for name, field in fields]
    return "{" + ", ".join(spelt) + "}"


def _unwrapped(value: Any, kind: type[Arguments], name: str) -> Any:
    """A list or an object that came as JSON in a string, where a string would not do."""
    if not isinstance(value, str) or value[:1] not in "[{":
        return value
    wanted = next((field.type for field in msgspec.structs.fields(kind) if field.encode_name == name), None)
    if wanted is None or _takes_text(wanted):
        return value
    marks = Marks()
    try:
        marks.feed(value.encode())
        return value if marks.too_many else msgspec.json.decode(value)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return value


def _takes_text(wanted: Any) -> bool:
    try:
        msgspec.convert("text", wanted)
    except msgspec.ValidationError:
        return False
    return True


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return " | ".join(f'"{value}"' for value in field["enum"])
    if "anyOf" in field:
        return " | ".join(_type(each) for each in field["anyOf"] if each.get("type") != "null")
    if field.get("type") == "array":
        return f"[{_type(field.get('items', {}))}, …]"
    return str(field.get("type", "any"))


def _inlined(part: Any, parts: dict[str, Any]) -> Any:
    if isinstance(part, dict):
        if "$ref" in part:
            return _inlined(parts[part["$ref"].rpartition("/")[2]], parts)
        return {name: _inlined(value, parts) for name, value in part.items()}
    if isinstance(part, list):
        return [_inlined(each, parts) for each in part]
    return part
