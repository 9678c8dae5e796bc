"""``memtrigctl alias``: other names of somebody or something."""

from __future__ import annotations

from memtrig.ctl.grammar import DATA, OWNER, Argument, DaemonVerb, Family
from memtrig.ctl.render import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen


def show_added(aliases: dict[str, Any], screen: Screen) -> list[str]:
    """Say what a name means now, and for whom."""
    return [
        f"{_name(each, screen)} is {one_line(each['entity'])} now, for readers at {one_line(each['level'])} and above."
        for each in aliases["aliases"]
    ]


def show_removed(aliases: dict[str, Any], screen: Screen) -> list[str]:
    """Say which name stands for itself again."""
    return [
        f"{_name(each, screen)} stands for itself again at {one_line(each['level'])}." for each in aliases["aliases"]
    ]


def show_all(aliases: dict[str, Any], screen: Screen) -> list[str]:
    """Show the names in a table."""
    rows = [(a["alias"], a["level"], screen.when(a["at"]), a["entity"]) for a in aliases["aliases"]]
    return screen.table(("ALIAS", "LEVEL", "SINCE", "ENTITY"), rows) if rows else ["Nobody has another name."]


def _name(alias: dict[str, Any], screen: Screen) -> str:
    return screen.bold(one_line(alias["alias"]))


ADD = DaemonVerb(
    "alias add",
    "give somebody or something another name",
    'memtrigctl alias add Aai "Sunita Patil"',
    door=OWNER,
    request="alias.add",
    arguments=(
        Argument("alias", "ALIAS", "the other name, exactly"),
        Argument("entity", "ENTITY", "whom or what it means"),
    ),
    show=show_added,
)
REMOVE = DaemonVerb(
    "alias remove",
    "let a name stand for itself again",
    "memtrigctl alias remove Aai",
    door=OWNER,
    request="alias.remove",
    arguments=(Argument("alias", "ALIAS", "the other name"),),
    show=show_removed,
)
LIST = DaemonVerb(
    "alias list", "list the other names", "memtrigctl alias list", door=DATA, request="alias.list", show=show_all
)
VERB = Family("alias", "other names of somebody or something: add, remove, list", ADD, REMOVE, LIST)
