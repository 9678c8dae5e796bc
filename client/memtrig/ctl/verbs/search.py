"""``memtrigctl search``: the memories nearest to a question."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, Argument, DaemonVerb, Option, integer
from memtrig.ctl.records import KINDS, SOURCES, beginning, rows
from memtrig.ctl.render import Screen, clip, one_line, paragraph, width
from memtrig.ctl.spans import SINCE, UNTIL, here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LINES = 5
"""Of a hit that does not fit a row of a table."""


def document(found: dict[str, Any]) -> dict[str, Any]:
    """Name also what is usual."""
    hits = [{**hit, "why": hit.get("why", [])} for hit in found["results"]]
    return {"left_out": 0, "how": "lexical", "warming": False, **found, "results": hits}


def show(found: dict[str, Any], screen: Screen) -> list[str]:
    """Show the hits, the best first: a row each, or some lines each where a row has no room for what was found."""
    left = found.get("left_out", 0)
    notes = [f"{left:,} more {'has' if left == 1 else 'have'} no room in --max-tokens."] if left else []
    notes += ["Found by words alone: the model that finds by meaning is not ready yet."] if found.get("warming") else []
    lines = _hits(found["results"], screen) or ([] if left else ["Nothing found."])
    return [*lines, *([""] if lines and notes else []), *notes]


def asked(verb: DaemonVerb, given: dict[str, Any]) -> tuple[DaemonVerb, dict[str, Any]]:
    """Say which zone the days of a question are those of, where nobody said it and it is known."""
    zone = here()
    return verb, {"zone": zone, **given} if zone is not None else given


def _hits(hits: list[dict[str, Any]], screen: Screen) -> list[str]:
    if not hits:
        return []
    plain = rows(hits, Screen(now=screen.now, zone=screen.zone))
    if screen.columns is None or max(map(width, plain)) <= screen.columns:
        return rows(hits, screen)
    return [line for hit in hits for line in _block(hit, screen)]


def _block(hit: dict[str, Any], screen: Screen) -> list[str]:
    columns = screen.columns or 80
    facts = [hit["level"], screen.when(hit["updated"]), ", ".join(hit.get("why", []))]
    place = "".join(f"  {one_line(fact)}" for fact in facts if fact)
    key = clip(one_line(hit["key"]), max(columns // 3, columns - width(place)))
    head = clip(key + place, columns)
    return [screen.bold(key) + head[len(key) :], *paragraph(one_line(beginning(hit)), columns, LINES)]


VERB = DaemonVerb(
    "search",
    "find memories by a question in your own words",
    'memtrigctl search "what does Anna drink?" -n 3',
    door=DATA,
    arguments=(Argument("query", "QUERY", "words of any language; quote them if there are several"),),
    options=(
        Option("max_results", "-n", "N", "how many at most; 10 unsaid", read=integer),
        Option("kind", "--kind", "K", "only this kind: " + " ".join(KINDS), values=KINDS),
        Option("tags", "--tag", "T", "only those with this tag; repeat it for several", many=True),
        Option("entity", "--entity", "E", "only those about it, by whichever of its names"),
        Option("source", "--source", "S", "only from " + " ".join(SOURCES), values=SOURCES),
        SINCE,
        UNTIL,
        Option("max_tokens", "--max-tokens", "N", "as many as may be read for so many tokens", read=integer),
        Option("full", "--full", help="whole texts, not the pieces that were found"),
        Option("lexical", "--lexical", help="by words and names alone"),
        Option("zone", "--zone", "Z", "where days like yesterday are meant; unsaid, here"),
    ),
    instead=asked,
    document=document,
    show=show,
)
