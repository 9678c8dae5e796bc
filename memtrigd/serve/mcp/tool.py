"""What a tool is: a name and words for a model, typed arguments, and a function that asks the daemon."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from memtrig.wire import Record
from msgspec import Struct

from memtrigd.serve.mcp.desk import Desk


class Arguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of a tool's arguments. Each field has a description: models read it."""


class Shown(Struct, frozen=True):
    """What a tool answers: a short text for the model, and the same as data for a program."""

    text: str
    data: dict[str, Any] | None = None
    failed: bool = False


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


def listed(memory: Record) -> dict[str, Any]:
    """A memory as data for a program: what is said and what it is worth, without what nobody asks for."""
    whole: dict[str, Any] = msgspec.to_builtins(memory)
    return {name: value for name, value in whole.items() if name not in _OMITTED and value not in (None, [], False)}


def as_json(told: dict[str, Any]) -> Shown:
    """An answer whose text is its data."""
    return Shown(msgspec.json.encode(told).decode(), told)


def record_schema(*required: str) -> dict[str, Any]:
    """The schema of an answer that has these fields, whatever else it has."""
    return {"type": "object", "properties": {name: {} for name in required}, "required": list(required)}


_OMITTED = frozenset(("supplement", "newer_lower", "pinned", "session"))
