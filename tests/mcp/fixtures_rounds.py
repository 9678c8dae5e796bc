"""Tools that answer with a question first, as the stateless revision has it: the client asks again with the answer."""

from collections.abc import Callable
from typing import Any, Final

import mcp_types as types

TEXT: Final = {"type": "string"}
PREFIX: Final = "test_input_required_result_"


def _form(message: str, name: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(said: str) -> types.CreateMessageRequest:
    asked = types.SamplingMessage(role="user", content=types.TextContent(text=said))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[asked], max_tokens=50))


def _ask(questions: dict[str, Any], state: str | None = None) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=questions, request_state=state)


def _text(said: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=said)])


def elicitation(context: Any, params: Any) -> Any:
    """Ask for a name, and greet whoever it is."""
    told = (params.input_responses or {}).get("user_name")
    if told is not None and getattr(told, "content", None):
        return _text(f"Hello, {told.content['name']}!")
    return _ask({"user_name": _form("What is your name?", "name")})


def sampling(context: Any, params: Any) -> Any:
    """Ask the client's model."""
    told = params.input_responses or {}
    if "sample_request" in told:
        return _text(str(told["sample_request"].content))
    return _ask({"sample_request": _sample("What is the capital of France?")})


def roots(context: Any, params: Any) -> Any:
    """Ask for the client's roots."""
    told = params.input_responses or {}
    if "roots_request" in told:
        return _text(f"Found {len(told['roots_request'].roots)} root(s)")
    return _ask({"roots_request": types.ListRootsRequest()})


def state(context: Any, params: Any) -> Any:
    """Ask, with a state that must come back as it went."""
    if params.request_state and "confirm" in (params.input_responses or {}):
        return _text("state-ok: requestState validated")
    return _ask({"confirm": _form("Please confirm", "ok", "boolean")}, "s1")


def several(context: Any, params: Any) -> Any:
    """Ask three things at once."""
    if {"user_name", "greeting", "client_roots"} <= set(params.input_responses or {}):
        return _text("Name, greeting and roots")
    questions = {
        "user_name": _form("What is your name?", "name"),
        "greeting": _sample("Generate a greeting"),
        "client_roots": types.ListRootsRequest(),
    }
    return _ask(questions, "m")


def twice(context: Any, params: Any) -> Any:
    """Ask one thing after another."""
    match params.request_state:
        case None:
            return _ask({"step1": _form("Step 1: What is your name?", "name")}, "r1")
        case "r1":
            return _ask({"step2": _form("Step 2: What is your favorite color?", "color")}, "r2")
    return _text("complete")


def capabilities(context: Any, params: Any) -> Any:
    """Ask only what the client says it can answer."""
    if params.input_responses:
        return _text("capabilities-ok")
    able = context.session.client_capabilities
    questions: dict[str, Any] = {}
    if able and able.elicitation:
        questions["elicit_input"] = _form("Elicitation input", "value")
    if able and able.sampling:
        questions["sample_input"] = _sample("Sample request")
    return _ask(questions, "c") if questions else _text("No supported capabilities declared")


def prompt_round(context: Any, params: Any) -> Any:
    """A prompt that asks first."""
    if "user_context" not in (params.input_responses or {}):
        return _ask({"user_context": _form("What context should the prompt use?", "context")})
    message = types.PromptMessage(role="user", content=types.TextContent(text="Prompt with context"))
    return types.GetPromptResult(messages=[message])


ROUNDS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    f"{PREFIX}elicitation": elicitation,
    f"{PREFIX}sampling": sampling,
    f"{PREFIX}list_roots": roots,
    f"{PREFIX}request_state": state,
    f"{PREFIX}tampered_state": state,
    f"{PREFIX}multiple_inputs": several,
    f"{PREFIX}multi_round": twice,
    f"{PREFIX}capabilities": capabilities,
}
