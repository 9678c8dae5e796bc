"""``memtrigctl week``: what agents learned, guessed, contested and forgot; on a terminal answered one by one."""

from __future__ import annotations

from memtrig.ctl import items
from memtrig.ctl.grammar import OWNER, DaemonVerb, Option, integer
from memtrig.ctl.render import one_line
from memtrig.ctl.spans import FORMS, since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen

MOST = 500
"""Items in one answer at most."""
HINT = (
    "`memtrigctl forget --id ID` and `deny --id ID` say no to what was learned,",
    "`confirm ID` and `reject ID` answer a guess, `unforget ID` brings back.",
)


def document(week: dict[str, Any]) -> dict[str, Any]:
    """Name also what an item or the week has none of."""
    return {**week, "items": [items.document(item) for item in week["items"]], "more": week.get("more", 0)}


def show(week: dict[str, Any], screen: Screen) -> list[str]:
    """Count what agents did, and list it, each with its id."""
    listed = [line for item in week["items"] for line in items.lines(item, screen)]
    return [_summary(week, screen), *(["", *listed, "", *HINT] if listed else []), *_more(week)]


def converse(week: dict[str, Any], screen: Screen, door: Door, _: dict[str, Any]) -> int:
    """Count what agents did, and ask about one item after the other."""
    from memtrig.ctl.answers import ask_all
    from memtrig.ctl.output import print_lines

    print_lines([_summary(week, screen)])
    if week["items"]:
        left = len(week["items"]) - ask_all(week["items"], screen, door)
        print_lines(
            [
                "",
                f"{left:,} left as {'it is' if left == 1 else 'they are'}." if left else "That was the week.",
                *_more(week),
            ]
        )
    return 0


def _summary(week: dict[str, Any], screen: Screen) -> str:
    done = ", ".join(f"{one_line(name)} {count:,}" for name, count in week["counts"].items() if count)
    since = screen.when(week["since"])
    return f"Since {since} agents {done}." if done else f"Since {since} agents changed nothing."


def _more(week: dict[str, Any]) -> list[str]:
    more, shown = week.get("more", 0), len(week["items"])
    if not more:
        return []
    longer = f": say the same with -n {min(shown + more, MOST)}" if shown < MOST else ""
    return [f"Not shown: {more:,} more{longer}."]


VERB = DaemonVerb(
    "week",
    "tell what agents learned and forgot; on a terminal, answer it",
    "memtrigctl week --days 14",
    door=OWNER,
    options=(
        Option("days", "--days", "N", "how many days back; 7 unsaid, 366 the most", read=integer),
        Option("since", "--since", "WHEN", f"since when, in place of --days: {FORMS}", read=since),
        Option("limit", "-n", "N", f"how many at most; 50 unsaid, {MOST} the most", read=integer),
    ),
    at_most=("days", "since"),
    document=document,
    show=show,
    converse=converse,
)
