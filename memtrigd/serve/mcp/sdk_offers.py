"""Resources, prompts and completion on the wire: what a session is offered, made of what it sees at that moment."""

from typing import Any

import mcp_types as types

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import completions, prompts, resources
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.sdk_errors import as_error


async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    """A page of the resources: those with a name of their own, and the latest memories."""
    listed, cursor = await resources.listing(_desk(context), params.cursor if params is not None else None)
    return types.ListResourcesResult(
        resources=[
            types.Resource(
                uri=each.uri, name=each.name, title=each.title, description=each.description, mime_type="text/plain"
            )
            for each in listed
        ],
        next_cursor=cursor,
    )


async def list_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    """One: a memory by its key."""
    one_page(params)
    memory = types.ResourceTemplate(
        uri_template=resources.TEMPLATE,
        name="memory",
        title="A memory",
        description="Any memory by its key, percent-encoded; the list of resources has the latest of them.",
        mime_type="text/plain",
    )
    return types.ListResourceTemplatesResult(resource_templates=[memory])


async def read_resource(context: Any, params: Any) -> types.ReadResourceResult:
    """The text of a resource, as the session sees it now."""
    uri = str(params.uri)
    try:
        text = await resources.read(_desk(context), uri)
    except Refusal as refusal:
        raise as_error(refusal, uri=uri) from None
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)])


async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    """The prompts and what they take."""
    one_page(params)
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=each.name,
                title=each.title,
                description=each.description,
                arguments=[
                    types.PromptArgument(name=argument.name, description=argument.description, required=False)
                    for argument in each.arguments
                ],
            )
            for each in prompts.PROMPTS
        ]
    )


async def get_prompt(context: Any, params: Any) -> types.GetPromptResult:
    """A prompt, made of the state of the session now."""
    prompt = prompts.named(params.name)
    text = await prompts.text(_desk(context), prompt, params.arguments or {})
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=prompt.description, messages=[message])


async def complete(context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Names in sight that begin as what was typed."""
    desk, argument = _desk(context), params.argument
    if isinstance(params.ref, types.PromptReference):
        found = await completions.of_prompt(desk, params.ref.name, argument.name, argument.value)
    else:
        found = await completions.of_template(desk, str(params.ref.uri), argument.name, argument.value)
    return types.CompleteResult(completion=types.Completion(values=found.names, has_more=found.more))


def one_page(params: Any) -> None:
    """Raise Refusal ``bad_cursor`` for a cursor of a list that fits on one page: it gave none."""
    if params is not None and params.cursor is not None:
        raise Refusal("bad_cursor", "This list has one page and gave no cursor.", "Start again without a cursor.")


def _desk(context: Any) -> Desk:
    desk: Desk | None = context.lifespan_context.desk
    assert desk is not None
    return desk
