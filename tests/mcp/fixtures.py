"""What the conformance suite expects a server to have, put before the product's own handlers. For the tests alone.

Whatever is not named in the fixtures is the product's.
"""

import json
from typing import Any, Final

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler

from tests.mcp.fixtures_rounds import ROUNDS, prompt_round
from tests.mcp.fixtures_tools import ARGUMENTS, BUS, PNG, TEXT, TOOLS, Handler, embedded

RESOURCES: Final[dict[str, types.TextResourceContents | types.BlobResourceContents]] = {
    "test://static-text": types.TextResourceContents(
        uri="test://static-text", mime_type="text/plain", text="This is the content of the static text resource."
    ),
    "test://static-binary": types.BlobResourceContents(uri="test://static-binary", mime_type="image/png", blob=PNG),
    "test://watched-resource": types.TextResourceContents(
        uri="test://watched-resource", mime_type="text/plain", text="watched"
    ),
}


def resource_at(uri: str) -> types.TextResourceContents | types.BlobResourceContents | None:
    """The fixture behind a URI, None for one that is not ours."""
    before, _, rest = uri.partition("test://template/")
    number, data, after = rest.partition("/data")
    if before or not number or not data or after:
        return RESOURCES.get(uri)
    told = {"id": number, "templateTest": True, "data": f"Data for ID: {number}"}
    return types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(told))


PROMPTS: Final[dict[str, tuple[str, ...]]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


def _prompt(name: str, given: dict[str, str]) -> list[Any]:
    match name:
        case "test_simple_prompt":
            return [types.TextContent(text="This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            return [types.TextContent(text=f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
        case "test_prompt_with_embedded_resource":
            told = embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing.")
            return [told, types.TextContent(text="Please process the embedded resource above.")]
    picture = types.ImageContent(data=PNG, mime_type="image/png")
    return [picture, types.TextContent(text="Please analyze the image above.")]


# -- into the product's server ---------------------------------------------------------------------------------------


def install(server: Server[Any]) -> None:
    """Put the fixtures before the product's own handlers, which get what is not the fixtures'."""
    if not any(isinstance(each, RequestStateBoundary) for each in server.middleware):
        server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="fixtures"))
    tools, rounds = TOOLS, ROUNDS

    async def list_tools(context: Any, params: Any) -> Any:
        listed = await own["tools/list"](context, params)
        return types.ListToolsResult(tools=[*listed.tools, *(_tool(name) for name in (*tools, *rounds))])

    async def call_tool(context: Any, params: Any) -> Any:
        if params.name in tools:
            return await tools[params.name](context, params.arguments or {})
        if params.name in rounds:
            return rounds[params.name](context, params)
        return await own["tools/call"](context, params)

    async def list_resources(context: Any, params: Any) -> Any:
        listed = await own["resources/list"](context, params)
        ours = [types.Resource(uri=uri, name=uri, mime_type=each.mime_type) for uri, each in RESOURCES.items()]
        return types.ListResourcesResult(resources=[*listed.resources, *ours])

    async def read_resource(context: Any, params: Any) -> Any:
        found = resource_at(str(params.uri))
        if found is None:
            return await own["resources/read"](context, params)
        return types.ReadResourceResult(contents=[found])

    async def list_prompts(context: Any, params: Any) -> Any:
        listed = await own["prompts/list"](context, params)
        return types.ListPromptsResult(prompts=[*listed.prompts, *(_listed(name) for name in PROMPTS)])

    async def get_prompt(context: Any, params: Any) -> Any:
        if params.name not in PROMPTS:
            return await own["prompts/get"](context, params)
        if params.name == "test_input_required_result_prompt":
            return prompt_round(context, params)
        contents = _prompt(params.name, params.arguments or {})
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=each) for each in contents])

    async def complete(context: Any, params: Any) -> Any:
        if getattr(params.ref, "name", None) in PROMPTS or str(getattr(params.ref, "uri", "")).startswith("test:"):
            return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))
        return await own["completion/complete"](context, params)

    async def subscribe(context: Any, params: Any) -> Any:
        return types.EmptyResult() if resource_at(str(params.uri)) else await own[context.method](context, params)

    replaced: dict[str, Handler] = {
        "tools/list": list_tools,
        "tools/call": call_tool,
        "resources/list": list_resources,
        "resources/read": read_resource,
        "prompts/list": list_prompts,
        "prompts/get": get_prompt,
        "completion/complete": complete,
        "resources/subscribe": subscribe,
        "resources/unsubscribe": subscribe,
    }
    own = {method: _replace(server, method, handler) for method, handler in replaced.items()}
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _nothing)
    server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, ListenHandler(BUS))


def _replace(server: Server[Any], method: str, handler: Handler) -> Handler:
    """Register a handler and return the one that was there."""
    entry = server.get_request_handler(method)
    assert entry is not None, f"the server has no {method}"
    server.add_request_handler(method, entry.params_type, handler)
    return entry.handler


async def _nothing(context: Any, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


def _tool(name: str) -> types.Tool:
    fields = ARGUMENTS.get(name, ())
    schema = {"type": "object", "properties": dict.fromkeys(fields, TEXT), "required": list(fields)}
    return types.Tool(name=name, description=name, input_schema=schema)


def _listed(name: str) -> types.Prompt:
    fields = [types.PromptArgument(name=each, description=each, required=True) for each in PROMPTS[name]]
    return types.Prompt(name=name, description=name, arguments=fields)
