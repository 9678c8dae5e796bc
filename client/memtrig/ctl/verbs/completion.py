"""``memtrigctl completion``: the script that teaches a shell our verbs, options and values."""

from __future__ import annotations

from memtrig.ctl.failure import usage
from memtrig.ctl.grammar import Argument, LocalVerb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHELLS = ("bash", "zsh", "fish")


def shell(name: str) -> str:
    """Read the name of a shell, or the path of one as in $SHELL. Raises Failure ``usage``."""
    known = name.rpartition("/")[2]
    if known not in SHELLS:
        raise usage(f"There is no completion for {name!r}.", f"The shells are {', '.join(SHELLS)}.")
    return known


def text(given: dict[str, Any]) -> str:
    """Write the script of the shell that was named."""
    from memtrig.ctl import completions

    script: str = getattr(completions, given["shell"])()
    return script


VERB = LocalVerb(
    "completion",
    "print the completion script of a shell",
    "memtrigctl completion bash > ~/.local/share/bash-completion/completions/memtrigctl",
    arguments=(Argument("shell", "SHELL", " ".join(SHELLS), read=shell, values=SHELLS),),
    text=text,
)
