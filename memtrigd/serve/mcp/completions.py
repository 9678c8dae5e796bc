"""Completion: names in sight for whoever types the key of a resource or an argument of a prompt."""

from typing import Final

from memtrig import wire

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import prompts, resources
from memtrigd.serve.mcp.desk import Desk

OFFERED: Final = 100
"""Names in one answer: the protocol allows no more."""


async def of_template(desk: Desk, uri: str, argument: str, typed: str) -> wire.NameList:
    """Complete a variable of a resource template. Raises Refusal ``bad_request``."""
    if uri != resources.TEMPLATE or argument != "key":
        raise Refusal("bad_request", "There is no such template or variable.", "resources/templates/list names them.")
    return await _names(desk, "key", typed)


async def of_prompt(desk: Desk, name: str, argument: str, typed: str) -> wire.NameList:
    """Complete an argument of a prompt. Raises Refusal ``bad_request``."""
    if argument not in [each.name for each in prompts.named(name).arguments]:
        raise Refusal("bad_request", f"{name} has no such argument.", "prompts/list names them.")
    return await _names(desk, argument, typed)


async def _names(desk: Desk, what: str, typed: str) -> wire.NameList:
    return await desk.ask(wire.Names(what=what, prefix=typed, limit=OFFERED), wire.NameList)
