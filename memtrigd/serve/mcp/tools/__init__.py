"""The sets of tools by name. A name that two sets have is, in ``all``, that of the first."""

from collections.abc import Iterable
from typing import Final

from memtrigd.serve.mcp.tool import Tool
from memtrigd.serve.mcp.tools import core, life, triggerfish


def _by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    return {tool.name: tool for tool in tools}


_CORE: Final = _by_name((*core.TOOLS, *life.TOOLS))
_TRIGGERFISH: Final = _by_name(triggerfish.TOOLS)

SETS: Final[dict[str, dict[str, Tool]]] = {
    "core": _CORE,
    "triggerfish": _TRIGGERFISH,
    "all": {**_TRIGGERFISH, **_CORE},
}
"""Each set's tools by their names."""
