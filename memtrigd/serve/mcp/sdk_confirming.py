"""Elicitation in both eras: the older one asks in the middle of a call, the newer one gives the call back with a form.

There the question travels with the client, sealed: it can't be made up, read, changed, moved to another session or
brought back too late, and a key that is kept lets it survive a restart.
"""

import os
from typing import Any, Final

import mcp_types as types
import msgspec
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import confirming
from memtrigd.serve.mcp.confirming import Answer, Asked, Question
from memtrigd.serve.mcp.line import Line
from memtrigd.serve.mcp.tool import Shown
from memtrigd.serve.mcp.tools import life

QUESTIONS: Final = 16
"""Questions of one connection that may be open in the older era: more would leave no room to read the answers."""
_seal: Final = msgspec.json.Encoder()
_unseal: Final = msgspec.json.Decoder(Question)


def boundary(key: bytes | None) -> RequestStateBoundary:
    """What seals questions on their way out and opens them on their way back. Without a key they end with us."""
    security = RequestStateSecurity(keys=[key or os.urandom(32)], ttl=confirming.OPEN_FOR, bind_principal=_whose)
    return RequestStateBoundary(security, default_audience="memtrig")


async def confirm(context: Any, line: Line, given: life.Confirm, params: types.CallToolRequestParams) -> Any:
    """Confirm what waits: on the user's own answer where the client can ask them, else on what the agent relays."""
    assert line.desk is not None
    if not _can_ask(context):
        return await _relayed(line, given)
    if params.request_state is not None and (answer := _answered(params)) is not None:
        return await _settle(line, given, _unseal.decode(params.request_state), answer)
    asked = await confirming.ask(line.desk, given.id)
    if asked is None:
        return await _relayed(line, given)
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return await confirming.settle(line.desk, asked.question, await _ask_now(context, line, asked))
    form = types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=asked.text, requested_schema=confirming.FORM)
    )
    return types.InputRequiredResult(
        input_requests={confirming.KEEP: form}, request_state=_seal.encode(asked.question).decode()
    )


async def _settle(line: Line, given: life.Confirm, question: Question, answer: Answer) -> Shown:
    assert line.desk is not None
    await confirming.check(line.desk, question, given.id, line.spent.__contains__)
    if answer is Answer.NOTHING:
        line.spent.add(question.number)  # else a later yes could be put to what the user left open
    return await confirming.settle(line.desk, question, answer)


async def _relayed(line: Line, given: life.Confirm) -> Shown:
    assert line.desk is not None
    try:
        return await life.confirm(line.desk, given)
    except Refusal as refusal:
        raise confirming.without(refusal) from None


async def _ask_now(context: Any, line: Line, asked: Asked) -> Answer:
    if line.asking >= QUESTIONS:
        raise Refusal("too_large", f"The user is asked {QUESTIONS} questions already.", "Wait for an answer to one.")
    line.asking += 1
    try:
        with line.incoming.patiently():
            result = await context.session.elicit_form(asked.text, confirming.FORM, context.request_id)
    except (MCPError, ValidationError):  # it said that it could ask, and did not
        return Answer.NOTHING
    finally:
        line.asking -= 1
    return _meant(result)


def _answered(params: types.CallToolRequestParams) -> Answer | None:
    response = (params.input_responses or {}).get(confirming.KEEP)
    return _meant(response) if isinstance(response, types.ElicitResult) else None


def _meant(result: types.ElicitResult) -> Answer:
    keep = (result.content or {}).get(confirming.KEEP)
    if result.action != "accept" or not isinstance(keep, bool):
        return Answer.NOTHING
    return Answer.YES if keep else Answer.NO


def _can_ask(context: Any) -> bool:
    """Whether the client shows forms to its user. One that names no sort of elicitation means forms."""
    can = context.session.client_capabilities
    if can is None or can.elicitation is None:
        return False
    return can.elicitation.form is not None or can.elicitation.url is None


def _whose(context: Any) -> str:
    """Whom a question was asked for: nobody else can bring it back."""
    desk = context.lifespan_context.desk
    assert desk is not None
    return repr((desk.session, desk.greeted.agent, desk.greeted.conversation))
