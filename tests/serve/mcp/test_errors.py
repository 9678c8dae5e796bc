"""Errors have one shape in both eras: a number, a sentence, our code and the way out; never an exception's own text."""

import asyncio
import json
import logging
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from mcp.shared.exceptions import MCPError

from memtrigd.serve.mcp import sdk_errors
from tests.conftest import Daemon
from tests.serve.mcp.raw import wired

OF_THE_REQUEST = -32602
ERAS = pytest.mark.parametrize("old", [True, False], ids=["older", "newer"])


@ERAS
def test_each_has_a_number_a_sentence_a_code_and_a_way_out(shared_daemon: Daemon, *, old: bool) -> None:
    """Unknown tools, prompts, arguments, resources, methods and cursors, and parameters of the wrong form."""
    wrong: list[tuple[str, dict[str, Any], int, str]] = [
        ("tools/call", {"name": "none", "arguments": {}}, OF_THE_REQUEST, "bad_request"),
        ("tools/call", {"name": 7}, OF_THE_REQUEST, "bad_request"),
        ("prompts/get", {"name": "none"}, OF_THE_REQUEST, "bad_request"),
        ("prompts/get", {"name": "recall", "arguments": {"level": "PUBLIC"}}, OF_THE_REQUEST, "bad_request"),
        ("resources/read", {"uri": "memory://none"}, OF_THE_REQUEST, "not_found"),
        ("tools/list", {"cursor": "x"}, OF_THE_REQUEST, "bad_cursor"),
        ("prompts/list", {"cursor": "x"}, OF_THE_REQUEST, "bad_cursor"),
        ("resources/list", {"cursor": "x"}, OF_THE_REQUEST, "bad_cursor"),
        ("resources/templates/list", {"cursor": "x"}, OF_THE_REQUEST, "bad_cursor"),
        ("no/such/method", {}, -32601, "bad_request"),
    ]
    with wired(shared_daemon, old=old) as line:
        for method, params, number, code in wrong:
            error = line.ask(method, **params)["error"]
            assert (error["code"], error["data"]["code"]) == (number, code), (method, error)
            assert error["message"].endswith(".") and error["data"]["hint"].endswith(".")


@ERAS
def test_nothing_that_was_sent_comes_back_in_a_refusal_of_arguments(shared_daemon: Daemon, *, old: bool) -> None:
    """An argument that is wrong is told by its name and right form."""
    with wired(shared_daemon, old=old) as line:
        secret = uuid4().hex
        told = line.call("save", {"content": "x", "source": secret, "level": "PUBLIC"})
        assert told["isError"] and secret not in json.dumps(told)
        assert secret not in json.dumps(line.ask("tools/call", name=[secret]))


@pytest.mark.parametrize("secret", [RuntimeError("salary"), KeyError("salary"), ValueError("salary")], ids=repr)
def test_a_fault_of_ours_says_that_it_is_one_and_no_more(secret: Exception) -> None:
    """Whatever the exception says stays here."""

    async def failing(_: Any) -> Any:
        raise secret

    context: Any = SimpleNamespace(request_id=1)
    with pytest.raises(MCPError) as told:
        asyncio.run(sdk_errors.guard(context, failing))
    assert told.value.error.code == -32603 and told.value.error.data["code"] == "internal"
    assert "salary" not in told.value.error.model_dump_json()


def test_the_librarys_log_tells_where_and_not_what(capsys: pytest.CaptureFixture[str]) -> None:
    """What it would write of a handler's result may be a memory."""
    sdk_errors.hush()
    try:
        raise ValueError("salary")
    except ValueError:
        logging.getLogger("mcp.server.runner").exception("handler for %r returned salary", "tools/call")
    written = "".join(capsys.readouterr())
    assert "mcp.server.runner" in written and "ValueError" in written and "salary" not in written


@ERAS
def test_how_the_server_introduces_itself_is_the_same_at_every_level(shared_daemon: Daemon, *, old: bool) -> None:
    """Discovery, instructions and the lists of tools and prompts tell of no level, whatever is kept there."""
    said = []
    for level in ("public", "restricted"):
        with wired(shared_daemon, level, old=old) as line:
            line.call("save", {"content": f"says {uuid4()}", "source": "user_explicit"})
            about = line.hello if old else line.ask("server/discover")["result"]
            lists = [line.ask(method)["result"] for method in ("tools/list", "prompts/list")]
            said.append(json.dumps([about, lists], sort_keys=True))
            assert "instructions" in about
    assert said[0] == said[1]
