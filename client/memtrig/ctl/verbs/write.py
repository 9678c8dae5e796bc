"""``memtrigctl write``: remember something about somebody; the key is made of it unless one is named."""

from __future__ import annotations

from memtrig.ctl.claims import OPTIONS, content, show
from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Option
from memtrig.ctl.records import KINDS

VERB = DaemonVerb(
    "write",
    "remember something about somebody or something",
    'memtrigctl write Anna preference "Likes masala tea" --quote "I love masala tea"',
    door=DATA,
    request="save",
    arguments=(
        Argument("entity", "ENTITY", "whom or what it is about"),
        Argument("kind", "KIND", "one of " + " ".join(KINDS), values=KINDS),
        Argument("content", "VALUE", "what to remember; - reads standard input", read=content),
    ),
    options=(Option("key", "--key", "KEY", "the one fact that it is about; unsaid, a key is made"), *OPTIONS),
    show=show,
)
