"""``memtrigctl search``: the memories nearest to a question."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Option, integer
from memtrig.ctl.records import rows
from memtrig.ctl.spans import SINCE, UNTIL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show(found: dict[str, Any], screen: Screen) -> list[str]:
    """Show the hits, the best first."""
    return rows(found["results"], screen) if found["results"] else ["Nothing found."]


VERB = DaemonVerb(
    "search",
    "find memories by a question in your own words",
    'memtrigctl search "what does Anna drink?" -n 3',
    door=DATA,
    arguments=(Argument("query", "QUERY", "words of any language; quote them if there are several"),),
    options=(Option("max_results", "-n", "N", "how many at most; 10 unsaid", read=integer), SINCE, UNTIL),
    show=show,
)
