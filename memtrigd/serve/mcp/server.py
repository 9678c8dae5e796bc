"""The official MCP library's low-level server over our lines: both revisions of the protocol, one server object.

The only module that imports the library. Whatever differs by session is asked of the line's desk at each request; a
list, a completion or a notification that was made once for all would tell a low session of a higher one.
"""

from typing import Any, Final

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel.server import Server
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

import memtrigd
from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import arguments, resources
from memtrigd.serve.mcp.line import Line
from memtrigd.serve.mcp.prompts import PROMPTS
from memtrigd.serve.mcp.tool import Shown, Tool
from memtrigd.serve.mcp.tools import SETS

STATELESS: Final = "2026-07-28"
"""The first revision without sessions of its own; answers there say of themselves that they are complete."""
INSTRUCTIONS: Final = (
    "Long-term memory that all agents of this user share. Save what the user says about themselves as soon as they "
    "say it; search before you ask them again; never save a guess as their word."
)
_NOT_CACHED: Final = (
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "server/discover",
)


class SdkLibrary:
    """The Library of the official SDK."""

    def __init__(self) -> None:
        self.server: Server[Line] = build()
        self._options = self.server.create_initialization_options()

    def read(self, line: bytes) -> tuple[Any, Any]:
        """A message made of a line, and the id if it is a request."""
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        number = message.id if isinstance(message, types.JSONRPCRequest) else None
        return SessionMessage(message), number

    def spell(self, message: Any) -> tuple[bytes, Any]:
        """The line of a message, and the id if it answers a request."""
        inner = message.message
        answers = isinstance(inner, types.JSONRPCResponse | types.JSONRPCError)
        line = inner.model_dump_json(by_alias=True, exclude_unset=True).encode()
        return line, inner.id if answers else None

    async def serve(self, line: Line) -> None:
        """Serve a connection until its input ends, in the era in which the client opens it."""
        await serve_dual_era_loop(
            self.server, line.incoming, line.outgoing, lifespan_state=line, init_options=self._options
        )


def build() -> Server[Line]:
    """Make the server: its handlers know the session by the line that the library hands them."""
    server: Server[Line] = Server(
        "memtrig",
        version=memtrigd.__version__,
        title="memtrig",
        instructions=INSTRUCTIONS,
        cache_hints={method: CacheHint(0, "private") for method in _NOT_CACHED},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
    server.middleware.clear()  # telemetry: half a millisecond a call, and nothing leaves this machine
    return server


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    """The tools of the set that the connection's pump asked for."""
    line: Line = context.lifespan_context
    return types.ListToolsResult(tools=[_listed(tool) for tool in _offered(line).values()])


async def call_tool(context: Any, params: Any) -> Any:
    """Run a tool. What the daemon refuses is the tool's answer, marked as an error, for the model to read."""
    line: Line = context.lifespan_context
    tool = _offered(line).get(params.name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, "There is no tool of this name here; tools/list names them.")
    assert line.desk is not None
    try:
        given = line.aside.get(context.request_id, params.arguments)
        shown = await tool.run(line.desk, arguments.read(given, tool.arguments, tool.name))
    except Refusal as refusal:
        shown = Shown(" ".join(filter(None, (f"{refusal.code}: {refusal.message}", refusal.hint))), failed=True)
    return _answer(shown, context.protocol_version)


async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    """The resources that have a name of their own; the rest is in the template."""
    return types.ListResourcesResult(
        resources=[
            types.Resource(
                uri=each.uri, name=each.name, title=each.title, description=each.description, mime_type="text/plain"
            )
            for each in resources.RESOURCES
        ]
    )


async def list_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    """One: a memory by its key."""
    memory = types.ResourceTemplate(
        uri_template=resources.TEMPLATE,
        name="memory",
        title="A memory",
        description="One memory by its key, percent-encoded.",
        mime_type="text/plain",
    )
    return types.ListResourceTemplatesResult(resource_templates=[memory])


async def read_resource(context: Any, params: Any) -> types.ReadResourceResult:
    """The text of a resource, as the session sees it now."""
    line: Line = context.lifespan_context
    assert line.desk is not None
    uri = str(params.uri)
    try:
        text = await resources.read(line.desk, uri)
    except Refusal as refusal:
        raise MCPError(types.INVALID_PARAMS, refusal.message, {"uri": uri}) from None
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)])


async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    """The prompts; none takes arguments."""
    return types.ListPromptsResult(
        prompts=[types.Prompt(name=each.name, title=each.title, description=each.description) for each in PROMPTS]
    )


async def get_prompt(context: Any, params: Any) -> types.GetPromptResult:
    """A prompt, made of the state of the session now."""
    line: Line = context.lifespan_context
    assert line.desk is not None
    prompt = next((each for each in PROMPTS if each.name == params.name), None)
    if prompt is None:
        raise MCPError(types.INVALID_PARAMS, "There is no prompt of this name; prompts/list names them.")
    try:
        text = await prompt.make(line.desk)
    except Refusal as refusal:
        raise MCPError(types.INTERNAL_ERROR, refusal.message) from None
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=prompt.description, messages=[message])


def _offered(line: Line) -> dict[str, Tool]:
    assert line.desk is not None
    return SETS[line.desk.greeted.tools]


def _answer(shown: Shown, revision: str) -> dict[str, Any]:
    answer: dict[str, Any] = {"content": [{"type": "text", "text": shown.text}], "isError": shown.failed}
    if shown.data is not None and not shown.failed:
        answer["structuredContent"] = shown.data
    if revision >= STATELESS:
        answer["resultType"] = "complete"
    return answer


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=arguments.schema(tool.arguments),
        output_schema=None if tool.output is None else dict(tool.output),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.repeats,
            open_world_hint=False,
        ),
    )
