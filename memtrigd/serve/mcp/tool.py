"""What a tool is: a name and words for a model, typed arguments, and a function that asks the daemon."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec
from memtrig.wire import Record
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.serve.lines import escaped, visible
from memtrigd.serve.mcp import texts
from memtrigd.serve.mcp.desk import Desk


class Arguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of a tool's arguments. Each field has a description: models read it."""


class Shown(Struct, frozen=True):
    """What a tool answers: a short text for the model, and the same as data for a program."""

    text: str
    data: dict[str, Any] | None = None
    failed: bool = False


def sentence(tool: str, refusal: Refusal) -> str:
    """A refusal as a model reads it: its code, what is wrong, what to do."""
    return visible(" ".join(filter(None, (f"{refusal.code}: {refusal.message}", refusal.hint))))


class Tool(Struct, frozen=True, kw_only=True):
    """A tool as hosts list it. The hints are promises to hosts: a wrong one is a bug."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    run: Callable[[Desk, Any], Awaitable[Shown]]
    output: Mapping[str, Any] | None = None
    """JSON schema of ``data``; None where a tool gives text alone."""
    reads: bool = False
    destroys: bool = False
    repeats: bool = True
    """Calling it again with the same arguments changes nothing more."""
    refused: Callable[[str, Refusal], str] = sentence
    """The text of a refusal, made of the tool's name and the refusal."""


def listed(memory: Record) -> dict[str, Any]:
    """A memory as data for a program: what is said and what it is worth, without what nobody asks for.

    Of a long content the beginning, with how long it is: get brings the whole, in parts.
    """
    whole: dict[str, Any] = msgspec.to_builtins(memory)
    told = {name: value for name, value in whole.items() if name not in _OMITTED and value not in (None, [], False)}
    if len(memory.content) > texts.LINE:
        told["content"] = memory.content[: texts.LINE]
        told["content_bytes"] = length(memory)
    return told


def length(memory: Record) -> int:
    """Bytes of UTF-8 of a memory's whole content."""
    return memory.content_bytes or len(memory.content.encode())


def fitting(rows: list[dict[str, Any]], budget: int = texts.BUDGET) -> int:
    """How many rows of data, from the first on, the budget has room for."""
    return len(texts.within((msgspec.json.encode(row).decode() for row in rows), budget))


def as_json(told: dict[str, Any]) -> Shown:
    """An answer whose text is its data, with what is not seen, and what a reader takes for a tag, as JSON escapes."""
    return Shown(escaped(msgspec.json.encode(told).decode()), told)


def record_schema(*required: str, **others: dict[str, Any]) -> dict[str, Any]:
    """The schema of an answer that has these fields, whatever else it has; ``others`` are not of their name's type."""
    fields = {**{name: _FIELDS.get(name, RECORDS) for name in required}, **others}
    return {"type": "object", "properties": fields, "required": list(fields)}


RECORDS: Final = {"type": "array", "items": {"type": "object"}}
_FIELDS: Final = {
    **{name: {"type": "string"} for name in ("id", "key", "level", "status", "outcome", "content", "kind")},
    **{name: {"type": "integer"} for name in ("count", "more")},
    **{name: {"type": "array", "items": {"type": "string"}} for name in ("levels", "reads")},
}
"""The types of fields by their names: hosts warn of a schema that says nothing. Any other is a list of records."""
_OMITTED = frozenset(("supplement", "newer_lower", "pinned", "session"))
