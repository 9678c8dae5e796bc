"""``memtrigctl hook``: what a host's hooks start. ``memtrig.hook`` does it; this tells of it."""

from __future__ import annotations

from memtrig.ctl.grammar import Family, HookVerb, Option
from memtrig.hook_hosts import HOSTS

OPTIONS = (
    Option("host", "--host", "NAME", f"{', '.join(HOSTS)}; else known by what it says", values=HOSTS),
    Option("budget", "--budget", "TOKENS", "the room of the context"),
)

VERB = Family(
    "hook",
    "speak with the hooks of an agent's host; never fails, never keeps it waiting",
    HookVerb(
        "hook session-start",
        "read a host's JSON, answer with what the agent should know",
        "memtrigctl hook session-start",
        options=OPTIONS,
    ),
    HookVerb(
        "hook user-prompt",
        "also let the daemon hear what the user said, for quotes",
        "memtrigctl hook user-prompt --host cursor --budget 300",
        options=OPTIONS,
    ),
    HookVerb(
        "hook session-end",
        "let what was said in the conversation be forgotten",
        "memtrigctl hook session-end",
        options=OPTIONS,
    ),
)
