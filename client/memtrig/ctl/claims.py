"""What is said of a memory when it is saved, by whichever verb: its text, its fields, and what became of it."""

from __future__ import annotations

import sys

from memtrig.ctl.failure import usage
from memtrig.ctl.grammar import Option, number
from memtrig.ctl.records import SOURCES
from memtrig.ctl.render import one_line
from memtrig.limits import MAX_FRAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

OUTCOMES = {
    "new": "Saved {key} at {level}.",
    "updated": "Updated {key} at {level}; the version before is kept.",
    "known": "{key} at {level} says this already; counted, nothing written twice.",
    "pending": "Kept {key} at {level} as a guess: it waits for the owner's yes.",
    "contested": "{key} at {level} stands on a weightier word; this waits beside it for the owner.",
    "echo": "{key} at {level} holds this text already; nothing changed.",
}
OPTIONS = (
    Option("tags", "--tag", "T", "a tag", many=True),
    Option("quote", "--quote", "Q", "the words that say so, as they were said"),
    Option("source", "--source", "S", "who says so: " + " ".join(SOURCES), values=SOURCES),
    Option("confidence", "--confidence", "F", "how sure an inference is, from 0 to 1", read=number),
    Option("core", "--core", help="it never fades"),
    Option("core", "--no-core", help="it fades like others, whatever its kind", constant=False),
    Option("context", "--context", "C", "the mood or occasion of the moment"),
    Option("emotion_tags", "--emotion-tag", "T", "a feeling that belongs to it", many=True),
    Option("sentiment", "--sentiment", "S", "the tone in which it was said"),
    Option("lang", "--lang", "L", "the language of the text"),
    Option("expires_at", "--expires", "T", "when it ends: 2026-12-24 or 2026-12-24T18:00+05:30"),
    Option("valid_from", "--valid-from", "T", "since when it has been so"),
    Option("valid_to", "--valid-to", "T", "until when it was so"),
    Option("reason", "--reason", "R", "why it is worth keeping"),
    Option("pinned", "--pin", help="no agent replaces, denies or expires it"),
    Option("pinned", "--no-pin", help="let a pinned one go again", constant=False),
    Option("redact", "--redact", help="take a credential out of the text and keep the rest"),
    Option("force", "--force", help="keep a credential all the same"),
    Option("replaces", "--replaces", "ID", "the memory that it takes the place of"),
)
"""The fields of a claim that every verb which makes one takes."""


def content(text: str) -> str:
    """Take the text as it is, or read standard input for ``-``; the line end that closes a file is not part of it."""
    if text != "-":
        return text
    if sys.stdin is None:
        raise usage("Standard input is closed.", "Give the text itself.")
    try:
        data = sys.stdin.buffer.read(MAX_FRAME + 1)  # more than can be sent, so that the frame's check sees it
        return data.decode().removesuffix("\n")
    except OSError as error:
        raise usage(f"Standard input can't be read: {error.strerror}.", "Give the text itself.") from None
    except UnicodeDecodeError:
        raise usage("Standard input is not UTF-8.", "Convert it to UTF-8 first.", "bad_value") from None


def show(saved: dict[str, Any], screen: Screen) -> list[str]:
    """Say what became of it, and which memories may have been meant instead."""
    key, level = screen.bold(one_line(saved["key"])), one_line(saved["level"])
    sentence = OUTCOMES.get(saved["outcome"], "{key} at {level} is {status} now.")
    lines = [sentence.format(key=key, level=level, status=one_line(saved["status"]))]
    similar = saved.get("similar")
    if similar:
        lines += ["", "Also known about this; --replaces ID would put the new text in its place:"]
        lines += screen.table(("ID", "KEY", "MEMORY"), [(s["id"], s["key"], s["content"]) for s in similar])
    return lines
