"""``memtrigctl save``: remember a text under a key."""

from __future__ import annotations

import sys

from memtrig.ctl.failure import usage
from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Option, number
from memtrig.ctl.records import KINDS, SOURCES
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
    "echo": "{key} at {level} is waiting with this text already; nothing changed.",
}


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


VERB = DaemonVerb(
    "save",
    "remember a text under a key",
    'memtrigctl save user.tea "Likes masala tea in the morning" --tag food --kind preference',
    door=DATA,
    arguments=(
        Argument("key", "KEY", "the one fact that the text is about; the same key again makes a new version"),
        Argument("content", "TEXT", "what to remember; - reads standard input", read=content),
    ),
    options=(
        Option("tags", "--tag", "T", "a tag", many=True),
        Option("kind", "--kind", "K", "one of " + " ".join(KINDS), values=KINDS),
        Option("entity", "--entity", "E", "whom or what it is about"),
        Option("source", "--source", "S", "who says so: " + " ".join(SOURCES), values=SOURCES),
        Option("confidence", "--confidence", "F", "how sure an inference is, from 0 to 1", read=number),
        Option("core", "--core", help="it never fades"),
        Option("core", "--no-core", help="it fades like others, whatever its kind", constant=False),
        Option("context", "--context", "C", "the mood or occasion of the moment"),
        Option("emotion_tags", "--emotion-tag", "T", "a feeling that belongs to it", many=True),
        Option("expires_at", "--expires", "T", "when it ends: 2026-12-24 or 2026-12-24T18:00+05:30"),
        Option("valid_from", "--valid-from", "T", "since when it has been so"),
        Option("replaces", "--replaces", "ID", "the memory that it takes the place of"),
    ),
    show=show,
)
