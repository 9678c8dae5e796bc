"""``memtrigctl audit``: what the journals tell, and whether they hold."""

from __future__ import annotations

from memtrig.ctl.catalogue import level as read_level
from memtrig.ctl.failure import REFUSED
from memtrig.ctl.grammar import CONTROL, LONG, DaemonVerb, Family, Option, integer
from memtrig.ctl.render import one_line, paragraph
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.door import Door
    from memtrig.ctl.render import Screen

LINES = 3
"""Lines of each problem."""
PAGE = 1000
"""Rows that are asked for at a time."""
LEVEL = Option("level", "--level", "LEVEL", "the journal of this level alone", read=read_level, values=LEVELS)
SINCE = Option("since", "--since", "TIME", "not what is older; ISO 8601")


def document(audited: dict[str, Any]) -> dict[str, Any]:
    """Say of each level whether it is sound."""
    audits = [
        {"head": None, "problems": [], "more": 0, **each, "sound": not each.get("problems")}
        for each in audited["audits"]
    ]
    return {"audits": audits, "control": audited.get("control", [])}


def show(audited: dict[str, Any], screen: Screen) -> list[str]:
    """Show each level: sound and where its journal ends, or its problems."""
    lines = []
    for each in document(audited)["audits"]:
        level, rows = one_line(each["level"]), _rows(each["head"])
        lines.append(f"{level}: {rows}all is as the journal left it." if each["sound"] else f"{level}:")
        for problem in each["problems"]:
            lines += paragraph(one_line(problem), screen.columns, LINES)
        lines += [f"  Not shown: {each['more']:,} more."] if each["more"] else []
    control = audited.get("control", [])
    lines += ["control.db:", *(f"  {one_line(problem)}" for problem in control)] if control else []
    heads = [one_line(each["head"]) for each in document(audited)["audits"] if each["head"]]
    if not heads and not code(audited):
        return lines
    if code(audited):
        return [
            *lines,
            "",
            "Somebody or something changed the files: compare with a backup (`memtrigctl backup list`).",
        ]
    return [*lines, "", "Keep these elsewhere; `audit verify --head …` compares a later journal:", *heads]


def code(audited: dict[str, Any]) -> int:
    """Fail if there is a problem."""
    return REFUSED if audited.get("control") or any(each.get("problems") for each in audited["audits"]) else 0


def _rows(head: str | None) -> str:
    if not head:
        return ""
    count = int(head.split(":")[1])
    return f"{count:,} {'row' if count == 1 else 'rows'}, "


def document_rows(shown: dict[str, Any]) -> dict[str, Any]:
    """Name the cursor also on the last page, where it is null."""
    return {"rows": [complete(row) for row in shown["rows"]], "next_cursor": shown.get("next_cursor")}


def complete(row: dict[str, Any]) -> dict[str, Any]:
    """Name also what a row has none of."""
    return {"session": None, "id": None, **row}


def show_rows(shown: dict[str, Any], screen: Screen) -> list[str]:
    """Show a page in a table, and how to get the next one."""
    if not shown["rows"]:
        return ["No rows."]
    rows = [
        (
            each["level"],
            f"{each['seq']:,}",
            screen.clock(each["at"]),
            one_line(each["op"]),
            one_line(each.get("id") or "-"),
            one_line(each["actor"]),
            one_line(each.get("session") or "-"),
        )
        for each in shown["rows"]
    ]
    cursor = shown.get("next_cursor")
    more = ["", f"There is more: say the same with --cursor {one_line(cursor)}"] if cursor else []
    return [*screen.table(("LEVEL", "ROW", "AT", "WHAT", "ID", "WHO", "SESSION"), rows), *more]


def export(door: Door, given: dict[str, Any]) -> int:
    """Print every row, the oldest first, as one JSON document a line. Raises Failure."""
    from memtrig.ctl.output import print_json

    cursor: str | None = None
    while True:
        place = {"cursor": cursor} if cursor else {}
        reply = door.ask("audit.show", {**given, **place, "limit": PAGE, "oldest_first": True})
        for row in reply.result["rows"]:
            print_json(complete(row), reply.incomplete)
        cursor = reply.result.get("next_cursor")
        if cursor is None:
            return 0


VERIFY = DaemonVerb(
    "audit verify",
    "look for edits made behind the daemon's back; exit code 1 if any",
    "memtrigctl audit verify",
    door=CONTROL,
    request="audit.verify",
    patience=LONG,
    progress=True,
    options=(
        LEVEL,
        Option("heads", "--head", "LEVEL:SEQ:SEAL", "an end that was kept elsewhere", many=True),
    ),
    document=document,
    show=show,
    code=code,
)
SHOW = DaemonVerb(
    "audit show",
    "list who did what when, the newest first, without contents",
    "memtrigctl audit show --level confidential --limit 20",
    door=CONTROL,
    request="audit.show",
    patience=LONG,
    options=(
        LEVEL,
        SINCE,
        Option("limit", "--limit", "N", "how many on a page; 50 unsaid", read=integer),
        Option("cursor", "--cursor", "C", "where the page before ended; with the same options"),
        Option("oldest_first", "--oldest-first", help="the oldest first"),
    ),
    document=document_rows,
    show=show_rows,
)
EXPORT = DaemonVerb(
    "audit export",
    "print every row with its seal as JSON lines, the oldest first",
    "memtrigctl audit export --since 2026-11-01",
    door=CONTROL,
    request="audit.show",
    patience=LONG,
    options=(LEVEL, SINCE),
    document=document_rows,
    show=show_rows,
    stream=export,
)
VERB = Family("audit", "the journals of all changes: verify, show, export", VERIFY, SHOW, EXPORT)
