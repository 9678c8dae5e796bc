"""``memtrigctl mcp-config``: the snippet for the configuration of an agent's host."""

from __future__ import annotations

from memtrig.ctl.catalogue import level
from memtrig.ctl.failure import usage
from memtrig.ctl.grammar import Argument, LocalVerb, Option
from memtrig.homes import LEVELS
from memtrig.hook_hosts import HOSTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KNOWN = tuple(host for host in HOSTS if host != "plain")
TOOLS = ("core", "triggerfish", "memory-trigger", "all")
PUMPS = ("level", "agent", "conversation", "space", "tools")
"""The options that are memtrig-mcp's."""


def host(name: str) -> str:
    """Read the name of a host. Raises Failure ``usage``."""
    if name not in KNOWN:
        raise usage(f"There is no snippet for {name!r}.", f"The hosts are {', '.join(KNOWN)}.")
    return name


def tools(name: str) -> str:
    """Read the name of a set of tools."""
    if name not in TOOLS:
        raise ValueError(f"it is one of {', '.join(TOOLS)}")
    return name


def one_line(text: str) -> str:
    """Read a name, which must not reach beyond its place in the snippet."""
    if not text.strip() or any(c < " " or "\x7f" <= c <= "\x9f" or c in "\u2028\u2029" for c in text):
        raise ValueError("it is empty, or more than one line")
    return text


def text(given: dict[str, Any]) -> str:
    """Write the snippet, and on stderr where it belongs."""
    from memtrig.ctl import snippets
    from memtrig.ctl.output import complain

    name = given["host"]
    wanted = {"level": "INTERNAL", "agent": name} | {key: given[key] for key in PUMPS if key in given}
    wanted["level"] = wanted["level"].lower()
    try:
        if "hooks" in given:
            made = snippets.hooks(name, given.get("home"))
        else:
            made = snippets.mcp(name, wanted, given.get("home"))
    except OSError as error:
        raise usage(f"There is no home: {error}.", "Name one with --home DIR.") from None
    complain(f"This goes into {snippets.FILES[name]['hooks' in given]}.", f"docs/hosts/{name}.md says more.")
    return made


VERB = LocalVerb(
    "mcp-config",
    "print what goes into the configuration of an agent's host",
    "memtrigctl mcp-config claude-code --level confidential",
    arguments=(Argument("host", "HOST", " ".join(KNOWN), read=host, values=KNOWN),),
    options=(
        Option("hooks", "--hooks", help="the snippet for the host's hooks instead"),
        Option("level", "--level", "LEVEL", "the agent's level, internal", read=level, values=LEVELS),
        Option("agent", "--agent", "NAME", "what the agent is called, by default as its host", read=one_line),
        Option("conversation", "--conversation", "NAME", "one for all; by default as the hooks say", read=one_line),
        Option(
            "space",
            "--space",
            "NAME",
            "a space beside the shared one; auto: the git project's",
            read=one_line,
        ),
        Option("tools", "--tools", "SET", " ".join(TOOLS), read=tools, values=TOOLS),
    ),
    text=text,
)
