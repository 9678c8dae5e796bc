"""What the hooks of agents' hosts say, and what they want to hear: the one place that knows the hosts' shapes. Pure.

A host is known by the fields of what it says, or by name. What it can't use it is not told.
"""

from __future__ import annotations

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOSTS = ("claude-code", "codex", "cursor", "goose", "opencode", "gemini-cli", "plain")
EVENTS = ("session-start", "user-prompt", "session-end")
NAMED = {"session-start": "SessionStart", "user-prompt": "UserPromptSubmit", "session-end": "SessionEnd"}
"""The events as Claude Code and Codex call them."""
NESTED, FLAT, SILENT, TEXT = "nested", "flat", "silent", "text"
SHAPES = {"cursor": FLAT, "goose": SILENT, "opencode": TEXT, "plain": TEXT}
"""How a host takes context; those that are not here as NESTED."""
_quote = _json.encode_basestring_ascii


class Said:
    """What a host said: ``words`` are the user's, ``conversation`` the host's name of it; None where it said none."""

    __slots__ = ("conversation", "name", "shape", "words")

    def __init__(self, message: dict[str, Any], event: str, host: str | None) -> None:
        name = message.get("hook_event_name")
        self.name = name if isinstance(name, str) and name.isalnum() else _name(event, host)
        self.shape = _shape(message, name) if host is None else SHAPES.get(host, NESTED)
        self.conversation = _text(message, "session_id", "conversation_id")
        self.words = _text(message, "prompt", "message") if event == "user-prompt" else None


def answer(said: Said, context: str) -> str:
    """Put context into the shape that the host takes; empty where there is none, or it takes none."""
    if not context or said.shape == SILENT:
        return ""
    if said.shape == TEXT:
        return context + "\n"
    if said.shape == FLAT:
        leave = '"continue":true,' if said.name == "beforeSubmitPrompt" else ""
        return f'{{{leave}"additional_context":{_quote(context)}}}\n'
    specific = f'{{"hookEventName":{_quote(said.name)},"additionalContext":{_quote(context)}}}'
    return f'{{"hookSpecificOutput":{specific}}}\n'


def _shape(message: dict[str, Any], name: Any) -> str:
    """Tell the shape by the fields: Cursor has a version or names in camel case, Goose an ``event``."""
    if isinstance(name, str):
        return FLAT if "cursor_version" in message or name[:1].islower() else NESTED
    return SILENT if isinstance(message.get("event"), str) else TEXT


def _name(event: str, host: str | None) -> str:
    if host == "cursor":
        return "beforeSubmitPrompt" if event == "user-prompt" else event.replace("-s", "S").replace("-e", "E")
    return "BeforeAgent" if host == "gemini-cli" and event == "user-prompt" else NAMED[event]


def _text(message: dict[str, Any], *fields: str) -> str | None:
    """The first of some fields that is a text with something in it. Halves of surrogate pairs are no text."""
    for field in fields:
        value = message.get(field)
        if isinstance(value, str) and value.strip():
            return value.encode("utf-8", "replace").decode()
    return None
