"""The sets of tools by name. A name that two sets have is, in ``all``, that of the first."""

from typing import Final

from memtrigd.serve.mcp.tool import Tool
from memtrigd.serve.mcp.tools import core, life

_CORE: Final = {tool.name: tool for tool in (*core.TOOLS, *life.TOOLS)}

SETS: Final[dict[str, dict[str, Tool]]] = {"core": _CORE, "all": {**_CORE}}
"""Each set's tools by their names, in the order in which hosts list them."""
