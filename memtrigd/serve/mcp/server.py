"""The official MCP library's low-level server over our lines: both revisions of the protocol, one server object.

Only this module and its sisters, by their names ``sdk_``, import the library. Whatever differs by session is asked of
the line's desk at each request; a list, a completion or a notification that was made once for all would tell a low
session of a higher one.
"""

from typing import Any, Final

import mcp_types as types
import msgspec
from mcp.server.caching import CacheHint
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage

import memtrigd
from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import arguments, sdk_confirming, sdk_errors, sdk_news, sdk_offers
from memtrigd.serve.mcp.line import Line
from memtrigd.serve.mcp.tool import Shown, Tool
from memtrigd.serve.mcp.tools import SETS, life

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


class _Numbered(msgspec.Struct):
    id: Any = msgspec.UNSET


class SdkLibrary:
    """The Library of the official SDK."""

    def __init__(self, key: bytes | None = None) -> None:
        sdk_errors.hush()
        self.server: Server[Line] = build(key)
        told = NotificationOptions(prompts_changed=True, resources_changed=True)
        self._options = self.server.create_initialization_options(told)

    def read(self, line: bytes) -> tuple[Any, Any]:
        """A message made of a line, and the id if it is a request."""
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        if (
            isinstance(message, types.JSONRPCNotification)
            and msgspec.json.decode(line, type=_Numbered).id is not msgspec.UNSET
        ):
            raise ValueError("an id that is none")  # it waits for an answer that a notification never gets
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


def build(key: bytes | None = None) -> Server[Line]:
    """Make the server: its handlers know the session by the line that the library hands them.

    ``key`` seals what a client carries for us from one request to the next, over restarts if it is kept.
    """
    server: Server[Line] = Server(
        "memtrig",
        version=memtrigd.__version__,
        title="memtrig",
        instructions=INSTRUCTIONS,
        cache_hints={method: CacheHint(0, "private") for method in _NOT_CACHED},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=sdk_offers.list_resources,
        on_list_resource_templates=sdk_offers.list_templates,
        on_read_resource=sdk_offers.read_resource,
        on_list_prompts=sdk_offers.list_prompts,
        on_get_prompt=sdk_offers.get_prompt,
        on_completion=sdk_offers.complete,
        on_subscriptions_listen=sdk_news.listen,
    )
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, sdk_news.subscribe)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, sdk_news.unsubscribe)
    server.add_notification_handler("notifications/initialized", types.NotificationParams, sdk_news.initialized)
    # in place of telemetry, which costs half a millisecond a call: and nothing leaves this machine
    server.middleware[:] = [sdk_errors.guard, sdk_confirming.boundary(key)]
    return server


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    """The tools of the set that the connection's pump asked for."""
    line: Line = context.lifespan_context
    sdk_offers.one_page(params)
    return types.ListToolsResult(tools=[_listed(tool) for tool in _offered(line).values()])


async def call_tool(context: Any, params: Any) -> Any:
    """Run a tool. What the daemon refuses is the tool's answer, marked as an error, for the model to read."""
    line: Line = context.lifespan_context
    tool = _offered(line).get(params.name)
    if tool is None:
        raise Refusal("bad_request", "There is no tool of this name here.", "tools/list names them.")
    assert line.desk is not None
    try:
        given = line.aside.given(context.request_id, params.arguments)
        read = arguments.read(given, tool.arguments, tool.name)
        if isinstance(read, life.Confirm):  # the one tool that asks the user back
            shown = await sdk_confirming.confirm(context, line, read, params)
        else:
            shown = await tool.run(line.desk, read)
    except Refusal as refusal:
        shown = Shown(tool.refused(tool.name, refusal), failed=True)
    return shown if isinstance(shown, types.InputRequiredResult) else _answer(shown, context.protocol_version)


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
