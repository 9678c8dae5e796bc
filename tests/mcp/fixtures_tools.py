"""Tools that the conformance suite calls: contents of every type, news on the way, questions to the client."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

import mcp_types as types
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError

Handler = Callable[[Any, Any], Awaitable[Any]]
PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV: Final = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAA"
TEXT: Final = {"type": "string"}
BUS: Final = InMemorySubscriptionBus()


def text(said: str) -> types.CallToolResult:
    """A result of one text."""
    return types.CallToolResult(content=[types.TextContent(text=said)])


def embedded(uri: str, kind: str, said: str) -> types.EmbeddedResource:
    """A resource inside a message."""
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=kind, text=said))


# -- contents --------------------------------------------------------------------------------------------------------


async def simple(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """One text."""
    return text("This is a simple text response for testing.")


async def image(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """One image."""
    return types.CallToolResult(content=[types.ImageContent(data=PNG, mime_type="image/png")])


async def audio(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """One sound."""
    return types.CallToolResult(content=[types.AudioContent(data=WAV, mime_type="audio/wav")])


async def resource(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """One resource."""
    said = embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    return types.CallToolResult(content=[said])


async def mixed(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """A text, an image, a resource."""
    return types.CallToolResult(
        content=[
            types.TextContent(text="Multiple content types test:"),
            types.ImageContent(data=PNG, mime_type="image/png"),
            embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ]
    )


async def failing(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """A tool's own failure."""
    said = types.TextContent(text="This tool intentionally returns an error for testing")
    return types.CallToolResult(content=[said], is_error=True)


# -- told on the way -------------------------------------------------------------------------------------------------


async def progress(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """Progress in three steps."""
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await asyncio.sleep(0.05)
    return text("done")


async def streaming(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """Progress on a stream."""
    await context.session.report_progress(50, 100)
    return text("Streaming complete")


async def logging(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """Log lines in three steps."""
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await _log(context, said)
        await asyncio.sleep(0.05)
    return text("done")


async def logging_once(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """One log line."""
    await _log(context, "Diagnostic trace logging activated")
    return text("Logging evaluated")


async def _log(context: Any, said: str) -> None:
    await context.session.send_log_message(level="info", data=said, related_request_id=context.request_id)


async def tools_changed(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """Tell listeners that the list of tools is another."""
    await BUS.publish(ToolsListChanged())
    return text("Mutation triggered")


async def prompts_changed(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """Tell listeners that the list of prompts is another."""
    await BUS.publish(PromptsListChanged())
    return text("Mutation triggered")


# -- questions to the client, in the older revision ------------------------------------------------------------------


async def sampling(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """Ask the client's model."""
    asked = types.SamplingMessage(role="user", content=types.TextContent(text=given["prompt"]))
    answer = await context.session.create_message(messages=[asked], max_tokens=100)
    return text(f"LLM response: {answer.content.text}")


async def elicitation(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """Ask the user for a name and an address."""
    fields = {
        "username": {**TEXT, "description": "User's response"},
        "email": {**TEXT, "description": "User's email address"},
    }
    return text(f"User response: {await _ask(context, given['message'], fields, list(fields))}")


async def elicitation_defaults(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """Ask with a default of each type."""
    fields = {
        "name": {**TEXT, "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {**TEXT, "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return text(f"Elicitation completed: {await _ask(context, 'defaults', fields, [])}")


async def elicitation_enums(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """Ask for a choice, in each way that a choice can be put."""
    options = ["option1", "option2", "option3"]
    fields = {
        "untitledSingle": {**TEXT, "enum": options},
        "titledSingle": {**TEXT, "oneOf": _choices("Option")},
        "legacyEnum": {
            **TEXT,
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {**TEXT, "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": _choices("Choice")}},
    }
    return text(f"Elicitation completed: {await _ask(context, 'enums', fields, [])}")


def _choices(word: str) -> list[dict[str, str]]:
    names = ("First", "Second", "Third")
    return [{"const": f"value{number}", "title": f"{name} {word}"} for number, name in enumerate(names, 1)]


async def _ask(context: Any, message: str, fields: dict[str, Any], required: list[str]) -> str:
    schema = {"type": "object", "properties": fields, "required": required}
    answer = await context.session.elicit_form(message, schema, context.request_id)
    return f"action={answer.action}, content={json.dumps(answer.content)}"


async def capability(context: Any, given: dict[str, Any]) -> types.CallToolResult:
    """Refuse a client that can't sample."""
    capabilities = context.session.client_capabilities
    if not (capabilities and capabilities.sampling):
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(-32021, "MissingRequiredClientCapabilityError", needed)
    return text("Success")


TOOLS: Final[dict[str, Handler]] = {
    "test_simple_text": simple,
    "test_image_content": image,
    "test_audio_content": audio,
    "test_embedded_resource": resource,
    "test_multiple_content_types": mixed,
    "test_error_handling": failing,
    "test_tool_with_progress": progress,
    "test_tool_with_logging": logging,
    "test_sampling": sampling,
    "test_elicitation": elicitation,
    "test_elicitation_sep1034_defaults": elicitation_defaults,
    "test_elicitation_sep1330_enums": elicitation_enums,
    "test_missing_capability": capability,
    "test_logging_tool": logging_once,
    "test_streaming_elicitation": streaming,
    "test_trigger_tool_change": tools_changed,
    "test_trigger_prompt_change": prompts_changed,
}
ARGUMENTS: Final = {"test_sampling": ("prompt",), "test_elicitation": ("message",)}
