"""``memtrigctl save``: remember a text under a key."""

from __future__ import annotations

from memtrig.ctl.claims import OPTIONS, content, show
from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Option
from memtrig.ctl.records import KINDS

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
        Option("kind", "--kind", "K", "one of " + " ".join(KINDS), values=KINDS),
        Option("entity", "--entity", "E", "whom or what it is about"),
        *OPTIONS,
    ),
    show=show,
)
