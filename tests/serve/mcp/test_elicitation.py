"""The user is asked themselves about what waits, where the client can, and their answer is carried out once."""

import asyncio
import stat
from typing import Any
from uuid import uuid4

import pytest
from mcp import Client
from mcp_types import ElicitResult, ErrorData
from memtrig import wire

from tests.conftest import Daemon
from tests.serve.lives import Owner
from tests.serve.mcp.conftest import Agent
from tests.serve.mcp.raw import FORMS, Wire, wired
from tests.serve.test_hearing import hear
from tests.talk import opened as opened_by

YES = {"keep": {"action": "accept", "content": {"keep": True}}}
NO = {"keep": {"action": "accept", "content": {"keep": False}}}
DECLINED = {"keep": {"action": "decline"}}


def answering(said: list[str], answer: ElicitResult | ErrorData) -> Any:
    """A user who gives one answer, and what they were shown."""

    async def callback(context: Any, params: Any) -> ElicitResult | ErrorData:
        said.append(params.message)
        assert params.requested_schema["properties"]["keep"]["type"] == "boolean"
        return answer

    return callback


async def guess(client: Client, content: str) -> tuple[str, str]:
    """Save a guess; returns its id and key."""
    key = f"guess-{uuid4().hex}"
    saved = await client.call_tool("save", {"content": content, "source": "self_inferred", "key": key})
    assert saved.structured_content["status"] == "pending"
    return saved.structured_content["id"], key


async def served(client: Client, key: str) -> bool:
    """Whether a key is served."""
    return not (await client.call_tool("get", {"key": key})).is_error


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (ElicitResult(action="accept", content={"keep": True}), "active"),
        (ElicitResult(action="accept", content={"keep": False}), "rejected"),
        (ElicitResult(action="accept", content={}), "pending"),
        (ElicitResult(action="decline"), "pending"),
        (ElicitResult(action="cancel"), "pending"),
        (ErrorData(code=-32603, message="no screen"), "pending"),
    ],
    ids=["yes", "no", "empty", "declined", "closed", "broken"],
)
def test_the_users_answer_decides(agent: Agent, answer: ElicitResult | ErrorData, status: str) -> None:
    """A yes puts it into service, a no puts it away, anything else leaves it waiting; the agent's quote asks nobody."""
    said: list[str] = []

    async def story() -> None:
        async with agent(elicitation_callback=answering(said, answer)) as client:
            memory_id, key = await guess(client, "मला जाझ आवडते.\n爵士樂 \u202eevil")
            try:
                told = await client.call_tool("confirm", {"id": memory_id, "quote": "yes, really"})
            except Exception:  # the newer client gives up by itself where its own callback fails
                assert isinstance(answer, ErrorData)
            else:
                assert not told.is_error and told.structured_content["status"] == status
            assert await served(client, key) == (status == "active")
            waiting = (await client.call_tool("review", {"limit": 500})).structured_content["items"]
            assert (memory_id in [each["memory"]["id"] for each in waiting]) == (status == "pending")
        assert said == ["Keep: मला जाझ आवडते. 爵士樂 \ufffdevil?"]

    asyncio.run(story())


def test_without_forms_the_agent_relays_or_is_told_the_way_out(agent: Agent) -> None:
    """A quote is needed, and the owner can always decide."""

    async def story() -> None:
        async with agent() as client:
            memory_id, key = await guess(client, "Likes jazz.")
            told = await client.call_tool("confirm", {"id": memory_id})
            assert told.is_error and "not_yours" in told.content[0].text and "memtrigctl review" in told.content[0].text
            assert not await served(client, key)
            assert not (await client.call_tool("confirm", {"id": memory_id, "quote": "yes I do"})).is_error
            assert await served(client, key)

    asyncio.run(story())


def test_what_does_not_wait_here_is_asked_of_nobody(agent: Agent) -> None:
    """Neither another session's guess nor what is served already nor what there is not."""
    said: list[str] = []

    async def story() -> None:
        user = answering(said, ElicitResult(action="accept", content={"keep": True}))
        async with agent() as other, agent(elicitation_callback=user) as client:
            theirs, key = await guess(other, "Likes jazz.")
            for wrong in (theirs, "none"):
                told = await client.call_tool("confirm", {"id": wrong})
                assert told.is_error and told.content[0].text.startswith("not_found")
            assert not said and not await served(client, key)

    asyncio.run(story())


def opened(line: Wire) -> tuple[dict[str, Any], str]:
    """Save a guess and ask to confirm it: the call that is to be repeated with an answer, and the guess's key."""
    key = f"guess-{uuid4().hex}"
    saved = line.call("save", {"content": f"Likes {key}.", "source": "self_inferred", "key": key})
    given = {"id": saved["structuredContent"]["id"]}
    asked = line.call("confirm", given)
    assert asked["resultType"] == "input_required"
    return {"given": given, "requestState": asked["requestState"]}, key


