"""`memtrigctl doctor --secrets`: credentials that were kept before they were looked for, and how people see them."""

from __future__ import annotations

from memtrig.ctl.catalogue import level as read_level
from memtrig.ctl.failure import REFUSED, usage
from memtrig.ctl.grammar import CONTROL, LONG, DaemonVerb, Option
from memtrig.ctl.render import one_line
from memtrig.homes import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtrig.ctl.render import Screen

HEADER = ("LEVEL", "ID", "IN", "WHAT", "AT")


def document(told: dict[str, Any]) -> dict[str, Any]:
    """Name also what there was none of."""
    found = [{"forced": False, **each} for each in told["found"]]
    return {"more": 0, "backups": [], "skipped": [], **told, "found": found}


def show(told: dict[str, Any], screen: Screen) -> list[str]:
    """Show where each is and what it is, and what was done; the text of none is known here."""
    whole = document(told)
    count, scrubbed, skipped = whole["count"], whole["scrubbed"], whole["skipped"]
    lines = [f"{one_line(level)} can't be looked through: `memtrigctl status` tells why." for level in skipped]
    if not count:
        return [*lines, "No credentials are kept."]
    rows = [
        (
            each["level"],
            one_line(each["id"]),
            f"{each['holder']} {one_line(each['field'])}",
            one_line(each["kind"]) + (" (forced)" if each["forced"] else ""),
            f"{each['start']:,}",
        )
        for each in whole["found"]
    ]
    lines += [*screen.table(HEADER, rows), *([f"Not shown: {whole['more']:,} more."] if whole["more"] else []), ""]
    kept = sum(each["forced"] for each in whole["found"])
    what = f"{count:,} credential{'' if count == 1 else 's'}"
    if whole["dry_run"]:
        lines.append(f"{what} found; without --dry-run they are taken out.")
    else:
        lines.append(
            f"{scrubbed:,} of {what} taken out: `[redacted …]` stands in their place. Change them where they work."
        )
    if kept and scrubbed < count:
        lines.append("You forced some, and they stay: --forced takes them out as well.")
    if whole["backups"]:
        lines.append(f"These backups hold them still: {' and '.join(map(one_line, whole['backups']))}")
    return lines


def code(told: dict[str, Any]) -> int:
    """Fail while there is something to take out, or a level that could not be looked through."""
    left = told["dry_run"] and any(not each.get("forced") for each in told["found"])
    return REFUSED if left or told.get("skipped") else 0


OPTIONS = (
    Option("secrets", "--secrets", help="instead, find credentials that are kept and take them out of every text"),
    Option("dry_run", "--dry-run", help="with --secrets: only show where they are; exit code 1 if there are any"),
    Option("forced", "--forced", help="with --secrets: also those that you forced"),
    Option("level", "--level", "LEVEL", "with --secrets: at this level alone", read=read_level, values=LEVELS),
)
SECRETS = DaemonVerb(
    "doctor",
    "find credentials that are kept, and take them out",
    "memtrigctl doctor --secrets --dry-run",
    door=CONTROL,
    request="secrets.scrub",
    patience=LONG,
    document=document,
    show=show,
    code=code,
)


def instead(verb: DaemonVerb, given: dict[str, Any]) -> tuple[DaemonVerb, dict[str, Any]]:
    """The verb that is meant, ``verb`` or the one for credentials, and what it is given. Raises Failure ``usage``."""
    if given.get("secrets"):
        if "repair" in given:
            raise usage("--repair and --secrets are two things.", "Do one after the other.")
        return SECRETS, {name: value for name, value in given.items() if name != "secrets"}
    if {"dry_run", "forced", "level"} & given.keys():
        raise usage("--dry-run, --forced and --level go with --secrets.", "Say `memtrigctl doctor --secrets` …")
    return verb, given
