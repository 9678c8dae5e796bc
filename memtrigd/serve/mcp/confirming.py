"""Asking the user themselves about a memory that waits, by way of the agent's host, and what their answer does.

An answer that comes this way is relayed like any other: it weighs what a relayed word weighs, and where a feed tells
what the user says, or nobody is there, it counts for nothing, so that it is not even asked for.
"""

import secrets
from collections.abc import Callable
from enum import Enum
from typing import Final
from unicodedata import category

import msgspec
from memtrig import wire
from msgspec import Struct

from memtrigd.domain.errors import Refusal
from memtrigd.serve.mcp import texts
from memtrigd.serve.mcp.desk import Desk
from memtrigd.serve.mcp.tool import Shown

SHOWN: Final = 2000
"""Characters of a memory that stand in the question."""
OPEN_FOR: Final = 600.0
"""Seconds in which a question can be answered where the client brings it back itself."""
KEEP: Final = "keep"
FORM: Final = {
    "type": "object",
    "properties": {KEEP: {"type": "boolean", "title": "Keep it", "description": "Yes: remember it. No: never use it."}},
    "required": [KEEP],
}
_MOST: Final = 500
_WAYS_OUT: Final = "The owner can decide at any time: memtrigctl review."


class Answer(Enum):
    """What the user said."""

    YES = "yes"
    NO = "no"
    NOTHING = "nothing"
    """They declined to answer, or closed the form."""


class Question(Struct, frozen=True):
    """A question to the user. ``number`` is random: the write that an answer leads to is done once under it."""

    number: str
    id: str
    key: str
    level: str


class Asked(Struct, frozen=True):
    """A question, and its words."""

    question: Question
    text: str


async def ask(desk: Desk, memory_id: str) -> Asked | None:
    """The question about what waits; None where an answer by way of the host would not count.

    Raises Refusal ``not_found`` unless it waits for this session at its own level.
    """
    me = await desk.ask(wire.Whoami(), wire.Me)
    if me.hearing != "none" or me.untrusted:
        return None
    waiting = (await desk.ask(wire.Review(limit=_MOST), wire.Reviewed)).items
    item = next((each for each in waiting if each.memory.id == memory_id and each.about != "expiring"), None)
    if item is None or item.memory.level != me.level:
        raise Refusal("not_found", f"No memory with this id waits at {me.level}.", "review lists what waits.")
    lines = [f"Keep: {_shown(item.memory.content)}?"]
    if item.against is not None:
        lines.append(f"It would stand in place of: {_shown(item.against.content)}")
    question = Question(secrets.token_hex(16), memory_id, item.memory.key, me.level)
    return Asked(question, "\n".join(lines))


async def settle(desk: Desk, question: Question, answer: Answer) -> Shown:
    """Do what the user said. However often an answer comes, it is carried out once, over restarts too."""
    once = f"asked-{question.number}"
    match answer:
        case Answer.YES:
            yes = wire.Confirm(id=question.id, quote="Keep: yes", idempotency_key=once)
            settled = await desk.ask(yes, wire.Settled)
            text = f"The user said yes. Confirmed {texts.named(settled.key)}: it is {settled.status}."
        case Answer.NO:
            no = wire.Reject(id=question.id, quote="Keep: no", reason="the user said no", idempotency_key=once)
            settled = await desk.ask(no, wire.Settled)
            kept = f"{texts.named(settled.key)} is {settled.status}"
            text = f"The user said no. {kept}: do not use it, and do not bring it up."
        case Answer.NOTHING:
            return _left(question)
    return Shown(text, msgspec.to_builtins(settled))


async def check(desk: Desk, question: Question, memory_id: str, spent: Callable[[str], bool]) -> None:
    """Raise Refusal ``not_yours`` unless an answer may still be given to this question, about this memory, here."""
    me = await desk.ask(wire.Whoami(), wire.Me)
    if question.id != memory_id or question.level != me.level or spent(question.number):
        raise Refusal("not_yours", "This answers no question that is open.", "Call confirm again to ask anew.")


def without(refusal: Refusal) -> Refusal:
    """A refusal to a client that can't ask the user, with the way out."""
    return Refusal(refusal.code, refusal.message, f"{refusal.hint} {_WAYS_OUT}".strip(), retryable=refusal.retryable)


def _left(question: Question) -> Shown:
    data = {"id": question.id, "key": question.key, "level": question.level, "status": "pending"}
    return Shown(f"The user gave no answer: {texts.named(question.key)} still waits. {_WAYS_OUT}", data)


def _shown(text: str) -> str:
    """A text in a form that people read: on one line, with nothing that hides or reorders any of it."""
    flat = " ".join(text.split())
    plain = "".join(c if category(c) not in ("Cc", "Cf") or c in "\u200c\u200d" else "\ufffd" for c in flat)
    return texts.one_line(plain, SHOWN)