def answered(line: Wire, call: dict[str, Any], answer: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """Bring a question back with an answer; returns all that is answered to that."""
    params = {"requestState": call["requestState"], "inputResponses": answer, **changed}
    return line.ask("tools/call", name="confirm", arguments=call["given"], **params)


def status_of(line: Wire, key: str) -> str:
    """The status of the last row of a key."""
    got = line.call("get", {"key": key})
    return "not served" if got["isError"] else str(got["structuredContent"]["status"])


@pytest.mark.slow
def test_a_question_survives_a_restart_and_is_answered_once(daemon: Daemon) -> None:
    """The same answer again is answered as before and does nothing; another is refused; the key is private."""
    with wired(daemon, can=FORMS) as line:
        call, key = opened(line)
        resume = line.resume
    kept = daemon.home / "state" / "keys" / "mcp.key"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    daemon.restart()
    with wired(daemon, can=FORMS, resume=resume) as line:
        first = answered(line, call, YES)["result"]
        assert first["structuredContent"]["status"] == "active" and status_of(line, key) == "active"
        line.call("deny", {"key": key, "quote": "no"})
        line.call("deny", {"key": key, "quote": "no"})
        assert status_of(line, key) == "not served"
    daemon.restart()  # nothing of the answer is in memory now
    with wired(daemon, can=FORMS, resume=resume) as line:
        assert answered(line, call, YES)["result"]["structuredContent"] == first["structuredContent"]
        assert answered(line, call, NO)["result"]["isError"]
        assert status_of(line, key) == "not served"


def test_a_question_that_was_left_open_is_closed(shared_daemon: Daemon) -> None:
    """Who declined is asked anew, not taken at a later yes to the old question."""
    with wired(shared_daemon, can=FORMS) as line:
        call, key = opened(line)
        assert answered(line, call, DECLINED)["result"]["structuredContent"]["status"] == "pending"
        late = answered(line, call, YES)["result"]
        assert late["isError"] and late["content"][0]["text"].startswith("not_yours")
        assert status_of(line, key) == "not served"


def test_a_sealed_question_is_good_for_nobody_and_nothing_else(shared_daemon: Daemon) -> None:
    """Changed, for another memory, of another session, agent or level: it is refused, and nothing is confirmed."""
    with wired(shared_daemon, can=FORMS) as line, wired(shared_daemon, can=FORMS, agent="another") as other:
        call, key = opened(line)
        rival, rival_key = opened(other)
        state = call["requestState"]
        wrong = [
            answered(line, {**call, "requestState": state[:-4] + ("AAAA" if state[-4:] != "AAAA" else "BBBB")}, YES),
            answered(line, {**call, "given": rival["given"]}, YES),
            answered(line, {**call, "requestState": rival["requestState"]}, YES),
            answered(other, call, YES),
        ]
        for each in wrong:
            assert each["error"]["code"] == -32602 and each["error"]["data"]["code"] == "not_yours"
            assert each["error"]["data"]["hint"]
        assert status_of(line, key) == status_of(other, rival_key) == "not served"
        assert answered(line, call, YES)["result"]["structuredContent"]["status"] == "active"


def test_a_form_counts_for_nothing_where_the_user_can_be_heard(shared_daemon: Daemon, owner: Owner) -> None:
    """With a feed only words that were heard count, so nobody is asked by way of a form: the agent is to quote."""
    line, _ = opened_by(owner.line, wire.SessionOpen(agent="gardener", level="internal"))
    with Wire(line.socket, can=FORMS) as client:
        call, key = opened(client)
        assert hear(shared_daemon, "I do like jazz") >= 1
        for given in ({}, {"quote": "certainly"}):
            told = client.call("confirm", {**call["given"], **given})
            assert told["isError"] and told["content"][0]["text"].startswith("not_yours")
        late = answered(client, call, YES)["result"]  # asked before there was a feed
        assert late["isError"] and status_of(client, key) == "not served"
        assert not client.call("confirm", {**call["given"], "quote": "I do like jazz"})["isError"]
        assert status_of(client, key) == "active"


def test_where_no_user_is_nobody_is_asked(owner: Owner) -> None:
    """An unattended session can't confirm, whatever its client can show."""
    line, _ = opened_by(owner.line, wire.SessionOpen(agent="timer", level="internal", unattended=True))
    with Wire(line.socket, can=FORMS) as client:
        key = f"guess-{uuid4().hex}"
        saved = client.call("save", {"content": "Likes jazz.", "source": "self_inferred", "key": key})
        told = client.call("confirm", {"id": saved["structuredContent"]["id"], "quote": "yes"})
        assert told["isError"] and told["content"][0]["text"].startswith("not_yours")
        assert status_of(client, key) == "not served"


def test_a_question_ends_where_the_session_is_raised(owner: Owner) -> None:
    """What was asked at one level is not answered at another."""
    line, welcome = opened_by(owner.line, wire.SessionOpen(agent="browser", level="public", ceiling="confidential"))
    with Wire(line.socket, can=FORMS) as client:
        call, key = opened(client)
        owner.line.ask(wire.SessionRaise(session=welcome.session, level="confidential", reason="x"), wire.Raised)
        late = answered(client, call, YES)["result"]
        assert late["isError"] and late["content"][0]["text"].startswith("not_yours")
        assert status_of(client, key) == "not served"
