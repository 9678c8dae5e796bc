"""What hosts say to their hooks, and in which shape they hear the answer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtrig.hook_hosts import EVENTS, FLAT, HOSTS, SILENT, TEXT, Said, answer

CLAUDE = {
    "session_id": "8c35",
    "transcript_path": "/t",
    "cwd": "/w",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "hi",
}
CODEX = CLAUDE | {"turn_id": "7", "model": "m"}
GEMINI = CLAUDE | {"hook_event_name": "BeforeAgent", "timestamp": "2026-11-30T08:15:00Z"}
CURSOR = {
    "conversation_id": "c1",
    "generation_id": "g1",
    "cursor_version": "3.20.17",
    "hook_event_name": "beforeSubmitPrompt",
    "prompt": "hi",
    "attachments": [],
}
GOOSE = {"event": "UserPromptSubmit", "session_id": "abc", "matcher_context": "hi", "message": "hi"}
ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""Halves of surrogate pairs too: JSON can spell them."""
JSON: Any = st.recursive(st.none() | st.booleans() | st.integers() | ANY_TEXT, st.lists, max_leaves=3)
FIELDS = ["hook_event_name", "event", "prompt", "message", "session_id", "conversation_id", "cursor_version"]


@pytest.mark.parametrize(
    ("message", "conversation"), [(CLAUDE, "8c35"), (CODEX, "8c35"), (GEMINI, "8c35"), (CURSOR, "c1"), (GOOSE, "abc")]
)
def test_the_words_and_the_conversation_are_found(message: dict[str, Any], conversation: str) -> None:
    """Each host has its own fields for them; at other moments than a prompt nobody has said anything."""
    said = Said(message, "user-prompt", None)
    assert (said.words, said.conversation) == ("hi", conversation)
    assert Said(message, "session-start", None).words is None


@pytest.mark.parametrize("message", [CLAUDE, CODEX, GEMINI])
def test_some_take_context_as_a_field_of_the_event(message: dict[str, Any]) -> None:
    """The event is named as the host named it, and no field is there that they don't know."""
    assert json.loads(answer(Said(message, "user-prompt", None), 'चहा "x"\n')) == {
        "hookSpecificOutput": {"hookEventName": message["hook_event_name"], "additionalContext": 'चहा "x"\n'}
    }


def test_cursor_takes_it_flat_and_wants_leave_to_go_on() -> None:
    """A prompt goes on; at the start of a session there is nothing to go on with."""
    assert json.loads(answer(Said(CURSOR, "user-prompt", None), "x")) == {"continue": True, "additional_context": "x"}
    start = CURSOR | {"hook_event_name": "sessionStart"}
    assert json.loads(answer(Said(start, "session-start", None), "x")) == {"additional_context": "x"}


def test_goose_takes_no_context_and_so_is_told_nothing() -> None:
    """What it can't use it would only log."""
    assert answer(Said(GOOSE, "user-prompt", None), "x") == ""


def test_a_host_that_nobody_knows_gets_plain_text() -> None:
    """Whatever it is."""
    assert answer(Said({"prompt": "hi"}, "user-prompt", None), "x") == "x\n"


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("event", EVENTS)
def test_a_host_may_be_named(host: str, event: str) -> None:
    """Then the shape is its own whatever it says, and no context is no answer."""
    said = Said({"prompt": "hi"}, event, host)
    assert answer(said, "") == ""
    told = answer(said, "x")
    if host in ("claude-code", "codex", "gemini-cli"):
        name = json.loads(told)["hookSpecificOutput"]["hookEventName"]
        assert name == Said({"hook_event_name": name}, event, None).name
    else:
        assert (json.loads(told)["additional_context"] if host == "cursor" else told.strip()) == "x" * (host != "goose")


@given(st.dictionaries(st.sampled_from(FIELDS), JSON), st.sampled_from(EVENTS), st.text())
def test_whatever_is_said_the_answer_is_whole(message: dict[str, Any], event: str, context: str) -> None:
    """Fields of any type, or none: the answer is one JSON document, the context itself, or nothing."""
    said = Said(message, event, None)
    for text in filter(None, (said.words, said.conversation)):
        assert text.encode()
    told = answer(said, context)
    if not context or said.shape == SILENT:
        assert told == ""
    elif said.shape == TEXT:
        assert told == f"{context}\n"
    elif said.shape == FLAT:
        assert json.loads(told)["additional_context"] == context
    else:
        assert json.loads(told)["hookSpecificOutput"]["additionalContext"] == context
