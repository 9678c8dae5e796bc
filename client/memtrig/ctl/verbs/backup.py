"""``memtrigctl backup``: copies of the store, made while the daemon works."""

from __future__ import annotations

from memtrig.ctl.catalogue import level
from memtrig.ctl.failure import REFUSED
from memtrig.ctl.grammar import CONTROL, LONG, Argument, DaemonVerb, Family, Option, integer
from memtrig.ctl.render import one_line
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

HEADER = ("NAME", "MADE", "WHY", "LEVELS", "MB")


def whole(copy: dict[str, Any]) -> dict[str, Any]:
    """Name also what a backup lacks none of."""
    return {"failed": [], **copy}


def document_now(made: dict[str, Any]) -> dict[str, Any]:
    """Put the backup itself first."""
    return {**whole(made["backup"]), "not_copied": made.get("not_copied", [])}


def show_now(made: dict[str, Any], screen: Screen) -> list[str]:
    """Say what was made, and what is not in it."""
    copy = made["backup"]
    lines = [f"Backup {screen.bold(one_line(copy['name']))} holds {_levels(copy)}: {copy['bytes'] / 1e6:,.1f} MB."]
    lines += [
        f"{one_line(name)} could not be read and is not in it: see `memtrigctl status`."
        for name in copy.get("failed", [])
    ]
    return lines + [f"{one_line(each)} did not get its copy." for each in made.get("not_copied", [])]


def code_now(made: dict[str, Any]) -> int:
    """Fail if something is missing."""
    return REFUSED if made["backup"].get("failed") or made.get("not_copied") else 0


def document_list(told: dict[str, Any]) -> dict[str, Any]:
    """Name also what there is none of."""
    copies = list(map(whole, told["backups"]))
    return {"backups": copies, "more": told.get("more", 0), "unreadable": told.get("unreadable", [])}


def show_list(told: dict[str, Any], screen: Screen) -> list[str]:
    """Show the backups in a table, the newest first."""
    rows = [
        (one_line(each["name"]), screen.ago(each["at"]), each["why"], _levels(each), f"{each['bytes'] / 1e6:,.1f}")
        for each in told["backups"]
    ]
    more = told.get("more", 0)
    return [
        *(screen.table(HEADER, rows) if rows else ["There is no backup yet: `memtrigctl backup now` makes one."]),
        *([f"Not shown: {more:,} more."] if more else []),
        *(f"{one_line(each)} can't be read." for each in told.get("unreadable", [])),
    ]


def document_verify(told: dict[str, Any]) -> dict[str, Any]:
    """Put the backup itself first."""
    return {**whole(told["backup"]), "problems": told.get("problems", [])}


def show_verify(told: dict[str, Any], screen: Screen) -> list[str]:
    """Say whether it is sound, or what is wrong."""
    name, problems = screen.bold(one_line(told["backup"]["name"])), told.get("problems", [])
    if not problems:
        return [f"Backup {name} is as it was written: {_levels(told['backup'])}."]
    return [f"Backup {name} is damaged:", *(f"  {one_line(problem)}" for problem in problems)]


def code_verify(told: dict[str, Any]) -> int:
    """Fail if it is damaged."""
    return REFUSED if told.get("problems") else 0


def _levels(copy: dict[str, Any]) -> str:
    return "all levels" if len(copy["levels"]) == len(LEVELS) else ", ".join(map(one_line, copy["levels"]))


NOW = DaemonVerb(
    "backup now",
    "back up every level, or one",
    "memtrigctl backup now",
    door=CONTROL,
    request="backup.now",
    patience=LONG,
    options=(Option("level", "--level", "LEVEL", "only this level", read=level, values=LEVELS),),
    document=document_now,
    show=show_now,
    code=code_now,
)
LIST = DaemonVerb(
    "backup list",
    "list the backups, the newest first",
    "memtrigctl backup list -n 10",
    door=CONTROL,
    request="backup.list",
    options=(Option("limit", "-n", "N", "how many at most; 100 unsaid", read=integer),),
    document=document_list,
    show=show_list,
)
VERIFY = DaemonVerb(
    "backup verify",
    "read a backup through, the newest unsaid; exit code 1 if it is damaged",
    "memtrigctl backup verify 2026-11-30T102622Z",
    door=CONTROL,
    request="backup.verify",
    patience=LONG,
    arguments=(Argument("name", "NAME", "its name; `memtrigctl backup list` shows it", required=False),),
    document=document_verify,
    show=show_verify,
    code=code_verify,
)
VERB = Family("backup", "copies of the store: now, list, verify", NOW, LIST, VERIFY, usual=NOW)
