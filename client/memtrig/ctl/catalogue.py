"""Which verbs there are, and which options every one of them takes."""

from __future__ import annotations

from importlib import import_module

from memtrig.ctl.failure import usage
from memtrig.ctl.grammar import Family, Option, Verb, closest
from memtrig.homes import LEVELS

GROUPS = {
    "Memories": ("save", "write", "get", "search", "list", "delete"),
    "Trust": ("review", "week", "confirm", "reject", "deny", "pin", "why", "why-not", "history"),
    "Forgetting": ("forget", "unforget", "undo", "suppressions", "expire", "erase"),
    "Reflection": ("recall", "stats", "decay"),
    "Moving in and out": ("import", "watch", "merge", "export"),
    "Days and names": ("promise", "wellness", "alias"),
    "Upkeep": ("doctor", "backup", "restore", "vacuum", "audit", "prove", "selfcheck", "recover", "init"),
    "Agents and their hosts": ("guidance", "context", "hook", "mcp-config"),
    "The daemon": ("ping", "status", "model", "metrics", "whoami", "sessions", "listen"),
    "This program": ("help", "completion"),
}
"""The verbs and families as ``help`` groups them. Each is a module of ``memtrig.ctl.verbs`` with a ``VERB``."""


def tops() -> list[Verb]:
    """Load what the first word of a command line may name: verbs and families, in the order of GROUPS."""
    return [load(name) for names in GROUPS.values() for name in names]


def every() -> list[Verb]:
    """Load all verbs, those of a family one by one."""
    return [verb for top in tops() for verb in (top.members.values() if isinstance(top, Family) else (top,))]


def load(name: str) -> Verb:
    """Load one verb or family by its name. Raises Failure ``usage``."""
    names = [known for group in GROUPS.values() for known in group]
    if name not in names:
        raise usage(f"There is no verb {name!r}.", closest(name, names) + "`memtrigctl help` lists them.")
    verb: Verb = import_module(f"memtrig.ctl.verbs.{name.replace('-', '_')}").VERB
    return verb


def level(text: str) -> str:
    """Read the name of a level in any case, and write it as the daemon does. Raises Failure ``bad_level``."""
    name = text.strip()
    if name.lower() not in LEVELS:
        raise usage(f"There is no level {text!r}.", f"The levels are {', '.join(LEVELS)}.", "bad_level")
    return name.upper()


def level_and_agent(text: str) -> tuple[str, str | None]:
    """Read ``LEVEL`` or ``LEVEL:AGENT``."""
    name, colon, agent = text.partition(":")
    return level(name), agent if colon else None


def directory(text: str) -> str:
    """Read the path of a home; an empty one is most likely an unset variable, not the default."""
    if not text:
        raise ValueError("the path is empty")
    return text


GLOBALS = (
    Option("json", "--json", help="print one JSON document"),
    Option(
        "home", "--home", "DIR", "the daemon's home, instead of MEMTRIG_HOME or the XDG directories", read=directory
    ),
    Option(
        "as", "--as", "LEVEL[:AGENT]", "speak as an agent on that level's socket", read=level_and_agent, values=LEVELS
    ),
    Option(
        "level",
        "--level",
        "LEVEL",
        "as the owner, act at this level: read up to it, write to it",
        read=level,
        values=LEVELS,
    ),
    Option("help", "--help", help="explain the verb, or list all"),
    Option("help", "-h", help="the same"),
    Option("version", "--version", help="print the version"),
)
"""They stand before or after the verb."""
