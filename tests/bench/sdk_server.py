"""The official SDK's own server over stdio with the tool ``get``, to measure ours beside."""

import sys
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

CONTENT = sys.argv[1] if len(sys.argv) > 1 else "x"
MEMORY: dict[str, Any] = {"key": "user-name", "content": CONTENT, "level": "INTERNAL", "status": "active"}
KEY = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"], "additionalProperties": False}


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    """One tool."""
    return types.ListToolsResult(tools=[types.Tool(name="get", input_schema=KEY, output_schema={"type": "object"})])


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Answer what the memory would be: no store is asked."""
    assert params.arguments
    return types.CallToolResult(content=[types.TextContent(type="text", text=CONTENT)], structured_content=MEMORY)


async def main() -> None:
    """Serve until stdin ends."""
    server: Server[Any] = Server("bench", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
