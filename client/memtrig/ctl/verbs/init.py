"""``memtrigctl init``: what is set up. Nothing needs it."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, DaemonVerb
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(initialised: dict[str, Any], screen: Screen) -> list[str]:
    """Say whether all is ready, and by name what is set up."""
    ready = "Ready" if initialised["ready"] else "Not ready"
    facts = [(one_line(name), value) for name, value in initialised["facts"].items()]
    return [f"{ready}, at {one_line(initialised['level'])}.", *screen.facts(facts)]


VERB = DaemonVerb("init", "tell what is set up; nothing needs it", "memtrigctl init", door=DATA, show=show)
