"""``memtrigctl context``: what an agent should know, as a text to put before its model."""

from __future__ import annotations

from memtrig.ctl.catalogue import level_and_agent
from memtrig.ctl.grammar import AGENT, DaemonVerb, Option, integer
from memtrig.ctl.render import safe
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(guidance: dict[str, Any], screen: Screen) -> list[str]:
    """Print the text with its lines; the terminal gets no control character of it."""
    return [safe(guidance["text"])]


VERB = DaemonVerb(
    "context",
    "print what an agent should know, for a host that can't ask for it",
    "memtrigctl context --as internal:scout --query 'what shall I cook?'",
    door=AGENT,
    request="guidance.get",
    options=(
        Option("as", "--as", "LEVEL[:AGENT]", "for whom it is; needed", read=level_and_agent, values=LEVELS),
        Option("query", "--query", "WORDS", "also memories that fit these words"),
        Option("budget_tokens", "--budget", "TOKENS", "the room of what is remembered, 1500", read=integer),
        Option("state_only", "--state-only", help="without the owner's words of guidance"),
    ),
    show=show,
)
