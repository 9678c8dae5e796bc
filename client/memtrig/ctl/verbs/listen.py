"""``memtrigctl listen``: be told of what happens, as it happens."""

from __future__ import annotations

from memtrig.ctl.grammar import PLAIN, Argument, DaemonVerb
from memtrig.ctl.render import clip, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

EVENTS = ("promise_due", "memory_expiring", "proposal_waiting")


def show(subscribed: dict[str, Any], screen: Screen) -> list[str]:
    """Say what is listened for."""
    return [f"Listening for {', '.join(map(one_line, subscribed['to']))}; Ctrl-C ends it."]


def follow(notice: dict[str, Any], screen: Screen) -> str:
    """Write a notice on one line: when, what, at which level, how many, and what it says."""
    count = notice.get("count", 1)
    words = [
        screen.when(notice["at"]),
        one_line(notice["about"]),
        one_line(notice["level"]),
        f"×{count:,}" if count != 1 else "",
        one_line(notice.get("id") or ""),
        one_line(notice.get("text") or ""),
    ]
    line = "  ".join(filter(None, words))
    return line if screen.columns is None else clip(line, screen.columns)


VERB = DaemonVerb(
    "listen",
    "print what happens as it happens, until Ctrl-C",
    "memtrigctl listen promise_due proposal_waiting --json",
    door=PLAIN,
    request="subscribe",
    arguments=(
        Argument(
            "to",
            "EVENT",
            "what to be told of; unsaid, all: " + " ".join(EVENTS),
            required=False,
            many=True,
            values=EVENTS,
        ),
    ),
    document=lambda notice: {"id": None, "text": None, "count": 1, **notice},
    show=show,
    follow=follow,
    opening=lambda given: {"to": list(EVENTS), **given},
)
