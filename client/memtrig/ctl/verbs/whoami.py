"""``memtrigctl whoami``: who the daemon takes the caller for."""

from __future__ import annotations

from memtrig.ctl.grammar import PLAIN, DaemonVerb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(me: dict[str, Any], screen: Screen) -> list[str]:
    """Name the caller, its level and what it reads."""
    names = [(name, me.get(name) or "") for name in ("agent", "conversation", "space", "session")]
    return screen.facts([("you are", me["kind"]), ("level", me["level"]), ("reads", ", ".join(me["reads"])), *names])


VERB = DaemonVerb(
    "whoami",
    "say who the daemon takes you for",
    "memtrigctl whoami --as internal:bot",
    door=PLAIN,
    show=show,
)
