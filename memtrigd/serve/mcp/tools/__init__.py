"""The sets of tools by name. A name that two sets have is, in ``all``, that of the first."""

from collections.abc import Iterable
from typing import Final

from memtrigd.serve.mcp.tool import Tool
from memtrigd.serve.mcp.tools import (
    core,
    life,
    memory_trigger,
    memory_trigger_mind,
    memory_trigger_promises,
    memory_trigger_upkeep,
    triggerfish,
)


def _by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    return {tool.name: tool for tool in tools}


_CORE: Final = _by_name((*core.TOOLS, *life.TOOLS))
_TRIGGERFISH: Final = _by_name(triggerfish.TOOLS)
_MEMORY_TRIGGER: Final = _by_name(
    (
        *memory_trigger.TOOLS,
        *memory_trigger_mind.TOOLS,
        *memory_trigger_upkeep.TOOLS,
        *memory_trigger_promises.TOOLS,
    )
)

SETS: Final[dict[str, dict[str, Tool]]] = {
    "core": _CORE,
    "triggerfish": _TRIGGERFISH,
    "memory-trigger": _MEMORY_TRIGGER,
    "all": {**_MEMORY_TRIGGER, **_TRIGGERFISH, **_CORE},
}
"""Each set's tools by their names."""
